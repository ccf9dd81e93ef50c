package bench;

import java.util.Random;

/**
 * Call sites with 3, 5 or 8 receiver classes of which the first has skew %; virtual or interface;
 * with context=1 the receivers at the shared site depend on who calls, and each caller has one.
 */
public final class Polymorphic extends Workload {
    interface Step {
        int step(int x);
    }

    abstract static class Base implements Step {
        int k = 3;

        @Override
        public abstract int step(int x);
    }

    static final class S0 extends Base {
        @Override
        public int step(int x) {
            return x + k;
        }
    }

    static final class S1 extends Base {
        @Override
        public int step(int x) {
            return x * k;
        }
    }

    static final class S2 extends Base {
        @Override
        public int step(int x) {
            return x ^ k;
        }
    }

    static final class S3 extends Base {
        @Override
        public int step(int x) {
            return x - k;
        }
    }

    static final class S4 extends Base {
        @Override
        public int step(int x) {
            return x + (k << 2);
        }
    }

    static final class S5 extends Base {
        @Override
        public int step(int x) {
            return x | k;
        }
    }

    static final class S6 extends Base {
        @Override
        public int step(int x) {
            return (x >>> 1) + k;
        }
    }

    static final class S7 extends Base {
        @Override
        public int step(int x) {
            return x * 5 - k;
        }
    }

    private Base[][] arrays;
    private boolean interfaces;
    private boolean byContext;
    private int repeats;

    public static void main(String[] args) {
        Driver.run(new Polymorphic(), args);
    }

    @Override
    protected void prepare(Options options) {
        int receivers = options.number("receivers", 3);
        int skew = options.number("skew", 60);
        interfaces = options.text("call", "virtual").equals("interface");
        byContext = options.number("context", 0) == 1;
        repeats = options.pick(20_000, 200_000);
        Random random = new Random(141);
        arrays = new Base[4][1024];
        for (int a = 0; a < arrays.length; a++) {
            for (int i = 0; i < 1024; i++) {
                int kind = random.nextInt(100) < skew ? 0 : 1 + random.nextInt(receivers - 1);
                arrays[a][i] = make(byContext ? a % receivers : kind);
            }
        }
    }

    private static Base make(int kind) {
        return switch (kind) {
            case 0 -> new S0();
            case 1 -> new S1();
            case 2 -> new S2();
            case 3 -> new S3();
            case 4 -> new S4();
            case 5 -> new S5();
            case 6 -> new S6();
            default -> new S7();
        };
    }

    @Override
    protected long iterate() {
        Sum sum = new Sum();
        for (int i = 0; i < repeats; i += 4) {
            sum.add(first()).add(second()).add(third()).add(fourth());
        }
        return sum.get();
    }

    private int first() {
        return interfaces ? sumInterface(arrays[0]) : sumVirtual(arrays[0]);
    }

    private int second() {
        return interfaces ? sumInterface(arrays[1]) : sumVirtual(arrays[1]);
    }

    private int third() {
        return interfaces ? sumInterface(arrays[2]) : sumVirtual(arrays[2]);
    }

    private int fourth() {
        return interfaces ? sumInterface(arrays[3]) : sumVirtual(arrays[3]);
    }

    private static int sumVirtual(Base[] steps) {
        int x = 1;
        for (Base step : steps) x = step.step(x);
        return x;
    }

    private static int sumInterface(Step[] steps) {
        int x = 1;
        for (Step step : steps) x = step.step(x);
        return x;
    }
}
