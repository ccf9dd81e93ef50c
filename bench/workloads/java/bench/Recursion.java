package bench;

/** Deep recursion: several mutually recursive methods down to a given depth, again and again. */
public final class Recursion extends Workload {
    private int depth;
    private int rounds;

    public static void main(String[] args) {
        Driver.run(new Recursion(), args);
    }

    @Override
    protected void prepare(Options options) {
        depth = options.number("depth", 1000);
        rounds = options.pick(200_000_000, 2_000_000_000) / (depth + 200);
    }

    @Override
    protected long iterate() throws InterruptedException {
        long[] total = new long[1];
        Thread deep = new Thread(null, () -> {
            for (int i = 0; i < rounds; i++) total[0] += even(depth, i);
        }, "deep", 1L << 28);
        deep.start();
        deep.join();
        return total[0];
    }

    private static int even(int n, int x) {
        return n == 0 ? bottom(x) : odd(n - 1, x + 1) + 1;
    }

    private static int odd(int n, int x) {
        return n == 0 ? bottom(x) : third(n - 1, x ^ n) + 2;
    }

    private static int third(int n, int x) {
        return n == 0 ? bottom(x) : even(n - 1, x + (n & 3)) + 3;
    }

    /** Work at full depth, so that most samples are taken there. */
    private static int bottom(int x) {
        for (int i = 0; i < 200; i++) x = leaf(x, i);
        return x;
    }

    private static int leaf(int x, int i) {
        return x * 31 + i;
    }
}
