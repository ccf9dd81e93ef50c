package assay.runtime;

import java.io.File;
import java.util.function.LongSupplier;

/** What both forms do with an agent: find it, call it, and tell it when the program ends. */
final class Agents {
    private Agents() {}

    /** An object of this class; null, which is said, when it cannot be used. */
    static ProfilingAgent start(String name, LongSupplier unsampled) {
        try {
            ProfilingAgent agent = (ProfilingAgent)
                    Class.forName(name, true, loader()).getDeclaredConstructor().newInstance();
            Runtime.getRuntime()
                    .addShutdownHook(new Thread(() -> agent.finish(unsampled.getAsLong()), "assay-finish"));
            String request = Settings.text("request", null);
            if (request != null) {
                Thread watcher = new Thread(() -> watch(agent, unsampled, new File(request)), "assay-request");
                watcher.setDaemon(true);
                watcher.start();
            }
            return agent;
        } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
            Throwable cause = e.getCause() != null ? e.getCause() : e;
            System.err.println("assay: no profile: the agent " + name + " cannot be used: " + cause);
            return null;
        }
    }

    private static ClassLoader loader() {
        ClassLoader context = Thread.currentThread().getContextClassLoader();
        return context != null ? context : Agents.class.getClassLoader();
    }

    private static void watch(ProfilingAgent agent, LongSupplier unsampled, File request) {
        try {
            while (true) {
                Thread.sleep(200);
                if (request.exists()) {
                    agent.finish(unsampled.getAsLong());
                    request.delete();
                }
            }
        } catch (InterruptedException e) {
            // The program wants its threads to end.
        }
    }

    /** Announces a thread; an agent that fails gets no samples from it. */
    static int register(ProfilingAgent agent, Thread thread) {
        try {
            return agent.register(thread);
        } catch (RuntimeException | LinkageError e) {
            return failed(e);
        }
    }

    /** Gives a sample to the agent; one that fails gets no more from this thread. */
    static int sample(ProfilingAgent agent, int[] stack, int depth, long bytecodes) {
        try {
            return agent.processSample(stack, depth, bytecodes);
        } catch (RuntimeException | LinkageError e) {
            return failed(e);
        }
    }

    private static int failed(Throwable e) {
        System.err.println("assay: the agent failed on thread " + Thread.currentThread().getName() + ": " + e);
        return 0;
    }
}
