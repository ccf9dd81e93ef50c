import java.lang.invoke.MethodHandles;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;

/** Everything a guarded call must leave as it is; prints what it sees. Run with and without a plan. */
public class Behaviour {
    interface Shape {
        int area(int x);

        default String describe(long a, double b, float c, Object d, byte e, int[] f) {
            return "shape " + area(1) + " " + a + " " + b + " " + c + " " + d + " " + e + " " + f.length;
        }
    }

    static class A implements Shape {
        int k = 3;

        public int area(int x) {
            return x + k;
        }

        long wide(long x, double y) {
            return x + (long) y;
        }

        void nothing() {
            k++;
        }

        int chain(A a, int x) {
            return a.area(x);
        }

        A same(A a) {
            return a;
        }

        protected int fails(int x) {
            if (x % 1000 == 7) throw new IllegalStateException("A " + x);
            return x;
        }
    }

    static class B extends A {
        @Override
        public int area(int x) {
            return x * 3;
        }

        @Override
        public String describe(long a, double b, float c, Object d, byte e, int[] f) {
            return "B";
        }

        @Override
        int chain(A a, int x) {
            return a.area(x) + a.area(x + 1);
        }

        @Override
        protected int fails(int x) {
            return x + super.fails(x + 1);
        }
    }

    static final class C extends B {
        @Override
        public int area(int x) {
            return x ^ 5;
        }

        @Override
        long wide(long x, double y) {
            return x - (long) y;
        }
    }

    /** Inherits everything: its calls end in methods of A. */
    static class D extends A {}

    static class Pair {
        final int left, right;

        Pair(int left, int right) {
            this.left = left;
            this.right = right;
        }

        Pair(A a) {
            this(a.area(1), a.area(2));
        }
    }

    /** Never touched by the program: a guard must not load it. */
    static class Never extends A {}

    /** Says when it is initialized. */
    static class Loud extends A {
        static {
            System.out.println("Loud is initialized");
        }
    }

    A field;
    A[] none = new A[2];

    A absent() {
        return null;
    }

    static long mixed(A[] all, int rounds) {
        long sum = 0;
        for (int i = 0; i < rounds; i++) {
            A a = all[i % all.length];
            Shape s = a;
            sum += a.area(i) + s.area(i);
            sum += a.wide(sum, i) ^ a.wide(i, 2.5);
            a.nothing();
            sum += i % 5 == 0 ? a.area(1) : s.area(2);
            Pair pair = new Pair(a.area(i), s.area(a.area(3)));
            sum += pair.left - pair.right + new Pair(a).left;
            try {
                sum += a.fails(i);
            } catch (IllegalStateException e) {
                sum += e.getMessage().length() + e.getStackTrace()[0].getLineNumber();
            } finally {
                sum += s.area(7);
            }
            synchronized (a) {
                sum += a.area(9);
            }
            if (i % 4096 == 0) sum += s.describe(i, 1.5, 2.5f, "x", (byte) 4, new int[3]).hashCode();
        }
        return sum;
    }

    void nulls() {
        A local = null;
        int[] numbers = {0};
        Runnable[] calls = {
            () -> field.area(1), () -> none[1].area(2), () -> absent().area(3),
            () -> ((Shape) field).describe(1, 2, 3, null, (byte) 1, null), () -> this.absent().nothing(),
        };
        for (Runnable call : calls) print(call);
        try {
            local.area(4);
        } catch (NullPointerException e) {
            print(e);
        }
        try {
            none[numbers[0]].wide(local.area(2), 3.0);
        } catch (NullPointerException e) {
            print(e);
        }
    }

    A last;

    /** Results that are kept and used: javac makes dup; store of them. */
    int copies(A a, A b) {
        A kept;
        int count = 0, index;
        for (A next = b; (kept = a.same(next)) != null; next = null) count += kept.k;
        for (int i = 0; (index = a.area(i)) < 40 && i < 50; i++) count += index;
        A other = last = a.same(b);
        count += other == null ? 1 : last.k;
        try {
            count += kept.area(count);
        } catch (NullPointerException e) {
            print(e);
        }
        try {
            count += (last = a.same(kept)).k;
        } catch (NullPointerException e) {
            print(e);
        }
        return count;
    }

    static void print(Runnable call) {
        try {
            call.run();
            System.out.println("no exception");
        } catch (Throwable e) {
            print(e);
        }
    }

    static void print(Throwable e) {
        System.out.println(e);
        for (StackTraceElement frame : e.getStackTrace()) {
            if (frame.getClassName().startsWith("Behaviour")) {
                System.out.println("  " + frame.getMethodName().replaceAll("\\$.*", "") + ":" + frame.getLineNumber());
            }
        }
    }

    static int linkage(Old old, int x) {
        return old.added(x);
    }

    static int access(Closed closed, int x) {
        return closed.open(x);
    }

    static int throughInterface(IntUnaryOperator f, int x) {
        return f.applyAsInt(x);
    }

    static int loaders(Path classes) throws Exception {
        int sum = 0;
        URL[] urls = {classes.toUri().toURL()};
        for (int i = 0; i < 3; i++) {
            URLClassLoader loader = new URLClassLoader(urls, ClassLoader.getPlatformClassLoader());
            Class<?> twin = loader.loadClass("Behaviour$A");
            if (twin == A.class) throw new AssertionError("not a twin");
            Method area = loader.loadClass("Behaviour").getDeclaredMethod("twin", int.class);
            area.setAccessible(true);
            for (int j = 0; j < 3000; j++) sum += (Integer) area.invoke(null, j);
        }
        return sum;
    }

    static int twin(int x) {
        A[] all = {new A(), new B(), new C(), new D()};
        return all[x % 4].area(x) + ((Shape) all[x % 3]).area(x);
    }

    static int hidden(Path classes) throws Exception {
        byte[] bytes = Files.readAllBytes(classes.resolve("Behaviour$D.class"));
        Class<?> type = MethodHandles.lookup().defineHiddenClass(bytes, true).lookupClass();
        A object = (A) type.getDeclaredConstructor().newInstance();
        byte[] caller = Files.readAllBytes(classes.resolve("Behaviour$B.class"));
        Class<?> calls = MethodHandles.lookup().defineHiddenClass(caller, true).lookupClass();
        A hiddenCaller = (A) calls.getDeclaredConstructor().newInstance();
        int sum = 0;
        for (int i = 0; i < 3000; i++) sum += hiddenCaller.chain(i % 3 == 0 ? object : hiddenCaller, i);
        System.out.println(sum);
        return twinOf(object, 5) + (int) mixed(new A[] {object, new A(), new C()}, 3000);
    }

    static int twinOf(A a, int x) {
        return a.area(x);
    }

    static String who(StackWalker walker) {
        return walker.walk(s -> s.limit(2).map(f -> f.getMethodName() + ":" + f.getLineNumber()).toList().toString());
    }

    static class Walking extends A {
        @Override
        public int area(int x) {
            System.out.println(who(StackWalker.getInstance()));
            return x;
        }
    }

    public static void main(String[] args) throws Exception {
        Path classes = Path.of(args[0]);
        A[] all = {new A(), new B(), new C(), new D(), new A(), new A()};
        System.out.println(mixed(all, 200_000));
        new Behaviour().nulls();
        for (A a : all) System.out.println(new Behaviour().copies(a, new C()));
        for (int i = 0; i < 2; i++) {
            print(() -> linkage(new OldOne(), 1));
            print(() -> access(new Closed(), 1));
        }
        List<IntUnaryOperator> operators = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            int k = i;
            operators.add(x -> x + k);
            operators.add(x -> x * k);
            operators.add(x -> x ^ k);
        }
        int sum = 0;
        for (int i = 0; i < 50_000; i++) sum += throughInterface(operators.get(i % operators.size()), i);
        System.out.println(sum);
        System.out.println(loaders(classes));
        System.out.println(hidden(classes));
        System.out.println("before Loud");
        System.out.println(twinOf(new Loud(), 3));
        System.out.println(twinOf(new Walking(), 3));
        System.out.println(mixed(all, 50_000));
    }
}
