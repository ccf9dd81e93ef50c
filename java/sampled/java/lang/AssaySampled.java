package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;
import jdk.internal.vm.annotation.Hidden;

/**
 * The triggers and operations of the sampled collector. Methods with instrumentation ask a trigger on entry
 * and on jumps backwards, and go over to their instrumented copy when it answers true.
 *
 * <p>The class is defined by the agent in java.lang, so that every class of every module may call it, and so
 * that @ForceInline is honoured. It may call only native methods: anything else could be rewritten itself
 * and would recurse.
 *
 * <p>Only triggers are inlined. Everything that copies call stays a call: C2 takes several times as long for a method
 * whose copy is full of the loops in here, and until it is done the program runs slower code.
 *
 * <p>All of its methods are hidden: a stack overflow in here shows the program's frames only.
 *
 * <p>A trigger must cost next to nothing. The one int of a thread that this class may use without any call
 * is Thread.threadLocalRandomSecondarySeed, a scratch value that the JDK uses to vary how long some locks spin, and which it
 * may overwrite with a random number at any time: the triggers accept every value.
 */
public final class AssaySampled {
    private static final Unsafe U = Unsafe.getUnsafe();
    private static final long TID = U.objectFieldOffset(Thread.class, "tid");

    // Shared block
    private static final int INTERVAL = 0, JITTER = 8, SEED = 16, COUNTS = 24, TABLE = 32, MASK = 40;
    private static final int TICK = 48, NOTES = 64;

    private static final long SHARED = setup();
    private static final long COUNTERS = U.getLong(null, SHARED + COUNTS);
    private static final long KEYS = U.getLong(null, SHARED + TABLE);
    private static final long KEY_MASK = U.getLong(null, SHARED + MASK);

    /** No counter is set higher, so that a change of the interval is noticed soon. */
    private static final int LIMIT = 1 << 14;

    /** Added to the counter of a thread that has one: new threads are below. */
    private static final int KNOWN = 2 * LIMIT;

    /** In the same int of a thread: it is being called by a copy. */
    private static final int UP = 1 << 30;

    /** The interval is 1. */
    private static boolean everything;

    /**
     * A check decrements a counter, which takes as long as a value needs from a store to the next
     * load, some five cycles. Checks follow each other faster than that, so that each place has one
     * of several counters of its shard, all in one cache line.
     */
    private static final int LANES = 8;

    private static final int SHARDS = 256;

    /** The counters; the first and last line stay unused. */
    private static final int[] LEFT = new int[(SHARDS + 2) * 16];

    /** What is left of the interval beyond LEFT, by counter. */
    private static final long[] BEYOND = new long[SHARDS * LANES];

    private static final int THREADS = 1024;
    private static final long[] THREAD_BEYOND = new long[THREADS];
    private static final long[] THREAD_RANDOM = new long[THREADS];
    private static final long[] RANDOM = new long[SHARDS * LANES];
    private static int shards;

    private AssaySampled() {}

    @Hidden
    private static native long setup();

    /** The address of the counter of a key, made when missing; 0 when there is no room. */
    @Hidden
    private static native long newKey(long key, Object type, long value, int kind);

    /** Every interval-th check in the places of a lane by the threads of a shard. */
    @ForceInline
    @Hidden
    public static boolean counter(int lane) {
        Thread thread = Thread.currentThread();
        if (thread == null) {
            return false;
        }
        int seed = thread.threadLocalRandomSecondarySeed;
        if ((seed & UP) != 0) {
            thread.threadLocalRandomSecondarySeed = seed & ~UP;
        }
        int shard = seed & (SHARDS - 1);
        return --LEFT[shard * 16 + 16 + lane] < 0 && counted(thread, shard, lane);
    }

    /** Every interval-th check of each thread. */
    @ForceInline
    @Hidden
    public static boolean thread(int lane) {
        Thread thread = Thread.currentThread();
        if (thread == null) {
            return false;
        }
        int left = (thread.threadLocalRandomSecondarySeed & 4 * LIMIT - 1) - 1;
        thread.threadLocalRandomSecondarySeed = left;
        return left < KNOWN && countedByThread(thread, left);
    }

    /** The first check after each tick of a timer. */
    @ForceInline
    @Hidden
    public static boolean timer(int lane) {
        Thread thread = Thread.currentThread();
        if (thread == null) {
            return false;
        }
        int seed = thread.threadLocalRandomSecondarySeed;
        if ((seed & UP) != 0) {
            thread.threadLocalRandomSecondarySeed = seed & ~UP;
        }
        return U.getIntOpaque(null, SHARED + TICK) != 0
                && U.compareAndSetInt(null, SHARED + TICK, 1, 0);
    }

    /** Whether the call that led here was made by a copy. */
    @ForceInline
    @Hidden
    public static boolean called(int lane) {
        Thread thread = Thread.currentThread();
        return thread != null && (thread.threadLocalRandomSecondarySeed & UP) != 0 && taken(thread);
    }

    @DontInline
    @Hidden
    private static boolean taken(Thread thread) {
        if (!everything) {
            thread.threadLocalRandomSecondarySeed &= ~UP;
        }
        return true;
    }

    /** A copy is about to call. */
    @DontInline
    @Hidden
    public static void raise() {
        Thread thread = Thread.currentThread();
        if (thread != null) {
            thread.threadLocalRandomSecondarySeed |= UP;
        }
    }

    /** The call has returned; whatever was called may have been none of ours. */
    @DontInline
    @Hidden
    public static void lower() {
        Thread thread = Thread.currentThread();
        if (thread != null && !everything) {
            thread.threadLocalRandomSecondarySeed &= ~UP;
        }
    }

    @DontInline
    @Hidden
    private static boolean counted(Thread thread, int shard, int lane) {
        int counter = shard * LANES + lane;
        long interval = U.getLongVolatile(null, SHARED + INTERVAL);
        long beyond = BEYOND[counter];
        boolean sample = beyond <= 0 && interval > 0;
        if (sample) {
            beyond = interval + jitter(RANDOM, counter);
        } else if (interval <= 0 || beyond > 2 * interval) {
            beyond = interval;
        }
        int next = beyond > LIMIT || beyond <= 0 ? LIMIT : (int) beyond;
        BEYOND[counter] = beyond <= 0 ? 0 : beyond - next;
        LEFT[shard * 16 + 16 + lane] = next - 1;
        if (thread.threadLocalRandomSecondarySeed == 0) {
            // From here on the thread counts in a shard of its own, as long as there are some.
            int mine = shards + 1;
            shards = mine;
            mine = mine % (SHARDS - 1) + 1;
            thread.threadLocalRandomSecondarySeed = mine;
        }
        return sample;
    }

    @DontInline
    @Hidden
    private static boolean countedByThread(Thread thread, int left) {
        long tid = U.getLong(thread, TID);
        int slot = (int) tid & (THREADS - 1);
        long interval = U.getLongVolatile(null, SHARED + INTERVAL);
        long beyond = THREAD_BEYOND[slot];
        if (left != KNOWN - 1) {
            // A new thread starts anywhere in an interval: were its first check a sample, many
            // short threads would give too many.
            beyond = interval <= 1 ? 0 : fold(tid + U.getLong(null, SHARED + SEED)) % interval;
        }
        boolean sample = beyond <= 0 && interval > 0;
        if (sample) {
            beyond = interval + jitter(THREAD_RANDOM, slot);
        } else if (interval <= 0 || beyond > 2 * interval) {
            beyond = interval;
        }
        int next = beyond > LIMIT || beyond <= 0 ? LIMIT : (int) beyond;
        THREAD_BEYOND[slot] = beyond <= 0 ? 0 : beyond - next;
        thread.threadLocalRandomSecondarySeed = KNOWN + next - 1;
        return sample;
    }

    /** Uniform in -jitter..jitter, from a generator (xorshift) per shard or thread. */
    @Hidden
    private static long jitter(long[] random, int slot) {
        long jitter = U.getLong(null, SHARED + JITTER);
        if (jitter == 0) {
            return 0;
        }
        long state = random[slot];
        if (state == 0) {
            state = (U.getLong(null, SHARED + SEED) + slot + 1) * 0x9e3779b97f4a7c15L | 1;
        }
        state ^= state << 13;
        state ^= state >>> 7;
        state ^= state << 17;
        random[slot] = state;
        return (state >>> 1) % (2 * jitter + 1) - jitter;
    }

    /** After a change of the interval: no counter waits for the end of the old one. */
    @Hidden
    private static void restart() {
        everything = U.getLongVolatile(null, SHARED + INTERVAL) == 1;
        long interval = U.getLongVolatile(null, SHARED + INTERVAL);
        for (int i = 0; i < SHARDS * LANES; i++) {
            // The lanes of a shard do not sample all at once, and none at its first check: a short program would seem to have executed whole intervals.
            BEYOND[i] = interval / LANES * (i % LANES) + interval / (2 * LANES);
            RANDOM[i] = 0;
            LEFT[i / LANES * 16 + 16 + i % LANES] = 0;
        }
        for (int i = 0; i < THREADS; i++) {
            THREAD_BEYOND[i] = 0;
            THREAD_RANDOM[i] = 0;
        }
    }

    @DontInline
    @Hidden
    public static void count(int id) {
        add(COUNTERS + ((long) id << 3));
    }

    @DontInline
    @Hidden
    public static void countClass(Object object, int id) {
        Class<?> type = object == null ? null : object.getClass();
        int hash = type == null ? 0 : System.identityHashCode(type);
        countKey((long) id << 32 | hash, type, 0, 0);
    }

    @DontInline
    @Hidden
    public static void countInt(int value, int id) {
        countKey((long) id << 32 | value & 0xffffffffL, null, value, 1);
    }

    @DontInline
    @Hidden
    public static void countLong(long value, int id) {
        countKey((long) id << 32 | fold(value), null, value, 2);
    }

    @DontInline
    @Hidden
    public static void countFloat(float value, int id) {
        int bits = Float.floatToRawIntBits(value);
        countKey((long) id << 32 | bits & 0xffffffffL, null, bits, 3);
    }

    @DontInline
    @Hidden
    public static void countDouble(double value, int id) {
        long bits = Double.doubleToRawLongBits(value);
        countKey((long) id << 32 | fold(bits), null, bits, 4);
    }

    /** For the verification of Property 1: entries, back edges and checks executed. */
    @DontInline
    @Hidden
    public static void note(int what) {
        add(SHARED + NOTES + ((long) what << 6));
    }

    @Hidden
    private static long fold(long value) {
        long hash = value * 0x9e3779b97f4a7c15L;
        return (hash ^ hash >>> 32) & 0xffffffffL;
    }

    @Hidden
    private static void countKey(long key, Object type, long value, int kind) {
        long hash = key * 0x9e3779b97f4a7c15L;
        hash ^= hash >>> 32;
        for (int i = 0; i < 64; i++) {
            long entry = KEYS + ((hash + i & KEY_MASK) << 4);
            long found = U.getLongVolatile(null, entry);
            if (found == key) {
                add(entry + 8);
                return;
            }
            if (found == 0) {
                break;
            }
        }
        long counter = newKey(key, type, value, kind);
        if (counter != 0) {
            add(counter);
        }
    }

    @Hidden
    private static void add(long address) {
        long old;
        do {
            old = U.getLongVolatile(null, address);
        } while (!U.compareAndSetLong(null, address, old, old + 1));
    }
}
