import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;

/** Waiting N: N virtual threads that compute, block and compute again at some depth. */
public class Waiting {
    static final AtomicLong SUM = new AtomicLong();

    static long spin(int n) {
        long x = n | 1;
        for (int i = 0; i < n; i++) {  // no compiler makes fewer steps of these
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
        }
        return x;
    }

    static void down(int depth, int rounds) throws InterruptedException {
        if (depth > 0) {
            down(depth - 1, rounds);
            return;
        }
        for (int i = 0; i < rounds; i++) {
            SUM.addAndGet(spin(20000));
            Thread.sleep(1);
        }
    }

    public static void main(String[] args) throws Exception {
        int count = Integer.parseInt(args[0]);
        CountDownLatch done = new CountDownLatch(count);
        var start = Thread.class.getMethod("startVirtualThread", Runnable.class);
        for (int i = 0; i < count; i++) {
            int depth = i % 30;
            Runnable task = () -> {
                try {
                    down(depth, 100);
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                } finally {
                    done.countDown();
                }
            };
            start.invoke(null, task);
        }
        done.await();
        System.out.println("done " + (SUM.get() != 0));
    }
}
