/** The same work by one thread and by many that live for about a millisecond: both make the same calls. */
public class ShortLived {
    static int sink;

    static int leaf(int x) {
        return x * 31 + 7;
    }

    static void inOne(int calls) {
        int x = sink;
        for (int i = 0; i < calls; i++) x = leaf(x);
        sink = x;
    }

    static void inMany(int calls) {
        int x = sink;
        for (int i = 0; i < calls; i++) x = leaf(x);
        sink = x;
    }

    public static void main(String[] args) throws Exception {
        int threads = Integer.parseInt(args[0]);
        int calls = 200_000;
        Thread one = new Thread(() -> {
            for (int i = 0; i < threads; i++) inOne(calls);
        });
        one.start();
        for (int i = 0; i < threads; i++) {
            Thread thread = new Thread(() -> inMany(calls));
            thread.start();
            thread.join();
        }
        one.join();
        System.out.println("done");
    }
}
