import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/** Programs whose stacks are known: Shapes MODE SECONDS [DEPTH]. At least so long, and so much CPU time. */
public class Shapes {
    static volatile boolean stop;
    static long sink;

    static long spin(int n) {
        long x = n | 1;
        for (int i = 0; i < n; i++) {  // no compiler makes fewer steps of these
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
        }
        return x;
    }

    // shape: main -> tree -> {left, right} -> twig -> spin; recursion of depth 4.
    static void tree() { left(); right(); recurse(4); }
    static void left() { sink += twig(20000); sink += spin(30000); }
    static void right() { sink += twig(20000); }
    static long twig(int n) { return spin(n) + spin(n); }
    static void recurse(int n) { sink += spin(5000); if (n > 0) recurse(n - 1); }
    // uneven: the same, and between two rounds a pause of another length each time.

    // activations: one long activation beside very many short ones of the same shape.
    static void oneLong(int n) { for (int i = 0; i < n; i++) sink += spin(1000); }
    static void manyShort(int n) { for (int i = 0; i < n; i++) sink += shortOne(); }
    static long shortOne() { return spin(1000); }
    static void longOnes() { oneLong(40000); }

    // deep: all time is spent at the bottom of a deep recursion.
    static void dive(int depth) { if (depth == 0) bottom(); else dive(depth - 1); }
    static void bottom() { while (!stop) for (int i = 0; i < 100; i++) sink += step(i); }
    static long step(int i) { return i % 2 == 0 ? even(i) : odd(i); }
    static long even(int i) { return spin(2000 + i); }
    static long odd(int i) { return spin(2000 - i); }

    // unwind: hundreds of frames left by an exception, some caught half way.
    static int fall(int depth, int handler) {
        if (depth == 0) throw new IllegalStateException("bottom");
        if (depth == handler) {
            try {
                return fall(depth - 1, handler);
            } catch (IllegalStateException e) {
                sink += spin(500);
                if ((sink & 1) == 0) throw e;
                return depth;
            }
        }
        return fall(depth - 1, handler) + 1;
    }
    static void unwind(int depth) {
        try {
            sink += fall(depth, depth / 2);
        } catch (IllegalStateException e) {
            sink += spin(2000);
        }
    }

    // overflow: until the stack is full, again and again.
    static int forever(int n) { return forever(n + 1) + 1; }
    static void overflow() {
        try {
            sink += forever(0);
        } catch (StackOverflowError e) {
            sink += spin(2000);
        }
    }

    // waves: the stack grows and shrinks all the time, up to a megabyte of it touched for the first time.
    static int wave(int depth) {
        if (depth == 0) return (int) spin(300);
        return wave(depth - 1) + (depth % 64 == 0 ? (int) spin(50) : 1);
    }
    static void waves(int round) {
        sink += wave((int) (spin(round + 1) & 0x1fff));
        Thread fresh = new Thread(() -> sink += wave(3000));  // its stack has no pages yet
        fresh.start();
        join(fresh);
    }

    // deaths: threads that end with frames on their stack: by an exception, by Thread.stop where there is one.
    static int die(int depth, int how, AtomicBoolean end) {
        if (depth > 0) return die(depth - 1, how, end) + 1;
        if (how == 0) {
            sink += spin(20000);
            throw new IllegalStateException("nobody catches this");
        }
        while (how == 1 && !end.get()) sink += spin(500);
        return (int) spin(5000);
    }
    @SuppressWarnings("deprecation")
    static void deaths(int round) {
        Thread[] threads = new Thread[3];
        AtomicBoolean end = new AtomicBoolean();
        for (int i = 0; i < threads.length; i++) {
            int how = i;
            threads[i] = new Thread(() -> die(100 + round % 200, how, end));
            threads[i].setUncaughtExceptionHandler((thread, error) -> sink++);
            threads[i].start();
        }
        sink += spin(100000);
        try {
            Thread.class.getMethod("stop").invoke(threads[1]);
        } catch (ReflectiveOperationException e) {  // later JDKs refuse
            end.set(true);
        }
        for (Thread thread : threads) join(thread);
    }
    static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    // paths: hardly a context is ever seen twice.
    static long one(long bits, int depth) { return path(bits, depth) + 1; }
    static long two(long bits, int depth) { return path(bits, depth) + 2; }
    static long path(long bits, int depth) {
        if (depth == 0) return spin(3000);
        return (bits & 1) == 0 ? one(bits >>> 1, depth - 1) : two(bits >>> 1, depth - 1);
    }

    // mixed: everything in turns, natives and sorting and lambdas included.
    static void mixed(int round) {
        List<Integer> list = new ArrayList<>();
        for (int i = 0; i < 300; i++) list.add((i * 7919 + round) % 1000);
        list.sort((a, b) -> { sink += spin(20); return Integer.compare(a, b); });
        sink += list.stream().mapToInt(Integer::intValue).filter(x -> x % 3 == 0).sum();
        StringBuilder text = new StringBuilder();
        for (int i : list) text.append(String.format("%d,", i));
        sink += text.toString().split(",").length;
        try {
            sink += (Integer) Shapes.class.getDeclaredMethod("reflected", int.class).invoke(null, round);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
        tree();
        unwind(50 + round % 300);
        for (int i = 0; i < 200; i++) sink += step(i);
    }
    // lambda: all time is spent below a hidden class.
    static void lambda() {
        java.util.function.LongSupplier work = () -> spin(3000);
        for (int i = 0; i < 100; i++) sink += work.getAsLong();
    }
    static int reflected(int n) { return (int) spin(n % 1000 + 1000); }

    static void run(String mode, int depth) {
        if (mode.equals("deep")) { dive(depth); return; }
        for (int round = 0; !stop; round++) {
            switch (mode) {
                case "shape": tree(); break;
                case "uneven": tree(); sink += spin(round % 97 * 509 % 97 * 500); break;
                case "lambda": lambda(); break;
                case "activations": longOnes(); manyShort(40000); break;
                case "unwind": unwind(depth); break;
                case "overflow": overflow(); break;
                case "waves": waves(round); break;
                case "deaths": deaths(round); break;
                case "paths": sink += path(spin(round | 1), 30); break;
                default: mixed(round);
            }
        }
    }

    static void stopAfter(long millis) {
        long begin = System.nanoTime();
        try {
            do {
                Thread.sleep(50);
            } while (System.nanoTime() - begin < millis * 1_000_000
                    || ProcessHandle.current().info().totalCpuDuration().get().toMillis() < millis);
        } catch (InterruptedException e) {
            return;
        }
        stop = true;
    }

    public static void main(String[] args) throws Exception {
        String mode = args[0];
        long millis = (long) (Double.parseDouble(args[1]) * 1000);
        int depth = args.length > 2 ? Integer.parseInt(args[2]) : 300;
        Thread timer = new Thread(() -> stopAfter(millis));
        timer.setDaemon(true);
        timer.start();
        String[] each = mode.equals("threads") ? new String[] {"mixed", "mixed", "mixed", "mixed"}
                : mode.equals("storm") ? new String[] {"unwind", "overflow", "waves", "deaths"} : null;
        if (each != null) {
            Thread[] threads = new Thread[each.length];
            for (int i = 0; i < threads.length; i++) {
                String own = each[i];
                threads[i] = new Thread(null, () -> run(own, 400), own, 4 << 20);
                threads[i].start();
            }
            for (Thread thread : threads) thread.join();
        } else {
            run(mode, depth);
        }
        System.out.println("done " + (sink != 0));
    }
}
