/** Waits most of the time, and calls a little in between. Argument: milliseconds. */
public class Waits {
    static int sink;

    static int work(int x) {
        sink ^= x;
        return x * 31 + 7;
    }

    public static void main(String[] args) throws Exception {
        System.out.println("waits");
        long end = System.nanoTime() + Long.parseLong(args[0]) * 1_000_000;
        int x = 1;
        while (System.nanoTime() < end) {
            for (int i = 0; i < 2_000; i++) x = work(x);
            Thread.sleep(10);
        }
        System.out.println("waited");
    }
}
