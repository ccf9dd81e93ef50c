package bench;

/** Throws through several frames and deoptimizes: rare types, null checks and class checks that fail. */
public final class Exceptions extends Workload {
    private static final class Signal extends RuntimeException {
        final int code;

        Signal(int code) {
            super("signal " + code);
            this.code = code;
        }
    }

    private int rounds;

    public static void main(String[] args) {
        Driver.run(new Exceptions(), args);
    }

    @Override
    protected void prepare(Options options) {
        rounds = options.pick(600_000, 6_000_000);
    }

    @Override
    protected long iterate() {
        long total = 0;
        Object[] values = {1, "two", 3L, null, 4.0, new int[5], 'c', new Signal(7)};
        for (int i = 0; i < rounds; i++) {
            try {
                total += outer(i, values[(i * 7 + (i >> 6)) % (1 + (i >> 9) % values.length)]);
            } catch (Signal signal) {
                total += signal.code + signal.getMessage().length();
            } catch (ClassCastException | NullPointerException | ArrayIndexOutOfBoundsException e) {
                total += 3;
            }
        }
        return total;
    }

    private static int outer(int i, Object value) {
        try {
            return middle(i, value) + 1;
        } finally {
            if (i % 1000 == 999) Thread.yield();
        }
    }

    private static int middle(int i, Object value) {
        if (i % 11 == 0) throw new Signal(i % 13);
        return inner(i, value);
    }

    private static int inner(int i, Object value) {
        if (value instanceof int[] array) return array[i % 7];
        if (i % 5 == 0) return ((Integer) value) + 1;
        return value.hashCode() & (value instanceof int[] || value instanceof Signal ? 0 : 255);
    }
}
