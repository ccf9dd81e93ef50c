package bench;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/** Many distinct call edges (10^3 to 10^6): generated classes whose every call site is executed. */
public final class Edges extends Workload {
    private static final int SITES = 50;
    private static final int CALLERS = 20;
    private MethodHandle[] callers;
    private int rounds;

    public static void main(String[] args) {
        Driver.run(new Edges(), args);
    }

    @Override
    protected void prepare(Options options) throws Exception {
        int edges = options.number("edges", 1000);
        int classes = Math.max(1, edges / (SITES * CALLERS));
        rounds = Math.max(2, options.pick(20_000_000, 200_000_000) / edges);
        callers = new MethodHandle[classes * CALLERS];
        ClassBytes.Loader loader = new ClassBytes.Loader();
        MethodType type = MethodType.methodType(int.class, int.class);
        for (int c = 0; c < classes; c++) {
            Class<?> made = loader.define("gen.Edges" + c, ClassBytes.make("gen/Edges" + c, 30, CALLERS, SITES));
            for (int m = 0; m < CALLERS; m++) {
                callers[c * CALLERS + m] = MethodHandles.lookup().findStatic(made, "C" + m, type);
            }
        }
    }

    @Override
    protected long iterate() throws Exception {
        int x = 1;
        try {
            for (int round = 0; round < rounds; round++) {
                for (MethodHandle caller : callers) x = (int) caller.invokeExact(x);
            }
        } catch (Throwable impossible) {
            throw new IllegalStateException(impossible);
        }
        return x;
    }
}
