package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.ForceInline;

/**
 * The check that `--collect calls --via probe` puts at the entry of methods: a test of a word that is zero
 * unless some thread has to report calls.
 *
 * <p>The word is native memory, because ticks set it from signal handlers. The test is in this one method and not
 * in the methods themselves, so that it takes three bytes there and that its branch has a profile: a branch that
 * was never taken is compiled to a trap, and the first sample of each method would throw its code away.
 */
public final class AssayProbe {
    private static final Unsafe U = Unsafe.getUnsafe();
    private static final long ARMED = setup();
    static int ready = 1;

    private AssayProbe() {}

    @ForceInline
    public static void enter() {
        if (U.getInt(ARMED) != 0) hit();
    }

    /** The same with a read that no compiler may move or leave out. */
    @ForceInline
    public static void enterVolatile() {
        if (U.getIntVolatile(null, ARMED) != 0) hit();
    }

    private static native long setup();

    private static native void hit();
}
