/** Calls step() until the file named on the command line is gone. */
public class Forever {
    static long total;

    static int step(int x) {
        return half(x) + half(x + 1);
    }

    static int half(int x) {
        return x / 2;
    }

    public static void main(String[] args) {
        java.io.File file = new java.io.File(args[0]);
        System.out.println("ready");
        while (file.exists()) {
            for (int i = 0; i < 1000; i++) {
                total += step(i);
            }
        }
        System.out.println("ended");
    }
}
