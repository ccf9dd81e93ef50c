package assay.runtime;

/**
 * What happens with the samples of a program whose bytecodes are counted. A thread counts the bytecodes that it
 * executes and calls its agent when a number chosen by the agent has been reached.
 *
 * <p>An agent is a public class with a public constructor without parameters. In a rewritten program the system property
 * {@code assay.agent} names it, without which {@link ContextTreeAgent} runs; in any other {@code assay run --collect
 * bytecodes --agent} does. Its methods are called by the threads of the program, many
 * at once, and what they execute is not counted. They must not wait for other threads of the program.
 */
public interface ProfilingAgent {
    /**
     * Announces a thread, on that thread, before it counts anything.
     *
     * @param thread the calling thread
     * @return how many bytecodes the thread executes before its first sample; 0 or less: it is never sampled
     */
    int register(Thread thread);

    /**
     * Takes a sample. Frames are numbers of methods ({@link Methods#get}); {@code stack[0]} is the outermost and
     * {@code stack[depth - 1]} the method that is running.
     *
     * <p>The array is the thread's own stack, and an agent may leave negative numbers of its own in it. The program
     * only writes method numbers, which are never negative: a negative entry found in a later call stands where the
     * agent left it, and so do all activations below it. That makes it cheap to find a context again.
     *
     * @param stack the stack of the calling thread; entries from {@code depth} on mean nothing
     * @param depth the number of frames, at least 1
     * @param bytecodes executed by the calling thread since the number chosen for the last sample was reached
     * @return how many bytecodes the thread executes before its next sample; 0 or less: this was the last
     */
    int processSample(int[] stack, int depth, long bytecodes);

    /**
     * Called when the program ends and on request, on a thread of its own while others may still run.
     *
     * @param unsampled bytecodes that threads counted since their last samples
     */
    default void finish(long unsampled) {}
}
