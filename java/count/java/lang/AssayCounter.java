package java.lang;

import java.lang.ref.WeakReference;
import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;
import jdk.internal.vm.annotation.Hidden;

/**
 * One thread's bytecode counter and reified stack, for methods rewritten by the bytecodes collector
 * (src/instrument/count_pass.cc shows what they do with it).
 *
 * <p>The agent defines this class in java.lang, so that every class of every module may use it and that
 * ForceInline is honoured. It is a plain object and not native memory, because the compiler then knows
 * what a store can change: within one compilation the thread is looked up once, however many inlined
 * methods ask for it.
 *
 * <p>{@code left} counts down to the next sample, which the next entry or check takes: exits never call anything.
 * Until then nothing is pushed, so the frames of the method in which the counter ran down are still on the stack or
 * right above it: {@code mark} says how many there are, {@code leaf} names a method without calls above them.
 *
 * <p>An entry is what happens most often, so it compares only once: with {@code last}, the last place of the stack, or -1 when a
 * sample is due; with {@code lastApp} in application methods, which is -1 also while the thread does not count.
 *
 * <p>{@code left} is only meaningful while {@code mode} is COUNTING; otherwise it runs down from IDLE and nobody
 * cares. A thread counts from the first application method on its stack upwards, and not in code whose work depends
 * on the VM's moods: see src/instrument/count_scope.h.
 */
public final class AssayCounter {
    private static final Unsafe U = Unsafe.getUnsafe();
    private static final long TID = U.objectFieldOffset(Thread.class, "tid");

    private static final long IDLE = 1L << 62;

    /** Longest way to a sample that an agent may choose: the portable form's. */
    private static final int MOST = 1 << 29;

    /** What {@link #register} returns while another thread loads the agent. */
    private static final int LATER = -1;

    /** All but the first are negative. */
    private static final int COUNTING = 0, OUTSIDE = -1, SUSPENDED = -2, SYSTEM = -3;

    private static final long OWNER = U.objectFieldOffset(AssayCounter.class, "owner");
    /** Has no places at all: whoever comes upon it looks for a counter of his own. */
    private static final AssayCounter NOBODY = new AssayCounter(0);

    /**
     * First counter of each chain, by thread id; NOBODY ends it. A constant array: its address and length are in the
     * code.
     */
    private static final AssayCounter[] TABLE = new AssayCounter[4096];

    static {
        for (int i = 0; i < TABLE.length; i++) {
            TABLE[i] = NOBODY;
        }
    }

    private static int threads;
    /** So many counters make it worth looking for threads that ended. */
    private static int crowd = 512;
    /** Bytecodes counted by threads that ended, since their last sample. */
    private static long ended;
    private static volatile int granularity = setup(0);
    private static volatile int jitter = setup(1);
    private static final int SEED = setup(2);
    /** A profiling agent in Java takes the samples, and says how many bytecodes there are between them. */
    private static final boolean AGENT = setup(3) != 0;
    /** Where a thread has its counter (src/agent/thread_field.h), or 0: then TABLE has it. */
    private static final long FIELD = setup(4) == 0 ? 0 : U.objectFieldOffset(Thread.class, "assay");

    private long left = IDLE;
    public int sp;
    private int last = -1, lastApp = -1;
    private int mark;
    /** A method number and 1, or 0. */
    private int leaf;
    private int[] stack = new int[64];
    private int mode;
    private int base = -1;
    /** {@code left} while not counting. */
    private long kept;
    /** What {@code left} started from. */
    private long period;
    private long owed;
    private int random;
    /** The agent does not know the thread yet. */
    private boolean unknown = AGENT;
    /** The agent wants no more samples of the thread. */
    private boolean mute;
    /** Of the thread; no other one ever gets it. 0 for NOBODY. */
    private final long tid;
    /** Not the thread itself, which nobody but the program keeps: it may hold much, class loaders too. Null at first. */
    private WeakReference<Thread> thread;
    private AssayCounter next;
    /** Of NOBODY only: the thread that changes the table. */
    private volatile Thread owner;
    /** Outer activations: base, mode, kept for each. */
    private long[] outer;
    private int outers;

    private AssayCounter(long tid) {
        this.tid = tid;
        this.mode = SYSTEM;
        settle();
    }

    /**
     * After a change of the stack's size, of the mode or, but for counting down, of {@code left}. Written out where there
     * may be no room for a call.
     */
    @Hidden
    private void settle() {
        if (tid != 0) {
            last = left < 0 ? -1 : stack.length - 1;
            lastApp = mode < COUNTING ? -1 : last;
        }
    }

    /** The next entry takes a sample. */
    @Hidden
    @ForceInline
    private void runDown() {
        last = -1;
        lastApp = -1;
    }

    @Hidden
    private static native int setup(int what);

    /**
     * Adds bytecodes to a context. Replaces method numbers on the stack by (negative) contexts. Or gives the sample to the
     * agent, and returns how many bytecodes there are to the next.
     */
    @Hidden
    private static native int record(int[] stack, int depth, long bytecodes);

    /** Announces the calling thread to the agent. Returns how many bytecodes there are to its first sample. */
    @Hidden
    private static native int register(Thread thread);

    // --- what rewritten methods call ---

    /** The thread's counter, or NOBODY; where TABLE has it, maybe that of another thread. */
    @Hidden
    @ForceInline
    private static AssayCounter guess(Thread thread) {
        if (thread == null) {
            return NOBODY;
        }
        if (FIELD != 0) {
            AssayCounter counter = (AssayCounter) U.getReference(thread, FIELD);
            return counter == null ? NOBODY : counter;
        }
        return TABLE[(int) U.getLong(thread, TID) & (TABLE.length - 1)];
    }

    @Hidden
    private static AssayCounter current() {
        Thread thread = Thread.currentThread();
        AssayCounter counter = guess(thread);
        return counter.isOf(thread) ? counter : find(thread);
    }

    /** Begins an activation of a JDK method. */
    @Hidden
    @ForceInline
    public static AssayCounter enter(int method) {
        Thread thread = Thread.currentThread();
        AssayCounter counter = guess(thread);
        int sp = counter.sp;
        if (FIELD == 0 && !counter.isOf(thread) || (sp | counter.last - sp) < 0) {
            return enterSlowly(thread, method, false);
        }
        counter.stack[sp] = method;
        counter.sp = sp + 1;
        return counter;
    }

    /** Begins an activation of an application method. */
    @Hidden
    @ForceInline
    public static AssayCounter enterApp(int method) {
        Thread thread = Thread.currentThread();
        AssayCounter counter = guess(thread);
        int sp = counter.sp;
        if (FIELD == 0 && !counter.isOf(thread) || (sp | counter.lastApp - sp) < 0) {
            return enterSlowly(thread, method, true);
        }
        counter.stack[sp] = method;
        counter.sp = sp + 1;
        return counter;
    }

    @Hidden
    @ForceInline
    private boolean isOf(Thread thread) {
        return thread != null && tid == U.getLong(thread, TID) && tid != 0;
    }

    @Hidden
    @DontInline
    private static AssayCounter enterSlowly(Thread thread, int method, boolean application) {
        AssayCounter counter = guess(thread);
        if (!counter.isOf(thread)) {
            counter = find(thread);
        }
        if (counter.left < 0) {
            counter.sample();
        }
        if (application && counter.mode < COUNTING) {
            counter.activate();
        }
        counter.push(method);
        return counter;
    }

    @Hidden
    private void push(int method) {
        if (sp >= stack.length) {
            grow();
        }
        stack[sp++] = method;
    }

    @Hidden
    @ForceInline
    public static void count(AssayCounter counter, int bytecodes) {
        flush(counter, (long) bytecodes);
    }

    @Hidden
    @ForceInline
    public static int flush(AssayCounter counter, int bytecodes) {
        flush(counter, (long) bytecodes);
        return 0;
    }

    @Hidden
    @ForceInline
    public static long flush(AssayCounter counter, long bytecodes) {
        long left = counter.left - bytecodes;
        counter.left = left;
        if (left < 0) {
            counter.runDown();
        }
        return 0;
    }

    @Hidden
    @ForceInline
    public static void check(AssayCounter counter, int top) {
        if (counter.left < 0) {
            checked(counter, top);
        }
    }

    @Hidden
    @DontInline
    private static void checked(AssayCounter counter, int top) {
        counter.sp = top;
        counter.sample();
    }

    /** At the entry of a handler. Nobody has taken the methods that the exception left off the stack yet. */
    @Hidden
    @ForceInline
    public static void caught(AssayCounter counter, int top) {
        counter.mark = Math.max(counter.mark, (int) (counter.left >> 63) & counter.sp);
        counter.sp = top;
        if (top <= counter.base) {
            counter.unwind(top);
        }
    }

    @Hidden
    @ForceInline
    public static void leave(AssayCounter counter, int top, int bytecodes) {
        leave(counter, top, (long) bytecodes);
    }

    @Hidden
    @ForceInline
    public static void leave(AssayCounter counter, int top, long bytecodes) {
        long left = counter.left - bytecodes;
        counter.left = left;
        if (left < 0) {
            counter.mark = Math.max(counter.mark, top);
            counter.runDown();
        }
        counter.sp = top - 1;
    }

    @Hidden
    @ForceInline
    public static void leaveApp(AssayCounter counter, int top, int bytecodes) {
        leaveApp(counter, top, (long) bytecodes);
    }

    @Hidden
    @ForceInline
    public static void leaveApp(AssayCounter counter, int top, long bytecodes) {
        leave(counter, top, bytecodes);
        if (top - 2 < counter.base) {
            counter.deactivate();
        }
    }

    /** A whole activation of a method without calls. */
    @Hidden
    @ForceInline
    public static void leaf(int method, int bytecodes) {
        leaf(method, (long) bytecodes);
    }

    @Hidden
    @ForceInline
    public static void leaf(int method, long bytecodes) {
        Thread thread = Thread.currentThread();
        AssayCounter counter = guess(thread);
        if (FIELD == 0 && !counter.isOf(thread)) {
            counter = find(thread); // so rare that the compiler leaves it out
        }
        long before = counter.left; // NOBODY's is no concern: a thread without a counter does not count yet
        long left = before - bytecodes;
        counter.left = left;
        if (left < 0 && before >= 0) {
            counter.leaf = method + 1;
            counter.runDown();
        }
    }

    /** Begins an activation that is not counted. Returns a token for {@link #leaveOpaque}. */
    @Hidden
    @ForceInline
    public static long enterOpaque(int method) {
        AssayCounter counter = enter(method);
        long token = counter.sp - 1;
        if (counter.mode == COUNTING) {
            counter.kept = counter.left;
            counter.left = IDLE;
            counter.mode = SUSPENDED;
            counter.last = counter.stack.length - 1;
            counter.lastApp = -1;
            token |= 1L << 32;
        }
        return token;
    }

    @Hidden
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
            counter.last = counter.lastApp = counter.left < 0 ? -1 : counter.stack.length - 1;
        }
    }

    // --- what happens rarely; not counted, so it may call anything ---

    /**
     * Charges the context in which the counter ran down. What was executed since then belongs to the next sample,
     * unless it is so much that it can only be a loop of that context.
     */
    @Hidden
    private void sample() {
        if (mode != COUNTING) {
            left = IDLE;
            settle();
            mark = leaf = 0;
            return;
        }
        int top = sp;
        int first = base;
        long before = left;
        long owing = owed;
        long over = -before < period ? -before : 0;
        try {
            int planned = AGENT ? 0 : nextPeriod();
            int depth = contextDepth();
            owed = 0;
            left = IDLE;
            mode = SYSTEM; // whatever class an agent's code is in, it is not the program's
            base = -1;
            sp = depth;
            settle();
            int following = record(stack, depth, period - before - over + owing);
            begin(AGENT ? following : planned);
            left = mute ? period : period - over;
        } catch (VirtualMachineError e) {
            // No room on the program's stack or heap: the next entry or check tries again, in its own context.
            left = before;
            owed = owing;
            mark = leaf = 0;
        }
        sp = top;
        base = first;
        mode = COUNTING;
        last = lastApp = left < 0 ? -1 : stack.length - 1;
    }

    @Hidden
    @ForceInline
    private void begin(int bytecodes) {
        mute = bytecodes <= 0;
        period = mute ? IDLE : bytecodes < MOST ? bytecodes : MOST;
    }

    /** Tells the agent of the thread, before it counts anything. False: not yet. */
    @Hidden
    private boolean announce() {
        int before = mode;
        int top = sp;
        mode = SYSTEM;
        settle();
        int first;
        try {
            first = register(Thread.currentThread());
        } finally {
            mode = before;
            sp = top;
            settle();
        }
        if (first == LATER) {
            return false;
        }
        unknown = false;
        begin(first);
        kept = period;
        return true;
    }

    /** Completes the stack of the context in which the counter ran down. */
    @Hidden
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

    @Hidden
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

    @Hidden
    private void grow() {
        int[] longer = new int[stack.length * 2];
        System.arraycopy(stack, 0, longer, 0, stack.length);
        stack = longer;
        settle();
    }

    @Hidden
    private void activate() {
        if (mode == SYSTEM || unknown && !announce()) {
            return;
        }
        if (outer == null || outers + 3 > outer.length) {
            long[] longer = new long[outers * 2 + 12];
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
        last = lastApp = left < 0 ? -1 : stack.length - 1;
    }

    /** The end of the first activation that counted. */
    @Hidden
    private void deactivate() {
        if (left < 0) {
            sample();
        }
        outers -= 3;
        long now = mode == COUNTING ? left : kept;
        mode = (int) outer[outers + 1];
        base = (int) outer[outers];
        kept = now;
        if (mode == SUSPENDED) {
            owed += period - now;
            kept = period = outer[outers + 2];
        }
        left = IDLE;
        last = stack.length - 1;
        lastApp = -1;
    }

    /** Ends activations that an exception left. */
    @Hidden
    private void unwind(int top) {
        while (base >= top && outers > 0) {
            deactivate();
        }
    }

    /**
     * Not a monitor: a virtual thread that waits for one gives its carrier away, and a carrier that then asks for its
     * own counter waits for a thread that only it could run. False: the calling thread has it already.
     */
    @Hidden
    private static boolean lock() {
        Thread thread = Thread.currentThread();
        if (NOBODY.owner == thread) {
            return false;
        }
        while (!U.compareAndSetReference(NOBODY, OWNER, null, thread)) {
            Thread.onSpinWait();
        }
        return true;
    }

    @Hidden
    private static void unlock(boolean locked) {
        if (locked) {
            NOBODY.owner = null;
        }
    }

    @Hidden
    private static AssayCounter find(Thread thread) {
        long tid = thread == null ? 0 : U.getLong(thread, TID);
        if (tid == 0) {
            return NOBODY; // the constructor of a thread that attaches itself runs on that thread
        }
        AssayCounter counter;
        boolean full;
        boolean locked = lock();
        try {
            int slot = (int) tid & (TABLE.length - 1);
            AssayCounter before = null;
            for (counter = TABLE[slot]; counter != NOBODY; counter = counter.next) {
                if (counter.tid == tid) {
                    if (before != null) { // threads that share a slot: the one that runs comes first
                        before.next = counter.next;
                        counter.next = TABLE[slot];
                        TABLE[slot] = counter;
                    }
                    return counter;
                }
                before = counter;
            }
            counter = new AssayCounter(tid);
            counter.next = TABLE[slot];
            U.storeFence();
            TABLE[slot] = counter;
            if (FIELD != 0) {
                U.putReference(thread, FIELD, counter);
            }
            full = ++threads > crowd;
        } finally {
            unlock(locked);
        }
        // Until here the thread is a system thread, so that what the following calls is not counted. It is rewritten, and has a counter by now.
        counter.thread = new WeakReference<>(thread);
        counter.admit(thread);
        if (full) {
            makeRoom();
        }
        return counter;
    }

    /** Threads of the VM and of the JDK never count: what they do, and when, is not the program's. */
    @Hidden
    private void admit(Thread thread) {
        ThreadGroup group = thread.getThreadGroup();
        String name = group == null ? "main" : group.getName();
        if (name.equals("system") || name.equals("InnocuousThreadGroup")) {
            return;
        }
        if (AGENT && thread.getName().startsWith("assay-")) {
            return; // on which an agent is told of the end
        }
        random = (thread.getName().hashCode() * 31 + SEED) | 1;
        for (int i = 0; i < 8; i++) {
            nextPeriod();
        }
        kept = period = nextPeriod();
        mode = OUTSIDE;
    }

    /** Forgets the counters of threads that ended. */
    @Hidden
    private static void makeRoom() {
        boolean locked = lock();
        try {
            threads = 0;
            for (int slot = 0; slot < TABLE.length; slot++) {
                AssayCounter kept = NOBODY;
                AssayCounter following;
                for (AssayCounter counter = TABLE[slot]; counter != NOBODY; counter = following) {
                    following = counter.next;
                    if (counter.hasEnded()) {
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
        } finally {
            unlock(locked);
        }
    }

    @Hidden
    private boolean hasEnded() {
        WeakReference<Thread> reference = thread;
        if (reference == null) {
            return false;
        }
        Thread known = reference.get();
        return known == null || !known.isAlive();
    }

    @Hidden
    private long rest() {
        if (mode == SYSTEM || mute || unknown) {
            return 0;
        }
        return owed + period - (mode == COUNTING ? left : kept);
    }

    /** Bytecodes counted since the last sample of each thread. */
    @Hidden
    private static long unsampled() {
        boolean locked = lock();
        try {
            long sum = ended;
            for (AssayCounter first : TABLE) {
                for (AssayCounter counter = first; counter != NOBODY; counter = counter.next) {
                    sum += counter.rest();
                }
            }
            return sum;
        } finally {
            unlock(locked);
        }
    }
}
