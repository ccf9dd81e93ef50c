import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

/** Code of every shape that the encoder has to handle; prints what it computes. */
public class Shapes {
    static class Base {
        final int value;

        Base(int value) {
            if (value < 0) throw new IllegalArgumentException("negative");
            this.value = value;
        }
    }

    /** Branches, and an exception, before super(...); a handler after it. */
    static class Derived extends Base {
        final String text;

        Derived(String number, boolean twice) {
            super(twice ? 2 * Integer.parseInt(number) : Integer.parseInt(number));
            String t;
            try {
                t = "<" + number.charAt(3) + ">";
            } catch (StringIndexOutOfBoundsException e) {
                t = "short";
            }
            text = t;
        }

        Derived(int n) {
            this(String.valueOf(n), n > 10);
        }
    }

    static long switches(int n, String s) {
        long sum = 0;
        for (int i = 0; i < n; i++) {
            switch (i % 7) {
                case 0: sum += 1; break;
                case 1: sum += 10; // falls through
                case 2: sum += 100; break;
                case 5: continue;
                default: sum += 1000;
            }
            switch (i * 1000) {
                case -5: sum = 0; break;
                case 3000: sum += 3; break;
                case 1000000: sum += 4; break;
                default:
            }
            switch (s) {
                case "a": sum += 7; break;
                case "b": sum += 8; break;
                default: sum += 9;
            }
        }
        return sum;
    }

    static String handlers(int n) {
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < n; i++) {
            try {
                try {
                    if (i % 3 == 0) throw new IllegalStateException("s" + i);
                    if (i % 3 == 1) out.append(10 / (i - 1));
                    out.append('.');
                } catch (ArithmeticException | NullPointerException e) {
                    out.append(e.getClass().getSimpleName());
                    if (i == 1) continue;
                } finally {
                    out.append('f');
                }
            } catch (RuntimeException e) {
                out.append(e.getMessage());
            }
            synchronized (out) {
                out.append('|');
            }
        }
        return out.toString();
    }

    static Object merge(int kind) {
        Object o = kind == 0 ? new ArrayList<String>() : kind == 1 ? "text" : kind == 2 ? new int[] {1, 2} : null;
        Comparable<?> c = kind > 5 ? Integer.valueOf(kind) : String.valueOf(kind);
        long wide = kind;
        double real = kind / 2.0;
        while (wide < 20) {
            wide += 7;
            if (real > 1) {
                int[][] grid = new int[3][4];
                grid[1][2] = (int) wide;
                real -= grid[1][2] / 10.0;
            }
        }
        return (o instanceof int[] ? "ints" + ((int[]) o).length : String.valueOf(o)) + c + wide + real;
    }

    static String lambdas(int n) {
        List<IntFunction<String>> list = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            int fixed = i;
            list.add(x -> fixed + ":" + x);
        }
        StringBuilder out = new StringBuilder();
        for (IntFunction<String> f : list) out.append(f.apply(out.length())).append(' ');
        return out.toString();
    }

    static long manyLocals() {
        long a0 = 1, a1 = 2, a2 = 3, a3 = 4, a4 = 5, a5 = 6, a6 = 7, a7 = 8, a8 = 9, a9 = 10;
        int counter = 0;
        for (; counter < 70000; counter += 1000) {
            a0 += a9;
            a9 ^= a0 + a1 + a2 + a3 + a4 + a5 + a6 + a7 + a8;
        }
        return a9;
    }

    public static void main(String[] arguments) {
        System.out.println(switches(40, "a") + " " + switches(41, "b") + " " + switches(42, "c"));
        System.out.println(handlers(12));
        for (int i = 0; i < 8; i++) System.out.println(merge(i));
        System.out.println(lambdas(4));
        System.out.println(manyLocals());
        for (String s : new String[] {"5", "12345", "x", "-3"}) {
            for (boolean twice : new boolean[] {false, true}) {
                try {
                    Derived d = new Derived(s, twice);
                    System.out.println(d.value + d.text);
                } catch (RuntimeException e) {
                    System.out.println(e.getClass().getName());
                }
            }
        }
        System.out.println(new Derived(77).value);
        System.out.println("done");
    }
}
