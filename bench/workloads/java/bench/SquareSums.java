package bench;

/** The rewriting example of the bytecode-counting paper: sq(x) and sqSum(a, b). */
public final class SquareSums extends Workload {
    private int repeats;

    public static void main(String[] args) {
        Driver.run(new SquareSums(), args);
    }

    @Override
    protected void prepare(Options options) {
        repeats = options.pick(200_000, 2_000_000);
    }

    @Override
    protected long iterate() {
        long total = 0;
        for (int i = 0; i < repeats; i++) total += sqSum(i, i + 1000);
        return total;
    }

    static int sq(int x) {
        return x * x;
    }

    static int sqSum(int from, int to) {
        int result = 0;
        while (true) {
            if (from > to) {
                return result;
            }
            result += sq(from);
            ++from;
        }
    }
}
