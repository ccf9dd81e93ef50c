/** Calls in a loop until a line arrives on standard input. */
public class Forever {
    static int total;

    static void step(int i) { total += i; }

    public static void main(String[] args) throws Exception {
        Thread worker = new Thread(() -> {
            while (true) {
                for (int i = 0; i < 1000; i++) step(i);
            }
        });
        worker.setDaemon(true);
        worker.start();
        System.out.println(ProcessHandle.current().pid());
        System.in.read();
    }
}
