package bench;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;

/** 100,000 virtual threads that compute, park on a semaphore and sleep (JDK 21 and later). */
public final class VirtualThreads extends Workload {
    private int threads;

    public static void main(String[] args) {
        Driver.run(new VirtualThreads(), args);
    }

    @Override
    protected void prepare(Options options) {
        threads = options.number("threads", options.pick(100_000, 500_000));
    }

    @Override
    protected long iterate() throws Exception {
        // By reflection, so that the class compiles with --release 17.
        ExecutorService pool = (ExecutorService)
                Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        Semaphore gate = new Semaphore(64);
        List<Future<Integer>> results = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            int seed = i;
            results.add(pool.submit(() -> task(seed, gate)));
        }
        Sum sum = new Sum();
        for (Future<Integer> result : results) sum.add(result.get());
        pool.shutdown();
        return sum.get();
    }

    private static int task(int seed, Semaphore gate) throws InterruptedException {
        int x = fib(8) + seed;
        gate.acquire();
        try {
            x += fib(6);
            if (seed % 50 == 0) Thread.sleep(1);
        } finally {
            gate.release();
        }
        return x + fib(seed % 10);
    }

    private static int fib(int n) {
        return n < 2 ? n : fib(n - 1) + fib(n - 2);
    }
}
