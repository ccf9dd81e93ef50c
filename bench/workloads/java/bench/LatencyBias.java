package bench;

/**
 * Figure 3 of the adaptive correction paper: threads contend for a lock; the first calls after the
 * lock was taken (site A) catch the samples that became due while waiting.
 */
public final class LatencyBias extends Workload {
    private static final Object LOCK = new Object();
    private static int sink;
    private int threads;
    private int iterations;

    public static void main(String[] args) {
        Driver.run(new LatencyBias(), args);
    }

    @Override
    protected void prepare(Options options) {
        threads = options.number("threads", 2);
        iterations = options.pick(40_000, 400_000) / threads;
    }

    @Override
    protected long iterate() throws InterruptedException {
        sink = 1;
        Thread[] workers = new Thread[threads];
        for (int i = 0; i < threads; i++) {
            workers[i] = new Thread(() -> work(iterations), "worker-" + i);
            workers[i].start();
        }
        for (Thread worker : workers) worker.join();
        return sink;
    }

    static void work(int n) {
        for (int i = 0; i < n; i++) {
            synchronized (LOCK) {
                for (int j = 0; j < 50; j++) {
                    compute(1);
                }
                for (int j = 0; j < 50; j++) {
                    compute(1);
                }
            }
        }
    }

    static void compute(int size) {
        int x = sink;
        for (int i = size * 50; i > 0; i--) {
            x = x * 31 + (x >>> 7);
        }
        sink = x;
    }
}
