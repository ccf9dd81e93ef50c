package assay.runtime;

import java.util.Arrays;

/**
 * One thread's bytecode counter and reified stack. For rewritten methods only; not an interface for programs.
 *
 * <p>The calls are those of the native agent's {@code AssayCounter} (src/instrument/count_pass.cc shows what rewritten
 * methods do with them). This one is plain Java for any JVM, and only application classes use it: the JDK's own classes
 * are not rewritten, so it may call anything.
 *
 * <p>Calls from native code and from the JDK push on the same stack, on top of the method that led there. JDK code that
 * catches an exception of the program knows nothing of that stack; so every rewritten method removes itself when it is
 * left by an exception ({@link #abandon}).
 */
public final class Counter {
    /** Where {@code left} starts when nobody wants a sample. */
    static final int IDLE = 1 << 30;

    private static final int MOST = 1 << 29;

    private static final int IN_CALL = Integer.MIN_VALUE;

    /** Marks a stack entry whose activation began after the counter had run down: the sample is an older one's. */
    private static final int LATE = 1 << 30;

    /** Bytecodes left until the next sample. */
    public int left = IDLE;

    /** The number of frames on the stack. */
    public int sp;

    private int[] stack = new int[64];
    private boolean counting;
    private int period;
    private long owed;
    final Thread thread;
    Counter next;

    Counter(Thread thread) {
        this.thread = thread;
    }

    private static Counter current() {
        Thread thread = Thread.currentThread();
        Counter[] known = Threads.table;
        Counter counter = known[(int) thread.getId() & (known.length - 1)];
        return counter != null && counter.thread == thread ? counter : Threads.find(thread);
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
        int[] stack = counter.stack;
        if (sp >= stack.length) {
            stack = counter.grow();
        }
        stack[sp] = method | counter.left >> 31 & LATE;
        counter.sp = sp + 1;
        return counter;
    }

    /** Before a call, when each call checks. */
    public static void call(Counter counter, int top, int left) {
        counter.left = left;
        if (left < 0) {
            counter.sample(top);
        }
    }

    /** In loops and long blocks. */
    public static int check(Counter counter, int top, int left) {
        if (left < 0) {
            counter.left = left;
            return counter.sample(top);
        }
        return left;
    }

    /** Before a throw. */
    public static int settle(Counter counter, int top, int left) {
        counter.left = left;
        return left < 0 ? counter.sample(top) : left;
    }

    /** At the entry of a handler. */
    public static int caught(Counter counter, int top, int left) {
        counter.sp = top;
        return check(counter, top, left == IN_CALL ? counter.left : left);
    }

    /** Before a return. */
    public static void leaveApp(Counter counter, int top, int left) {
        counter.left = left;
        if (left < 0) {
            counter.sample(top);
        }
        counter.sp = top - 1;
    }

    /** Left by an exception. */
    public static void abandon(Counter counter, int top) {
        counter.sp = top - 1;
    }

    /** A whole activation of a method without calls and jumps. */
    public static void leaf(int method, int bytecodes) {
        Counter counter = current();
        int before = counter.left;
        int left = before - bytecodes;
        counter.left = left;
        if (left < 0) {
            counter.sampleLeaf(method, before);
        }
    }

    /** Begins an activation of a method without calls. */
    public static Counter enterLeaf() {
        return current();
    }

    /** In loops and long blocks of a method without calls. */
    public static int checkLeaf(Counter counter, int left, int method) {
        if (left < 0) {
            int before = counter.left;
            counter.left = left;
            return counter.sampleLeaf(method, before);
        }
        return left;
    }

    /** Before a return of a method without calls. */
    public static void leaveLeaf(Counter counter, int left, int method) {
        int before = counter.left;
        counter.left = left;
        if (left < 0) {
            counter.sampleLeaf(method, before);
        }
    }

    /** Begins code that the VM may call in the middle of a block. Returns a token for the end. */
    public static long enterNested() {
        Counter counter = current();
        long token = counter.sp;
        if (counter.counting) {
            token |= (long) (counter.left * 2 + 1) << 32;
            counter.owed += counter.period - counter.left;
            counter.period = counter.left;
        }
        return token;
    }

    /** Ends what {@link #enterNested} began. */
    public static void leaveNested(long token) {
        Counter counter = current();
        counter.sp = (int) token;
        int left = (int) (token >> 32);
        if (left != 0) {
            counter.owed += counter.period - counter.left;
            counter.left = counter.period = left >> 1;
        }
    }

    private int sample(int top) {
        if (!counting) {
            return left = IDLE;
        }
        long bytecodes = unsampled();
        owed = 0;
        left = IDLE;
        counting = false; // what the agent calls is not counted
        sp = top;
        int depth = top;
        while (depth > 1 && stack[depth - 1] >= LATE) {
            depth--;
        }
        for (int i = top - 1; i >= 0 && stack[i] >= 0; i--) {
            stack[i] &= ~LATE;
        }
        int following = 0;
        try {
            following = Threads.agent.processSample(stack, depth, bytecodes);
        } catch (RuntimeException | LinkageError e) {
            System.err.println("assay: the agent failed on thread " + thread.getName() + ": " + e);
        }
        sp = top;
        return start(following);
    }

    /** {@code before}: what was left when the activation began. */
    private int sampleLeaf(int method, int before) {
        int top = sp;
        if (before < 0 && top > 0) {
            return sample(top);
        }
        int[] frames = top < stack.length ? stack : grow();
        frames[top] = method;
        sample(top + 1);
        sp = top;
        return left;
    }

    /** Counts down from here; an agent that gives a thread up gets no more samples from it. */
    int start(int granularity) {
        counting = granularity > 0;
        return period = left = counting ? Math.min(granularity, MOST) : IDLE;
    }

    long unsampled() {
        return counting ? (long) period - left + owed : 0;
    }

    private int[] grow() {
        return stack = Arrays.copyOf(stack, stack.length * 2);
    }
}
