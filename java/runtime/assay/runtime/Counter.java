package assay.runtime;

import java.lang.ref.WeakReference;
import java.util.Arrays;

/**
 * One thread's bytecode counter and reified stack. For rewritten methods only; not an interface for programs. The thread itself
 * is not kept: it may hold much, class loaders too.
 *
 * <p>The calls are those of the native agent's {@code AssayCounter} (src/instrument/count_pass.cc shows what rewritten
 * methods do with them). This one is plain Java for any JVM, and only application classes use it: the JDK's own classes
 * are not rewritten, so it may call anything.
 *
 * <p>Calls from native code and from the JDK push on the same stack, on top of the method that led there. JDK code that
 * catches an exception of the program knows nothing of that stack; so every rewritten method removes itself when it is
 * left by an exception ({@link #abandon}).
 */
public final class Counter extends WeakReference<Thread> {
    private static final long IDLE = 1L << 62;

    private static final int MOST = 1 << 29;

    /** Bytecodes left until the next sample, which the next entry or check takes. */
    private long left = IDLE;

    /** The number of frames on the stack. */
    public int sp;

    /** How many frames there were when the counter ran down: they are still there, on the stack or right above it. */
    private int mark;

    /** The method without calls in which the counter ran down: its number and 1, or 0. */
    private int leaf;

    private int[] stack = new int[64];
    private boolean counting;
    private long period;
    Counter next;

    Counter(Thread thread) {
        super(thread);
    }

    private static Counter current() {
        Thread thread = Thread.currentThread();
        Counter[] known = Threads.table;
        Counter counter = known[(int) thread.getId() & (known.length - 1)];
        return counter != null && counter.refersTo(thread) ? counter : Threads.find(thread);
    }

    /**
     * Begins an activation.
     *
     * @param method its number
     * @return the thread's counter
     */
    public static Counter enterApp(int method) {
        Counter counter = current();
        int sp = counter.sp;
        if (counter.left < 0) {
            counter.sample();
        }
        int[] stack = counter.stack;
        if (sp >= stack.length) {
            stack = counter.grow();
        }
        stack[sp] = method;
        counter.sp = sp + 1;
        return counter;
    }

    /** Counts. */
    public static void count(Counter counter, int bytecodes) {
        counter.left -= bytecodes;
    }

    /** Counts a method's sum, which then begins at 0. */
    public static int flush(Counter counter, int bytecodes) {
        counter.left -= bytecodes;
        return 0;
    }

    /** Counts a method's sum, which then begins at 0. */
    public static long flush(Counter counter, long bytecodes) {
        counter.left -= bytecodes;
        return 0;
    }

    /** In loops that call. */
    public static void check(Counter counter, int top) {
        if (counter.left < 0) {
            counter.sp = top;
            counter.sample();
        }
    }

    /** At the entry of a handler. */
    public static void caught(Counter counter, int top) {
        counter.mark = Math.max(counter.mark, (int) (counter.left >> 63) & counter.sp);
        counter.sp = top;
    }

    /** Before a return. */
    public static void leaveApp(Counter counter, int top, int bytecodes) {
        leaveApp(counter, top, (long) bytecodes);
    }

    /** Before a return. */
    public static void leaveApp(Counter counter, int top, long bytecodes) {
        long left = counter.left - bytecodes;
        counter.left = left;
        counter.sp = top - 1;
        if (left < 0) {
            counter.mark = Math.max(counter.mark, top);
            if (top == 1) { // no entry may follow the outermost exit
                counter.sample();
            }
        }
    }

    /** Left by an exception. */
    public static void abandon(Counter counter, int top) {
        counter.mark = Math.max(counter.mark, (int) (counter.left >> 63) & top);
        counter.sp = top - 1;
    }

    /** A whole activation of a method without calls. */
    public static void leaf(int method, int bytecodes) {
        leaf(method, (long) bytecodes);
    }

    /** A whole activation of a method without calls. */
    public static void leaf(int method, long bytecodes) {
        Counter counter = current();
        long before = counter.left;
        long left = before - bytecodes;
        counter.left = left;
        if (left < 0 && before >= 0) {
            counter.leaf = method + 1;
        }
    }

    /**
     * Charges the context in which the counter ran down. What was executed since then belongs to the next sample,
     * unless it is so much that it can only be a loop of that context.
     */
    private void sample() {
        if (!counting) {
            left = IDLE;
            mark = leaf = 0;
            return;
        }
        int top = sp;
        long before = left;
        long over = -before < period ? -before : 0;
        try {
            int depth = contextDepth();
            left = IDLE;
            counting = false; // what the agent calls is not counted
            sp = depth;
            int following = Agents.sample(Threads.agent, stack, depth, period - before - over);
            counting = following > 0;
            period = counting ? Math.min(following, MOST) : IDLE;
            left = counting ? period - over : IDLE;
        } catch (VirtualMachineError e) {
            // No room for the agent on the program's stack or heap: the next entry or check tries again, in its own context.
            counting = true;
            left = before;
            mark = leaf = 0;
        }
        sp = top;
    }

    /** Completes the stack of the context in which the counter ran down. */
    private int contextDepth() {
        int depth = Math.max(mark, sp);
        if (leaf != 0) {
            if (depth >= stack.length) {
                grow();
            }
            stack[depth++] = leaf - 1;
        }
        mark = leaf = 0;
        return depth;
    }

    /** Counts down from here; an agent that gives a thread up gets no more samples from it. */
    void start(int granularity) {
        counting = granularity > 0;
        period = left = counting ? Math.min(granularity, MOST) : IDLE;
    }

    boolean hasEnded() {
        Thread thread = get();
        return thread == null || !thread.isAlive();
    }

    long unsampled() {
        return counting ? period - left : 0;
    }

    private int[] grow() {
        return stack = Arrays.copyOf(stack, stack.length * 2);
    }
}
