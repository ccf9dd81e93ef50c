package bench;

import java.util.concurrent.CountDownLatch;

/** The same total work divided among 1 to 1,000 platform threads; none begins before all have started. */
public final class Threads extends Workload {
    private int threads;
    private int share;

    public static void main(String[] args) {
        Driver.run(new Threads(), args);
    }

    @Override
    protected void prepare(Options options) {
        threads = options.number("threads", 100);
        share = options.pick(40_000, 400_000) / threads;
    }

    @Override
    protected long iterate() throws InterruptedException {
        int[] results = new int[threads];
        Thread[] workers = new Thread[threads];
        CountDownLatch started = new CountDownLatch(threads);
        for (int t = 0; t < threads; t++) {
            int me = t;
            workers[t] = new Thread(() -> {
                started.countDown();
                awaitAll(started);
                results[me] = work(me);
            }, "worker-" + t);
            workers[t].start();
        }
        for (Thread worker : workers) worker.join();
        Sum sum = new Sum();
        for (int result : results) sum.add(result);
        return sum.get();
    }

    private static void awaitAll(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private int work(int seed) {
        int x = seed;
        for (int i = 0; i < share; i++) x = x * 31 + fib(15 + (i & 3)) + leaf(x);
        return x;
    }

    private static int fib(int n) {
        return n < 2 ? n : fib(n - 1) + fib(n - 2);
    }

    private static int leaf(int x) {
        return x >>> 3;
    }
}
