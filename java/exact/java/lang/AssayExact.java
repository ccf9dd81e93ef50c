package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.Hidden;

/**
 * The probes of the exact collector. Rewritten methods call enter, call, returned and exit; the
 * numbers live in native memory that the agent reads (src/agent/exact_memory.h has the layout).
 *
 * <p>The class is defined by the agent in java.lang, so that every class of every module may call it.
 * It may call only native methods: anything else could be rewritten itself and would recurse. That is
 * why it uses the two-argument accessors of Unsafe and loops of its own instead of getAndAddLong.
 *
 * <p>Each activation has a frame in a per-thread stack of frames; 0 stands for an activation on a thread
 * that cannot be tracked (one still being attached). The caller writes the call site into its frame
 * before the call, the callee takes it on entry. A frame that an exception skipped is
 * dropped when an older activation makes itself the top again.
 *
 * <p>All of its methods are hidden: a stack overflow in here shows the program's frames only.
 */
public final class AssayExact {
    private static final Unsafe U = Unsafe.getUnsafe();
    private static final long TID = U.objectFieldOffset(Thread.class, "tid");

    // Frame
    private static final int NODE = 0, STATE = 8, PENDING = 16, PREVIOUS = 24, BYTECODES = 32;
    private static final int FRAME_SIZE = 40;
    // State of a thread: top frame, and the chunk of frames in use
    private static final int TOP = 0, FIRST = 8, LIMIT = 16;
    // Node of the context tree
    private static final int KEY = 0, CALLS = 8, SELF = 16, CHILDREN = 24, SIBLINGS = 32;
    // Shared block
    private static final int DIRECTORY = 0, ROOT = 8;

    private static final long SHARED = setup();
    private static final long THREADS = U.getLong(null, SHARED + DIRECTORY);
    private static final long TREE = U.getLong(null, SHARED + ROOT);

    /** Sites 0 and 1 are callers outside Java; real ones start at 2. */
    private static final int FROM_VM = 0;

    /** Set in a pending site once a callee has taken it. */
    private static final long TAKEN = 1L << 63;

    /** Name-and-type 1 is that of static initializers, which only the VM calls. */
    private static final int STATIC_INITIALIZER = 1;

    private AssayExact() {}

    @Hidden
    private static native long setup();

    /** Gives the thread a state and returns its address, or 0. */
    @Hidden
    private static native long openThread(long tid);

    @Hidden
    private static native void closeThread(long state);

    /** The frame after the top one when it does not lie next to it in the same chunk, or 0. */
    @Hidden
    private static native long growStack(long state);

    /** The child of a node with this key, made when missing. */
    @Hidden
    private static native long newChild(long node, long key);

    /** Where a callee was called from when the pending site does not name it: that site or outside. */
    @Hidden
    private static native int findSite(int site, int method);

    /** Begins an activation. {@code method} is the name-and-type in the high half, the method in the low. */
    @Hidden
    public static long enter(long method) {
        Thread thread = Thread.currentThread();
        long tid = thread == null ? 0 : U.getLong(thread, TID);
        if (tid <= 0 || tid >= 1L << 32) {
            return 0;
        }
        long state = 0;
        long page = U.getLong(null, THREADS + (tid >>> 12) * 8);
        if (page != 0) {
            state = U.getLong(null, page + (tid & 4095) * 8);
        }
        if (state == 0) {
            state = openThread(tid);
            if (state == 0) {
                return 0;
            }
        }
        long caller = U.getLong(null, state + TOP);
        int site = FROM_VM;
        long parent = TREE;
        if (caller != 0) {
            parent = U.getLong(null, caller + NODE);
            site = takeSite(caller, method);
        }
        long frame = caller == 0 ? U.getLong(null, state + FIRST) : nextFrame(state, caller);
        if (frame == 0) {
            return 0;
        }
        long node = child(parent, ((long) site << 32) | (method & 0xffffffffL));
        U.putLong(null, frame + NODE, node);
        U.putLong(null, frame + STATE, state);
        U.putLong(null, frame + PENDING, 0);
        U.putLong(null, frame + PREVIOUS, caller);
        U.putLong(null, frame + BYTECODES, 0);
        add(node + CALLS, 1);
        U.putLong(null, state + TOP, frame);
        return frame;
    }

    /** Before a call: notes the site and what it should reach, and adds up bytecodes. Returns 0. */
    @Hidden
    public static int call(long frame, long site, int bytecodes) {
        if (frame != 0) {
            U.putLong(null, frame + PENDING, site);
            U.putLong(null, frame + BYTECODES, U.getLong(null, frame + BYTECODES) + bytecodes);
            settle(U.getLong(null, frame + STATE), frame);
        }
        return 0;
    }

    /** After a call that returned: what nobody took was one to a method that is native or not rewritten. */
    @Hidden
    public static void returned(long frame) {
        if (frame != 0) {
            long pending = U.getLong(null, frame + PENDING);
            if (pending > 0) {
                countUnseen(pending, frame);
            }
            U.putLong(null, frame + PENDING, 0);
            settle(U.getLong(null, frame + STATE), frame);
        }
    }

    /** At the entry of an exception handler of the program: the call under way, if any, is over. */
    @Hidden
    public static void caught(Object thrown, long frame) {
        if (frame != 0) {
            long pending = U.getLong(null, frame + PENDING);
            if (pending > 0) {
                thrownBy(pending, thrown, frame);
            }
            U.putLong(null, frame + PENDING, 0);
            settle(U.getLong(null, frame + STATE), frame);
        }
    }

    /** Later in a handler at whose entry nothing may be called. The exception is on its way to another one. */
    @Hidden
    public static void resumed(long frame) {
        if (frame != 0) {
            settle(U.getLong(null, frame + STATE), frame);
        }
    }

    /** Ends an activation by an exception. */
    @Hidden
    public static void threw(Object thrown, long frame, int bytecodes) {
        if (frame != 0) {
            long pending = U.getLong(null, frame + PENDING);
            if (pending > 0) {
                thrownBy(pending, thrown, frame);
            }
        }
        exit(frame, bytecodes);
    }

    /**
     * A call that nobody took when an exception came out of it was one to a native method, unless it did not come
     * about: a null receiver, nothing to link to, a class that cannot be initialized, no room for the callee. A site that
     * names no callee says nothing.
     */
    @Hidden
    private static void thrownBy(long pending, Object thrown, long frame) {
        if (pending >>> 32 != 0 && !(thrown instanceof NullPointerException || thrown instanceof Error)) {
            countUnseen(pending, frame);
        }
    }

    @Hidden
    private static void countUnseen(long pending, long frame) {
        add(child(U.getLong(null, frame + NODE), pending << 32) + CALLS, 1);
    }

    /** On a back edge: keeps the int counter of the activation from overflowing. Returns 0. */
    @Hidden
    public static int loop(long frame, int bytecodes) {
        if (frame != 0) {
            U.putLong(null, frame + BYTECODES, U.getLong(null, frame + BYTECODES) + bytecodes);
        }
        return 0;
    }

    /** Ends an activation. */
    @Hidden
    public static void exit(long frame, int bytecodes) {
        if (frame == 0) {
            return;
        }
        long state = U.getLong(null, frame + STATE);
        settle(state, frame);
        add(U.getLong(null, frame + NODE) + SELF, U.getLong(null, frame + BYTECODES) + bytecodes);
        long previous = U.getLong(null, frame + PREVIOUS);
        U.putLong(null, state + TOP, previous);
        if (previous == 0) {
            closeThread(state);
        }
    }

    /**
     * Makes an activation the top one. Younger frames still there were left by an exception that none of
     * their probes saw (thrown by a super constructor, or by a stack overflow inside a probe).
     */
    @Hidden
    private static void settle(long state, long frame) {
        long top = U.getLong(null, state + TOP);
        while (top != frame && top != 0) {
            add(U.getLong(null, top + NODE) + SELF, U.getLong(null, top + BYTECODES));
            top = U.getLong(null, top + PREVIOUS);
        }
        U.putLong(null, state + TOP, frame);
    }

    @Hidden
    private static int takeSite(long caller, long method) {
        long pending = U.getLong(null, caller + PENDING);
        int called = (int) (method >>> 32);
        if (pending == 0 || called == STATIC_INITIALIZER) {
            return FROM_VM;
        }
        if ((int) (pending >>> 32) == called) {
            U.putLong(null, caller + PENDING, pending | TAKEN);
            return (int) pending;
        }
        // A callback from native code, an upcall of the VM, or a call through classes that cannot be
        // rewritten (lambda proxies, method handles), which may call several methods for one site.
        int site = findSite((int) pending, (int) method);
        if (site == (int) pending) {
            U.putLong(null, caller + PENDING, pending | TAKEN);
        }
        return site;
    }

    @Hidden
    private static long nextFrame(long state, long caller) {
        if (caller >= U.getLong(null, state + FIRST)
                && caller + 2 * FRAME_SIZE <= U.getLong(null, state + LIMIT)) {
            return caller + FRAME_SIZE;
        }
        return growStack(state);
    }

    @Hidden
    private static long child(long node, long key) {
        long hash = key * 0x9e3779b97f4a7c15L;
        hash ^= hash >>> 32;
        long link = node + CHILDREN;
        for (int shift = 0; shift < 64; shift += 2) {
            long child = U.getLongVolatile(null, link);
            if (child == 0) {
                break;
            }
            if (U.getLong(null, child + KEY) == key) {
                return child;
            }
            link = child + SIBLINGS + ((hash >>> shift) & 3) * 8;
        }
        return newChild(node, key);
    }

    @Hidden
    private static void add(long address, long amount) {
        long old;
        do {
            old = U.getLongVolatile(null, address);
        } while (!U.compareAndSetLong(null, address, old, old + amount));
    }
}
