/** Two kinds of work after one line that it reads, one of them after the next. */
public class Phases {
    static int alpha(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            sum += String.format("%d %s", i, Integer.toHexString(i)).split(" ").length;
        }
        return sum;
    }

    static int beta(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            sum += gamma(i, sum);
        }
        return sum;
    }

    static int gamma(int i, int sum) {
        return i * 31 ^ sum;
    }

    public static void main(String[] args) throws Exception {
        System.out.println("ready");
        while (System.in.read() >= 0) {
            System.out.println(alpha(5_000) + beta(500_000));
            System.in.read();
            System.out.println(beta(500_000));
        }
    }
}
