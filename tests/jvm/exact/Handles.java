import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/** A thousand calls each through a method handle, a variable handle, an atomic reference, string concatenation and a lambda object. */
public class Handles {
    private static final VarHandle FIELD;
    private static volatile int field;

    static {
        try {
            FIELD = MethodHandles.lookup().findStaticVarHandle(Handles.class, "field", int.class);
        } catch (ReflectiveOperationException impossible) {
            throw new AssertionError(impossible);
        }
    }

    static int handled(int x) {
        return x + 1;
    }

    static int byHandle(MethodHandle handle) throws Throwable {
        int sum = 0;
        for (int i = 0; i < 1000; i++) sum += (int) handle.invokeExact(i);
        return sum;
    }

    static int byVariable() {
        int sum = 0;
        for (int i = 0; i < 1000; i++) sum += FIELD.compareAndSet(i, i + 1) ? 1 : 0;
        return sum;
    }

    static int byAtomic(AtomicReference<Object> reference) {
        int sum = 0;
        for (int i = 0; i < 1000; i++) sum += reference.compareAndSet(null, null) ? 1 : 0;
        return sum;
    }

    static int byConcatenation() {
        int sum = 0;
        for (int i = 0; i < 1000; i++) sum += ("a" + i + "b").length();
        return sum;
    }

    static int byLambda() {
        int sum = 0;
        for (int i = 0; i < 1000; i++) {
            int k = i;
            sum += Optional.of(1).map(x -> x + k).get();
        }
        return sum;
    }

    public static void main(String[] arguments) throws Throwable {
        MethodHandle handle = MethodHandles.lookup().findStatic(Handles.class, "handled", MethodType.methodType(int.class, int.class));
        System.out.println(byHandle(handle) + byVariable() + byAtomic(new AtomicReference<>()) + byConcatenation() + byLambda());
    }
}
