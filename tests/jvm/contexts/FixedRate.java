import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** FixedRate SECONDS: four threads do the same short work every 8 ms, as timers and scheduled executors do, in step with the kernel's clock. */
public class FixedRate {
    static final long PERIOD_NS = TimeUnit.MILLISECONDS.toNanos(8);
    static volatile long sink;

    static long step(long x) { x ^= x << 13; x ^= x >>> 7; return x ^ x << 17; }
    static long part(long x) {
        for (int i = 0; i < 1000; i++) x = step(x);
        return x;
    }
    static long work(long x) {
        for (int i = 0; i < 400; i++) x = part(x);
        return x;
    }
    static void first() { sink += work(1); }
    static void second() { sink += work(2); }
    static void third() { sink += work(3); }
    static void fourth() { sink += work(4); }

    static void every8ms(Runnable task, long begin, long end) {
        for (long next = begin; next < end; next += PERIOD_NS) {
            for (long left; (left = next - System.nanoTime()) > 0;) LockSupport.parkNanos(left);
            task.run();
        }
    }

    public static void main(String[] args) throws Exception {
        Runnable[] tasks = {FixedRate::first, FixedRate::second, FixedRate::third, FixedRate::fourth};
        Thread[] threads = new Thread[tasks.length];
        long begin = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(50), end = begin + TimeUnit.SECONDS.toNanos(Long.parseLong(args[0]));
        for (int i = 0; i < tasks.length; i++) {
            Runnable task = tasks[i];
            long own = begin + i * PERIOD_NS / tasks.length;
            threads[i] = new Thread(() -> every8ms(task, own, end));
            threads[i].start();
        }
        for (Thread thread : threads) thread.join();
        System.out.println("done " + (sink != 0));
    }
}
