import java.lang.ref.WeakReference;

/** Threads that hold memory and end: with all of them kept there would be no room. */
public class DeadThreads {
    static class Holder extends Thread {
        byte[] memory = new byte[4 << 20];

        @Override
        public void run() {
            memory[0] = 1;
        }
    }

    static WeakReference<Thread> one() throws InterruptedException {
        Thread thread = new Holder();
        thread.start();
        thread.join();
        return new WeakReference<>(thread);
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 100; i++) one();
        WeakReference<Thread> last = one();
        for (int i = 0; i < 50 && last.get() != null; i++) {
            System.gc();
            Thread.sleep(20);
        }
        System.out.println("gone: " + (last.get() == null));
    }
}
