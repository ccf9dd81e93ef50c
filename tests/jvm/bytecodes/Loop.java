/** More bytecodes than an int holds, in a loop without calls, and nothing after it. */
public class Loop {
    public static void main(String[] args) {
        int sum = 0;
        for (int i = 0; i < 400_000_000; i++) {
            sum += i ^ sum;
        }
        if (sum == 42) {
            System.exit(sum);
        }
    }
}
