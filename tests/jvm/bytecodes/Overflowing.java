/** Runs out of stack again and again, in the middle of whatever a profiler does there, and then goes on. */
public class Overflowing {
    static int deeper(int n) {
        return deeper(n + 1) + 1;
    }

    static int work(int n) {
        int s = 0;
        for (int i = 0; i < n; i++) {
            s += step(i);
        }
        return s;
    }

    static int step(int i) {
        return i % 3 == 0 ? Math.abs(i) : i * 2;
    }

    public static void main(String[] args) {
        int overflows = 0;
        for (int i = 0; i < 300; i++) {
            try {
                deeper(i);
            } catch (StackOverflowError e) {
                overflows++;
            }
        }
        System.out.println(overflows + " " + work(100_000));
    }
}
