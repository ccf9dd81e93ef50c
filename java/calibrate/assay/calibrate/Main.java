package assay.calibrate;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;

/**
 * Runs the kernels for {@code assay calibrate}: each once, for a run that counts its instructions, or timed.
 *
 * <pre>
 * Main count
 * Main time FILE SEED WARM_UP_MS MEASURE_MS    writes lines "CLASS.NAME NANOSECONDS", of one call
 * </pre>
 */
public final class Main {
    private static final int SIZE = 1000;
    private static final int BATCHES = 9;
    static int result;

    private Main() {}

    public static void main(String[] arguments) throws IOException, ReflectiveOperationException {
        List<Method> kernels = kernels();
        if (arguments[0].equals("count")) {
            for (Method kernel : kernels) {
                call(kernel, 1);
            }
            return;
        }
        Collections.shuffle(kernels, new Random(Long.parseLong(arguments[2])));
        long warmUp = Long.parseLong(arguments[3]) * 1_000_000;
        long measure = Long.parseLong(arguments[4]) * 1_000_000;
        StringBuilder text = new StringBuilder();
        for (Method kernel : kernels) {
            double time = time(kernel, warmUp, measure / BATCHES);
            text.append(name(kernel)).append(' ').append(time).append('\n');
        }
        Files.writeString(Path.of(arguments[1]), text);
    }

    private static String name(Method kernel) {
        return kernel.getDeclaringClass().getName() + "." + kernel.getName();
    }

    private static List<Method> kernels() {
        List<Method> found = new ArrayList<>();
        for (Class<?> type : List.of(KernelNumbers.class, KernelObjects.class)) {
            for (Method method : type.getDeclaredMethods()) {
                boolean isKernel = !Modifier.isPrivate(method.getModifiers()) && !method.isSynthetic();
                if (isKernel && method.getReturnType() == int.class && method.getParameterCount() == 1) {
                    method.setAccessible(true);
                    found.add(method);
                }
            }
        }
        found.sort(Comparator.comparing(Main::name)); // reflection has no order
        return found;
    }

    private static void call(Method kernel, long times) throws ReflectiveOperationException {
        try {
            for (long i = 0; i < times; i++) {
                result += (Integer) kernel.invoke(null, SIZE);
            }
        } catch (InvocationTargetException e) {
            throw new IllegalStateException(name(kernel), e.getCause());
        }
    }

    /** CPU time of one call: what the compiler and the collector do on threads of their own is not in it. */
    private static double time(Method kernel, long warmUp, long batch) throws ReflectiveOperationException {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long calls = 1;
        for (long begin = System.nanoTime(); System.nanoTime() - begin < warmUp; ) {
            long before = System.nanoTime();
            call(kernel, calls);
            long took = System.nanoTime() - before;
            calls = Math.max(1, calls * batch / Math.max(took, batch / 8));
        }
        double[] times = new double[BATCHES];
        for (int i = 0; i < BATCHES; i++) {
            long before = threads.getCurrentThreadCpuTime();
            call(kernel, calls);
            times[i] = (double) (threads.getCurrentThreadCpuTime() - before) / calls;
        }
        Arrays.sort(times);
        return times[BATCHES / 2];
    }
}
