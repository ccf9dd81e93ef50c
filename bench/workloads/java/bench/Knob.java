package bench;

/**
 * Work in units of about a millisecond, with a known amount of extra work: --param extra=1 does
 * 1 % more of it. The harness tests itself with it.
 */
public final class Knob extends Workload {
    private int units;

    public static void main(String[] args) {
        Driver.run(new Knob(), args);
    }

    @Override
    protected void prepare(Options options) {
        int base = options.pick(40_000, 400_000);
        units = base + (int) ((long) base * options.number("extra", 0) / 100);
    }

    @Override
    protected long iterate() {
        int x = 1;
        for (int i = 0; i < units; i++) x = unit(x) | 1;
        return 0;
    }

    private static int unit(int x) {
        for (int i = 0; i < 2000; i++) x = x * 31 + (x >>> 5) + step(i);
        return x;
    }

    private static int step(int i) {
        return i ^ 5;
    }
}
