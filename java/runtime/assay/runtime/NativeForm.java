package assay.runtime;

/**
 * The form in which libassay.so counts ({@code assay run --collect bytecodes --agent CLASS}): it binds the native
 * methods and calls the others (src/agent/java_agent.cc).
 */
final class NativeForm {
    private static ProfilingAgent agent;
    private static volatile boolean used;

    private NativeForm() {}

    /** Class, name and descriptor; null when there is no such method. */
    private static native String[] describe(int method);

    private static native long unsampled();

    /** Whether names come from libassay.so. */
    static boolean isUsed() {
        return used;
    }

    static Methods.Method method(int number) {
        String[] parts = describe(number);
        return parts == null ? null : new Methods.Method(parts[0], parts[1], parts[2]);
    }

    static boolean start(String name) {
        used = true;
        agent = Agents.start(name, NativeForm::unsampled);
        return agent != null;
    }

    static int register(Thread thread) {
        return Agents.register(agent, thread);
    }

    static int processSample(int[] stack, int depth, long bytecodes) {
        return Agents.sample(agent, stack, depth, bytecodes);
    }
}
