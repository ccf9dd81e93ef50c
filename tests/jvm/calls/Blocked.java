import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.Pipe;

/** Works for a while beside a thread that waits for input, then wakes that thread by closing its channel: the JDK does that with a signal. */
public class Blocked {
    static int work(int x) {
        return x % 3 == 0 ? x / 3 : more(x);
    }

    static int more(int x) {
        return x * 31 + 7;
    }

    public static void main(String[] args) throws Exception {
        Pipe pipe = Pipe.open();
        Thread reader = new Thread(() -> {
            try {
                pipe.source().read(ByteBuffer.allocate(10));
            } catch (AsynchronousCloseException e) {
                System.out.println("woken");
            } catch (Exception e) {
                System.out.println(e);
            }
        });
        reader.start();
        int x = 1;
        for (int i = 0; i < Integer.parseInt(args[0]); i++) x = work(x);
        System.out.println("computed " + x);
        pipe.source().close();
        reader.join();
    }
}
