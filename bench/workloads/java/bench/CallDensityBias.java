package bench;

/**
 * Figure 1 of the adaptive correction paper: dense() calls compute(1) and sparse() calls compute(2)
 * equally often, but a sampler driven by time sees the second twice as often.
 */
public final class CallDensityBias extends Workload {
    private int repeat;
    private static int sink;

    public static void main(String[] args) {
        Driver.run(new CallDensityBias(), args);
    }

    @Override
    protected void prepare(Options options) {
        repeat = options.pick(1_000_000, 10_000_000);
    }

    @Override
    protected long iterate() {
        sink = 1;
        dense(repeat);
        sparse(repeat);
        return sink;
    }

    static void dense(int repeat) {
        for (int i = 0; i < repeat; i++) {
            compute(1);
        }
    }

    static void sparse(int repeat) {
        for (int i = 0; i < repeat; i++) {
            compute(2);
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
