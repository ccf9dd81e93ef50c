package java.lang;

import java.lang.ref.WeakReference;
import java.util.Arrays;
import jdk.internal.vm.annotation.Stable;

/**
 * The classes that guards at rewritten call sites compare receivers with. An element of CLASSES is null until the
 * agent sees its class prepared, and never changes from one class to another: the compiler takes elements that are
 * not null for constants (@Stable, honoured because the agent defines this class on the boot loader). Classes of
 * loaders that may be unloaded are in OF_LOADERS, an element for each class and loader of callers.
 */
public final class AssayGuards {
    public static final int SIZE = 2048;

    @Stable
    public static final Class<?>[] CLASSES = new Class<?>[SIZE];

    public static final WeakReference<?>[] OF_LOADERS = new WeakReference<?>[SIZE];

    static {
        Arrays.fill(OF_LOADERS, new WeakReference<Class<?>>(null));
    }

    private AssayGuards() {}
}
