import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.function.Supplier;

/**
 * Calls of every kind, each with a count that is known. Prints what an exact profile must contain:
 * "callee NAME COUNT" for all calls of a method, "edge CALLER CALLEE COUNT" for those by one caller.
 */
public class Known {
    interface Shape {
        int area(int x);

        default int twice(int x) {
            return 2 * area(x);
        }
    }

    static class Square implements Shape {
        public int area(int x) {
            return x * x;
        }
    }

    static class Line implements Shape {
        public int area(int x) {
            return 0;
        }

        @Override
        public int twice(int x) {
            return Shape.super.twice(x) + 1;
        }
    }

    static class Base {
        final int value;

        Base(int value) {
            this.value = check(value);
        }

        static int check(int value) {
            if (value < 0) {
                throw new IllegalArgumentException("negative");
            }
            return value;
        }
    }

    static class Derived extends Base {
        Derived(int value) {
            super(prepare(value));
        }

        static int prepare(int value) {
            if (value == -7) {
                throw new IllegalStateException("seven");
            }
            return value;
        }
    }

    static class Lazy {
        static int initialized;

        static {
            initialized = start();
        }

        static int start() {
            return 1;
        }
    }

    static final StringBuilder expected = new StringBuilder();

    static void callee(String method, long count) {
        expected.append("callee Known").append(method).append(' ').append(count).append('\n');
    }

    static void edge(String caller, String method, long count) {
        expected.append("edge Known").append(caller).append(" Known").append(method).append(' ')
                .append(count).append('\n');
    }

    static int f(int x) {
        return x + 1;
    }

    private int g(int x) {
        return f(x) + f(x);
    }

    synchronized int locked(int x) {
        return x;
    }

    static int recursive(int n) {
        return n == 0 ? 0 : 1 + recursive(n - 1);
    }

    static int fib(int n) {
        return n < 2 ? n : fib(n - 1) + fib(n - 2);
    }

    static void thrower(int depth) {
        if (depth == 0) {
            throw new RuntimeException("bottom");
        }
        thrower(depth - 1);
    }

    static int shapes(Shape[] shapes, int rounds) {
        int sum = 0;
        for (int i = 0; i < rounds; i++) {
            sum += shapes[i % shapes.length].area(i);
        }
        return sum;
    }

    static int handled(int x) {
        return x + 3;
    }

    static int reflected(int x) {
        return x + 4;
    }

    static int viaReference(int x) {
        return x + 5;
    }

    static int inThread(int x) {
        return x + 6;
    }

    static void plainCalls() {
        Known known = new Known();
        int sum = 0;
        for (int i = 0; i < 1000; i++) {
            sum += known.g(i);
            if (i % 3 == 0) {
                sum += known.locked(i);
            }
        }
        callee(".f(I)I", 2000 + 50);
        callee(".g(I)I", 1000);
        callee(".locked(I)I", 334 + 5);
        edge(".g(I)I", ".f(I)I", 2000);
        System.out.println("plain " + sum);
    }

    static void dispatch() {
        Shape square = new Square();
        Shape line = new Line();
        int sum = shapes(new Shape[] {square, line, square}, 300);
        sum += square.twice(3) + line.twice(4);
        callee("$Square.area(I)I", 200 + 1);
        callee("$Line.area(I)I", 100 + 1);
        callee("$Shape.twice(I)I", 2);
        callee("$Line.twice(I)I", 1);
        edge(".shapes([LKnown$Shape;I)I", "$Square.area(I)I", 200);
        System.out.println("dispatch " + sum);
    }

    static void recursion() {
        System.out.println("recursion " + recursive(500) + " " + fib(15));
        callee(".recursive(I)I", 501 + 10);
        edge(".recursive(I)I", ".recursive(I)I", 500);
        callee(".fib(I)I", 1973);
        edge(".fib(I)I", ".fib(I)I", 1972);
    }

    static void exceptions() {
        int caught = 0;
        for (int i = 0; i < 50; i++) {
            try {
                thrower(20);
            } catch (RuntimeException e) {
                caught += f(0);
            }
        }
        callee(".thrower(I)V", 50 * 21);
        edge(".exceptions()V", ".f(I)I", 50);
        for (int i = -10; i < 10; i++) {
            try {
                caught += new Derived(i).value;
            } catch (IllegalArgumentException | IllegalStateException e) {
                caught += recursive(0);
            }
        }
        callee("$Derived.<init>(I)V", 20);
        callee("$Derived.prepare(I)I", 20);
        callee("$Base.<init>(I)V", 19);
        callee("$Base.check(I)I", 19);
        edge(".exceptions()V", ".recursive(I)I", 10);
        System.out.println("exceptions " + caught);
    }

    static void lambdas() {
        int captured = caughtValue();
        IntUnaryOperator lambda = x -> x + captured;
        IntUnaryOperator reference = Known::viaReference;
        Supplier<Known> constructor = Known::new;
        int sum = 0;
        for (int i = 0; i < 400; i++) {
            sum += lambda.applyAsInt(i) + reference.applyAsInt(i);
        }
        for (int i = 0; i < 5; i++) {
            sum += constructor.get().locked(1);
        }
        callee(".lambda$lambdas$0(II)I", 400);
        callee(".viaReference(I)I", 400);
        edge(".lambdas()V", ".lambda$lambdas$0(II)I", 400);
        edge(".lambdas()V", ".viaReference(I)I", 400);
        edge(".lambdas()V", ".locked(I)I", 5);
        System.out.println("lambdas " + sum);
    }

    static int caughtValue() {
        return 11;
    }

    static void reflection() throws Throwable {
        var method = Known.class.getDeclaredMethod("reflected", int.class);
        int sum = 0;
        for (int i = 0; i < 60; i++) {
            sum += (int) method.invoke(null, i);
        }
        MethodHandle handle = MethodHandles.lookup().findStatic(Known.class, "handled",
                MethodType.methodType(int.class, int.class));
        for (int i = 0; i < 70; i++) {
            sum += (int) handle.invokeExact(i);
        }
        callee(".reflected(I)I", 60);
        callee(".handled(I)I", 70);
        System.out.println("reflection " + sum);
    }

    static void initializers() {
        System.out.println("initializers " + Lazy.initialized);
        callee("$Lazy.<clinit>()V", 1);
        callee("$Lazy.start()I", 1);
    }

    static int g2(int x) {
        return f2(x);
    }

    static int f2(int x) {
        return x;
    }

    static void natives() {
        int[] a = new int[10];
        int same = 0;
        Object plain = new Object();
        for (int i = 0; i < 123; i++) {
            System.arraycopy(a, 0, a, 1, 5);
            same += plain.hashCode() == System.identityHashCode(plain) ? 1 : 0;
            same += a.clone().length;
        }
        expected.append("native Known.natives()V java.lang.System.arraycopy 123\n");
        expected.append("native Known.natives()V java.lang.Object.hashCode 123\n");
        expected.append("native Known.natives()V java.lang.Object.clone 123\n");
        System.out.println("natives " + same);
    }

    static class Worker extends Thread {
        int result;

        @Override
        public void run() {
            for (int i = 0; i < 20000; i++) {
                result += inThread(i);
            }
        }
    }

    static void threads() throws InterruptedException {
        List<Worker> workers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            workers.add(new Worker());
        }
        for (Worker worker : workers) {
            worker.start();
        }
        long sum = 0;
        for (Worker worker : workers) {
            worker.join();
            sum += worker.result;
        }
        callee("$Worker.run()V", 4);
        callee(".inThread(I)I", 80000);
        edge("$Worker.run()V", ".inThread(I)I", 80000);
        System.out.println("threads " + sum);
    }

    static int switched(int x) {
        switch (x % 4) {
            case 0:
                return f2(x);
            case 1:
                return g2(x);
            default:
                return f2(g2(x));
        }
    }

    static void switches() {
        int sum = 0;
        for (int i = 0; i < 100; i++) {
            sum += switched(i);
        }
        edge(".switched(I)I", ".f2(I)I", 25 + 50);
        edge(".switched(I)I", ".g2(I)I", 25 + 50);
        System.out.println("switches " + sum);
    }

    public static void main(String[] args) throws Throwable {
        plainCalls();
        dispatch();
        recursion();
        exceptions();
        lambdas();
        reflection();
        initializers();
        natives();
        threads();
        switches();
        System.out.print(expected);
        if (args.length > 0) {
            System.exit(Integer.parseInt(args[0]));
        }
    }
}
