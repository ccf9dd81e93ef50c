/** One call site with four receivers, the first in six calls of ten. */
public class Four {
    interface Step {
        int step(int x);
    }

    static final class S0 implements Step {
        public int step(int x) {
            return x + 3;
        }
    }

    static final class S1 implements Step {
        public int step(int x) {
            return x * 3;
        }
    }

    static final class S2 implements Step {
        public int step(int x) {
            return x ^ 3;
        }
    }

    static final class S3 implements Step {
        public int step(int x) {
            return x - 3;
        }
    }

    static final Step[] STEPS = new Step[1000];

    static int sum(Step[] steps) {
        int x = 1;
        for (Step step : steps) x = step.step(x);
        return x;
    }

    static void forever() throws Exception {
        for (int expected = sum(STEPS), i = 0; ; i++) {
            if (sum(STEPS) != expected) throw new AssertionError("another sum");
            if (i == 2000) System.out.println("ready");
            if (i % 100 == 0) Thread.sleep(1);
        }
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < STEPS.length; i++) {
            int kind = i * 7919 % 10;
            STEPS[i] = kind < 6 ? new S0() : kind < 8 ? new S1() : kind < 9 ? new S2() : new S3();
        }
        if (args[0].equals("forever")) forever();
        long total = 0;
        for (int i = 0; i < Integer.parseInt(args[0]) * 100; i++) total += sum(STEPS);
        System.out.println(total);
    }
}
