import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.TreeSet;

/** What a program can see of itself: stack traces, and its own members through reflection. */
public class Traces {
    int field;

    static int divide(int a, int b) {
        return a
                / b;
    }

    static class Failing {
        final int x;

        Failing(Object o) {
            x = o.hashCode();
        }
    }

    synchronized void locked(int depth) {
        if (depth == 0) {
            throw new IllegalStateException("locked");
        }
        synchronized (this) {
            locked(depth - 1);
        }
    }

    static void print(Throwable t) {
        System.out.println(t);
        for (StackTraceElement e : t.getStackTrace()) {
            if (e.getClassName().startsWith("Traces")) {
                System.out.println("  " + e.getClassName() + "." + e.getMethodName() + ":" + e.getLineNumber());
            }
        }
    }

    static void members(Class<?> type) {
        TreeSet<String> names = new TreeSet<>();
        for (Method m : type.getDeclaredMethods()) {
            names.add(m.toString());
        }
        Arrays.stream(type.getDeclaredFields()).forEach(f -> names.add(f.toString()));
        Arrays.stream(type.getDeclaredConstructors()).forEach(c -> names.add(c.toString()));
        System.out.println(type + " " + names.size() + " " + names.hashCode());
    }

    public static void main(String[] args) {
        try {
            divide(1, 0);
        } catch (ArithmeticException e) {
            print(e);
        }
        try {
            new Failing(null);
        } catch (NullPointerException e) {
            print(e);
        }
        try {
            new Traces().locked(3);
        } catch (IllegalStateException e) {
            print(e);
        }
        members(Traces.class);
        members(String.class);
        members(Thread.class);
        members(java.util.HashMap.class);
        StackWalker.getInstance().forEach(f -> System.out.println(f.getMethodName() + ":" + f.getLineNumber()));
    }
}
