package bench;

/** Figure 1 of the counter-based sampling paper: a long run without calls, then two short calls. */
public final class Figure1 extends Workload {
    private int a;
    private int b;
    private int calls;
    private int loops;

    public static void main(String[] args) {
        Driver.run(new Figure1(), args);
    }

    @Override
    protected void prepare(Options options) {
        loops = options.pick(3_000_000, 30_000_000);
    }

    @Override
    protected long iterate() {
        a = 1;
        b = 2;
        calls = 0;
        m(loops);
        return new Sum().add(a).add(b).add(calls).get();
    }

    private void m(int n) {
        while (n-- > 0) {
            for (int i = 0; i < 40; i++) {
                a = a * 31 + b;
                b = b ^ (a >>> 3);
            }
            call1();
            call2();
        }
    }

    private void call1() {
        calls += a & 1;
    }

    private void call2() {
        calls += b & 3;
    }
}
