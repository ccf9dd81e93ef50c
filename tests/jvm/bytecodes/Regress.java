/** A program whose argument says how many calls too many one of its methods makes. */
public class Regress {
    static int step(int i) {
        int s = i;
        for (int k = 0; k < 20; k++) {
            s = s * 31 + k;
        }
        return s;
    }

    static int steady(int n) {
        int s = 0;
        for (int i = 0; i < n; i++) {
            s += step(i);
        }
        return s;
    }

    /** What it does too much, it does itself. */
    static int slower(int i) {
        int s = i;
        for (int k = 0; k < 10; k++) {
            s ^= s << 3;
        }
        return s;
    }

    public static void main(String[] args) {
        int extra = Integer.parseInt(args[0]);
        int s = steady(4000);
        for (int i = 0; i < 100 + extra; i++) {
            s += slower(i);
        }
        System.out.println(s == 0 ? "zero" : "done");
    }
}
