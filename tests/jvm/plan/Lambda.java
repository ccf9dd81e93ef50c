/** A loop into which C2 inlines a method of a hidden class. */
public class Lambda {
    static long loop(int n) {
        java.util.function.LongUnaryOperator step = x -> x * 31 + 7;
        long sum = 0;
        for (int i = 0; i < n; i++) sum = step.applyAsLong(sum) ^ i;
        return sum;
    }

    public static void main(String[] arguments) {
        long sum = 0;
        for (int i = 0; i < 20_000; i++) sum += loop(2_000);
        System.out.println(sum);
    }
}
