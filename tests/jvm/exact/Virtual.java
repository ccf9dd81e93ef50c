import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;

/** Virtual threads that block in the middle of nested calls; compiled for JDK 21 and newer only. */
public class Virtual {
    static final Semaphore gate = new Semaphore(5);
    static volatile int sink;

    static void outer(int i) throws InterruptedException {
        gate.acquire();
        inner(i);
        Thread.sleep(1);
        gate.release();
        inner(i + 1);
    }

    static void inner(int i) {
        sink += leaf(i);
    }

    static int leaf(int i) {
        return i;
    }

    public static void main(String[] args) throws Exception {
        CountDownLatch done = new CountDownLatch(500);
        try (var executor = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 500; i++) {
                int n = i;
                executor.submit(() -> {
                    outer(n);
                    done.countDown();
                    return 0;
                });
            }
        }
        done.await();
        System.out.println("done");
    }
}
