/** A program whose calls stand in known ratios: main -> f 1, f -> g 3, g -> h and g -> k 1.5 each. */
public class Ratios {
    static int sink;

    static int f(int x) {
        int sum = 0;
        for (int i = 0; i < 3; i++) sum += g(x + i);
        return sum;
    }

    static int g(int x) {
        return (x & 1) == 0 ? h(x) : k(x);
    }

    static int h(int x) {
        sink += x;
        return x * 3;
    }

    static int k(int x) {
        sink ^= x;
        return x * 5;
    }

    /** Arguments: rounds of a million, or "forever". Prints a line per round of ten million with "forever". */
    public static void main(String[] args) throws Exception {
        boolean forever = args[0].equals("forever");
        int rounds = forever ? Integer.MAX_VALUE : Integer.parseInt(args[0]);
        int sum = 0;
        for (int round = 0; round < rounds; round++) {
            for (int i = 0; i < 1_000_000; i++) sum += f(i);
            if (forever && round % 10 == 0) System.out.println("round " + round);
        }
        System.out.println("sum " + sum + " sink " + sink);
    }
}
