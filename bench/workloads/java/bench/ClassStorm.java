package bench;

import java.lang.reflect.Method;

/** Loads classes into short-lived loaders, runs them until compiled, and drops them. */
public final class ClassStorm extends Workload {
    private byte[] bytes;
    private int loaders;

    public static void main(String[] args) {
        Driver.run(new ClassStorm(), args);
    }

    @Override
    protected void prepare(Options options) {
        bytes = ClassBytes.make("gen/Storm", 10, 5, 20);
        loaders = options.pick(1000, 10_000);
    }

    @Override
    protected long iterate() throws Exception {
        int x = 1;
        for (int i = 0; i < loaders; i++) {
            Class<?> made = new ClassBytes.Loader().define("gen.Storm", bytes);
            Method method = made.getMethod("C" + i % 5, int.class);
            for (int k = 0; k < 300; k++) x = (Integer) method.invoke(null, x);
            if (i % 400 == 399) System.gc();
        }
        return x;
    }
}
