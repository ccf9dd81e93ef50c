package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;

/**
 * One thread's bytecode counter and reified stack, for methods rewritten by the bytecodes collector
 * (src/instrument/count_pass.cc shows what they do with it).
 *
 * <p>The agent defines this class in java.lang, so that every class of every module may use it and that
 * ForceInline is honoured. It is a plain object and not native memory, because the compiler then knows
 * what a store can change: within one compilation the thread is looked up once, however many inlined
 * methods ask for it.
 *
 * <p>What a method does once per activation is a call, what it may do often is inlined. Inlined everywhere, entries and
 * exits multiply the code that C2 has to compile: 60 iterations of Xalan took 37 s of CPU time instead of 24 s.
 *
 * <p>{@code left} counts down to the next sample. It is only meaningful while {@code mode} is COUNTING;
 * otherwise it runs down from IDLE and nobody cares. A thread counts from the first application method
 * on its stack upwards, and not in code whose work depends on the VM's moods: see
 * src/instrument/count_scope.h.
 *
 * <p>Whatever runs in the middle of a block of an unsuspecting method (static initializers, class loaders
 * called by the VM) must leave {@code left} as it found it, because that method has it in a register.
 * Such code banks what it counted in {@code owed}.
 */
public final class AssayCounter {
    private static final Unsafe U = Unsafe.getUnsafe();
    private static final long TID = U.objectFieldOffset(Thread.class, "tid");

    private static final int IDLE = 1 << 30;
    /** What a rewritten method has in its copy of {@code left} while a call is under way. */
    private static final int IN_CALL = Integer.MIN_VALUE;

    /** Marks a stack entry whose activation began after the counter had run down: the sample is an older one's. */
    private static final int LATE = 1 << 30;

    private static final int OUTSIDE = 0, COUNTING = 1, SUSPENDED = 2, SYSTEM = 3;

    private static final Object LOCK = new Object();
    private static final AssayCounter NOBODY = new AssayCounter(null);

    /** First counter of each chain, by thread id. A constant array: its address and length are in the code. */
    private static final AssayCounter[] TABLE = new AssayCounter[4096];
    private static int threads;
    /** So many counters make it worth looking for threads that ended. */
    private static int crowd = 512;
    /** Bytecodes counted by threads that ended, since their last sample. */
    private static long ended;
    private static volatile int granularity = setup(0);
    private static volatile int jitter = setup(1);
    private static final int SEED = setup(2);

    public int left = IDLE;
    public int sp;
    private int[] stack = new int[64];
    private int mode;
    private int base = -1;
    /** {@code left} while not counting. */
    private int kept;
    /** What {@code left} started from. */
    private int period;
    private long owed;
    private int random;
    private final Thread thread;
    private AssayCounter next;
    /** Outer activations: base, mode, kept for each. */
    private int[] outer;
    private int outers;

    private AssayCounter(Thread thread) {
        this.thread = thread;
        this.mode = SYSTEM;
    }

    private static native int setup(int what);

    /** Adds bytecodes to a context. Replaces method numbers on the stack by (negative) contexts. */
    private static native void record(int[] stack, int depth, long bytecodes);

    // --- what rewritten methods call ---

    @ForceInline
    private static AssayCounter current() {
        Thread thread = Thread.currentThread();
        if (thread == null) {
            return NOBODY;
        }
        AssayCounter counter = TABLE[(int) U.getLong(thread, TID) & (TABLE.length - 1)];
        if (counter != null && counter.thread == thread) {
            return counter;
        }
        return find(thread);
    }

    @ForceInline
    private static AssayCounter push(AssayCounter counter, int method) {
        int sp = counter.sp;
        int[] stack = counter.stack;
        if (sp >= stack.length) {
            stack = counter.grow();
        }
        stack[sp] = method | counter.left >> 31 & LATE;
        counter.sp = sp + 1;
        return counter;
    }

    /** Begins an activation of a JDK method. */
    @DontInline
    public static AssayCounter enter(int method) {
        return push(current(), method);
    }

    /** Begins an activation of an application method. */
    @DontInline
    public static AssayCounter enterApp(int method) {
        AssayCounter counter = current();
        int sp = counter.sp;
        if ((counter.mode ^ COUNTING | counter.stack.length - 1 - sp >> 31) != 0) {
            counter.prepare();
        }
        counter.stack[sp] = method | counter.left >> 31 & LATE;
        counter.sp = sp + 1;
        return counter;
    }

    /** Before a call, when each call checks. */
    @ForceInline
    public static void call(AssayCounter counter, int top, int left) {
        counter.left = left;
        if (left < 0) {
            counter.sample(top);
        }
    }

    /** In loops and long blocks. */
    @ForceInline
    public static int check(AssayCounter counter, int top, int left) {
        if (left < 0) {
            counter.left = left;
            return counter.sample(top);
        }
        return left;
    }

    /** Before a throw. */
    @ForceInline
    public static int settle(AssayCounter counter, int top, int left) {
        counter.left = left;
        if (left < 0) {
            return counter.sample(top);
        }
        return left;
    }

    /** At the entry of a handler: from a call under way, or from the method's own code. */
    @ForceInline
    public static int caught(AssayCounter counter, int top, int left) {
        counter.sp = top;
        if (top <= counter.base) {
            counter.unwind(top);
        }
        if (left == IN_CALL) {
            left = counter.left;
        }
        return check(counter, top, left);
    }

    @DontInline
    public static void leave(AssayCounter counter, int top, int left) {
        counter.left = left;
        if (left < 0) {
            counter.sample(top);
        }
        counter.sp = top - 1;
    }

    @DontInline
    public static void leaveApp(AssayCounter counter, int top, int left) {
        counter.left = left;
        if ((left | top - 2 - counter.base) < 0) {
            counter.end(top);
        }
        counter.sp = top - 1;
    }

    /** A whole activation of a method without calls and jumps. */
    @DontInline
    public static void leaf(int method, int bytecodes) {
        AssayCounter counter = current();
        int before = counter.left;
        int left = before - bytecodes;
        counter.left = left;
        if (left < 0) {
            counter.sampleLeaf(method, before);
        }
    }

    /** Begins an activation of a method without calls. */
    @ForceInline
    public static AssayCounter enterLeaf() {
        return current();
    }

    @ForceInline
    public static int checkLeaf(AssayCounter counter, int left, int method) {
        if (left < 0) {
            int before = counter.left;
            counter.left = left;
            return counter.sampleLeaf(method, before);
        }
        return left;
    }

    @ForceInline
    public static void leaveLeaf(AssayCounter counter, int left, int method) {
        int before = counter.left;
        counter.left = left;
        if (left < 0) {
            counter.sampleLeaf(method, before);
        }
    }

    /** Begins an activation that is not counted. Returns a token for {@link #leaveOpaque}. */
    @ForceInline
    public static long enterOpaque(int method) {
        AssayCounter counter = current();
        long token = counter.sp;
        push(counter, method);
        if (counter.mode == COUNTING) {
            counter.kept = counter.left;
            counter.left = IDLE;
            counter.mode = SUSPENDED;
            token |= 1L << 32;
        }
        return token;
    }

    @ForceInline
    public static void leaveOpaque(long token) {
        AssayCounter counter = current();
        int sp = (int) token;
        counter.sp = sp;
        if (counter.base >= sp) {
            counter.unwind(sp);
        }
        if (token >>> 32 != 0) {
            counter.left = counter.kept;
            counter.mode = COUNTING;
        }
    }

    /** Begins code that the VM may call in the middle of a block. Returns a token for the end. */
    public static long enterNested() {
        AssayCounter counter = current();
        long token = counter.sp;
        if (counter.mode == COUNTING) {
            token |= (long) (counter.left * 2 + 1) << 32;
            counter.owed += counter.period - counter.left;
            counter.period = counter.left;
        }
        return token;
    }

    public static void leaveNested(long token) {
        AssayCounter counter = current();
        int sp = (int) token;
        counter.sp = sp;
        if (counter.base >= sp) {
            counter.unwind(sp);
        }
        int left = (int) (token >> 32);
        if (left != 0) {
            counter.owed += counter.period - counter.left;
            counter.left = counter.period = left >> 1;
        }
    }

    // --- what happens rarely; not counted, so it may call anything ---

    private int sample(int top) {
        if (mode != COUNTING) {
            return left = IDLE;
        }
        long bytecodes = (long) period - left + owed;
        owed = 0;
        left = IDLE;
        mode = SUSPENDED;
        sp = top;
        int depth = top;
        while (depth > 1 && stack[depth - 1] >= LATE) {
            depth--;
        }
        for (int i = top - 1; i >= 0 && stack[i] >= 0; i--) {
            stack[i] &= ~LATE;
        }
        record(stack, depth, bytecodes);
        mode = COUNTING;
        return period = left = nextPeriod();
    }

    /** {@code before}: what was left when the activation began. */
    private int sampleLeaf(int method, int before) {
        int top = sp;
        if (mode != COUNTING) {
            return left = IDLE;
        }
        if (before < 0 && top > 0) {
            return sample(top);
        }
        int[] frames = stack;
        if (top >= frames.length) {
            frames = grow();
        }
        frames[top] = method;
        sample(top + 1);
        sp = top;
        return left;
    }

    private int nextPeriod() {
        int range = jitter;
        if (range == 0) {
            return granularity;
        }
        int x = random;
        x ^= x << 13;
        x ^= x >>> 17;
        x ^= x << 5;
        random = x;
        return granularity + (int) ((x & 0xffffffffL) * range >>> 32);
    }

    private int[] grow() {
        int[] longer = new int[stack.length * 2];
        System.arraycopy(stack, 0, longer, 0, stack.length);
        return stack = longer;
    }

    private void prepare() {
        if (mode != COUNTING) {
            activate();
        }
        if (sp >= stack.length) {
            grow();
        }
    }

    /** The end of an activation that is sampled, or the first one that counted. */
    private void end(int top) {
        if (left < 0) {
            sample(top);
        }
        sp = top - 1;
        if (base == top - 1) {
            deactivate();
        }
    }

    private void activate() {
        if (mode == SYSTEM) {
            return;
        }
        if (outer == null || outers + 3 > outer.length) {
            int[] longer = new int[outers * 2 + 12];
            for (int i = 0; i < outers; i++) {
                longer[i] = outer[i];
            }
            outer = longer;
        }
        outer[outers] = base;
        outer[outers + 1] = mode;
        outer[outers + 2] = kept;
        outers += 3;
        if (mode == SUSPENDED) {
            owed += period - kept;
            period = kept;
        }
        base = sp;
        left = kept;
        mode = COUNTING;
    }

    private void deactivate() {
        outers -= 3;
        int now = mode == COUNTING ? left : kept;
        mode = outer[outers + 1];
        base = outer[outers];
        kept = now;
        if (mode == SUSPENDED) {
            owed += period - now;
            kept = period = outer[outers + 2];
        }
        left = IDLE;
    }

    /** Ends activations that an exception left. */
    private void unwind(int top) {
        while (base >= top && outers > 0) {
            deactivate();
        }
    }

    private static AssayCounter find(Thread thread) {
        int tid = (int) U.getLong(thread, TID);
        if (tid == 0) {
            return NOBODY; // the constructor of a thread that attaches itself runs on that thread
        }
        AssayCounter counter;
        boolean full;
        synchronized (LOCK) {
            int slot = tid & (TABLE.length - 1);
            AssayCounter before = null;
            for (counter = TABLE[slot]; counter != null; counter = counter.next) {
                if (counter.thread == thread) {
                    if (before != null) { // threads that share a slot: the one that runs comes first
                        before.next = counter.next;
                        counter.next = TABLE[slot];
                        TABLE[slot] = counter;
                    }
                    return counter;
                }
                before = counter;
            }
            counter = new AssayCounter(thread);
            counter.next = TABLE[slot];
            U.storeFence();
            TABLE[slot] = counter;
            full = ++threads > crowd;
        }
        // Until here the thread is a system thread, so that what the following calls is not counted.
        counter.admit();
        if (full) {
            makeRoom();
        }
        return counter;
    }

    /** Threads of the VM and of the JDK never count: what they do, and when, is not the program's. */
    private void admit() {
        ThreadGroup group = thread.getThreadGroup();
        String name = group == null ? "main" : group.getName();
        if (name.equals("system") || name.equals("InnocuousThreadGroup")) {
            return;
        }
        random = (thread.getName().hashCode() * 31 + SEED) | 1;
        for (int i = 0; i < 8; i++) {
            nextPeriod();
        }
        kept = period = nextPeriod();
        mode = OUTSIDE;
    }

    /** Forgets the counters of threads that ended. */
    private static void makeRoom() {
        synchronized (LOCK) {
            threads = 0;
            for (int slot = 0; slot < TABLE.length; slot++) {
                AssayCounter kept = null;
                AssayCounter following;
                for (AssayCounter counter = TABLE[slot]; counter != null; counter = following) {
                    following = counter.next;
                    if (!counter.thread.isAlive()) {
                        ended += counter.rest();
                        continue;
                    }
                    counter.next = kept;
                    kept = counter;
                    threads++;
                }
                TABLE[slot] = kept;
            }
            crowd = threads * 2 + 512;
        }
    }

    private long rest() {
        if (mode == SYSTEM) {
            return 0;
        }
        return owed + period - (mode == COUNTING ? left : kept);
    }

    /** Bytecodes counted since the last sample of each thread. */
    private static long unsampled() {
        synchronized (LOCK) {
            long sum = ended;
            for (AssayCounter first : TABLE) {
                for (AssayCounter counter = first; counter != null; counter = counter.next) {
                    sum += counter.rest();
                }
            }
            return sum;
        }
    }
}
