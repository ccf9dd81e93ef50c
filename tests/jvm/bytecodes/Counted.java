import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Deterministic work of every kind: recursion, loops, exceptions, callbacks, static initializers, threads. */
public class Counted {
    static int sink;

    /** Straight-line code without calls; its length is taken from javap. */
    static int leaf(int x) {
        return x * 31 + (x >> 3) - (x & 7);
    }

    static int fib(int n) {
        return n < 2 ? n : fib(n - 1) + fib(n - 2);
    }

    static int loop(int n) {
        int s = 0;
        for (int i = 0; i < n; i++) {
            s += i * 7;
            if ((i & 3) == 0) {
                s ^= i;
            }
        }
        return s;
    }

    static int fails(int i) {
        if (i % 3 == 0) {
            throw new IllegalStateException();
        }
        int[] a = new int[2];
        return a[i % 3];
    }

    static int exceptions(int n) {
        int c = 0;
        for (int i = 0; i < n; i++) {
            try {
                c += fails(i);
            } catch (RuntimeException e) {
                c++;
            } finally {
                c += leaf(c);
            }
        }
        return c;
    }

    static int collections(int n) {
        Map<String, Integer> counts = new HashMap<>();
        for (int i = 0; i < n; i++) {
            counts.merge("key" + i % 100, 1, Integer::sum);
        }
        List<Integer> list = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            list.add(leaf(i) % 1000);
        }
        Collections.sort(list, (a, b) -> Integer.compare(b, a));
        return counts.size() + list.get(n / 2);
    }

    static class Lazy {
        static final int[] TABLE = new int[5000];

        static {
            for (int i = 0; i < TABLE.length; i++) {
                TABLE[i] = fib(8) + i;
            }
        }
    }

    static class Worker extends Thread {
        int result;

        Worker(int number) {
            super("worker-" + number);
        }

        @Override
        public void run() {
            result = fib(20) + loop(100_000);
        }
    }

    public static void main(String[] args) throws Exception {
        int leaves = 0;
        for (int i = 0; i < 100_000; i++) {
            leaves += leaf(i);
        }
        System.out.println(leaves + " " + fib(24) + " " + loop(500_000) + " " + collections(20_000));
        System.out.println(exceptions(args.length > 0 ? Integer.parseInt(args[0]) : 300) + " " + Lazy.TABLE[17]);
        Worker[] workers = new Worker[4];
        for (int i = 0; i < workers.length; i++) {
            workers[i] = new Worker(i);
            workers[i].start();
        }
        for (Worker worker : workers) {
            worker.join();
            sink += worker.result;
        }
        Object called = Counted.class.getDeclaredMethod("fib", int.class).invoke(null, 15);
        System.out.println(sink + " " + called);
    }
}
