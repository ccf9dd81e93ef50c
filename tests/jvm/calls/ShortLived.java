/** The same work by one thread and by many that live for about a millisecond: both make the same calls. */
public class ShortLived {
    static int sink;

    // Long enough that a call takes longer than looking at it.
    static int leaf(int x) {
        for (int i = 0; i < 300; i++) x = x * 31 + (x >>> 7);
        return x;
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
        int calls = 2_000;
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
