/** Threads that start and end without a pause, eight of them at any time. Prints a line when it has begun. */
public class Churn {
    static volatile int sink;

    static int leaf(int x) {
        return x * 31 + (x >>> 7);
    }

    static void live() {
        int x = sink;
        for (int i = 0; i < 300; i++) x = leaf(x);
        sink = x;
    }

    static void churn() {
        try {
            for (;;) {
                Thread thread = new Thread(Churn::live);
                thread.start();
                thread.join();
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 8; i++) new Thread(Churn::churn).start();
        System.out.println("churning");
    }
}
