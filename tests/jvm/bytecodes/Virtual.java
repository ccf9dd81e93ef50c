import java.util.concurrent.CountDownLatch;

/** Virtual threads, many at once; by reflection, so that an older compiler takes it. */
public class Virtual {
    public static void main(String[] args) throws Exception {
        var start = Thread.class.getMethod("startVirtualThread", Runnable.class);
        CountDownLatch done = new CountDownLatch(30_000);
        for (int i = 0; i < 30_000; i++) {
            start.invoke(null, (Runnable) () -> {
                Thread.yield();
                done.countDown();
            });
        }
        done.await();
        System.out.println("done");
    }
}
