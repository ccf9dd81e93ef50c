/** Runs out of stack while it holds monitors. */
public class Monitors {
    static final Object LOCK = new Object();

    static int only(int n) {
        synchronized (LOCK) {
            return only(n + 1) + 1;
        }
    }

    static long calling(long n, long a, long b) {
        synchronized (LOCK) {
            return calling(n + 1, a ^ n, b + a) + both(n);
        }
    }

    static long both(long n) {
        synchronized (LOCK) {
            return n % 3 == 0 ? Math.abs(n) : last(n);
        }
    }

    static long last(long n) {
        synchronized (LOCK) {
            return n + System.identityHashCode(LOCK);
        }
    }

    static void overflow(Runnable recursion) {
        try {
            recursion.run();
        } catch (StackOverflowError expected) {
            if (Thread.holdsLock(LOCK)) {
                System.out.println("a monitor is still locked");
            }
        }
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 80; i++) {
            Thread thread = new Thread(null, () -> {
                for (int k = 0; k < 2; k++) {
                    overflow(() -> only(0));
                    overflow(() -> calling(0, 1, 2));
                }
            }, "small", 256000 + i * 4096);
            thread.start();
            thread.join();
        }
        System.out.println("done");
    }
}
