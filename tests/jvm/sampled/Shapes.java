import java.util.ArrayList;
import java.util.List;

/** Control flow that is hard on code duplication, with counts known by construction. */
public class Shapes {
    static int total;
    int own;
    final Object lock = new Object();

    static class Base {
        int kind() { return 1; }
    }

    static class Other extends Base {
        final int extra;
        Other(int extra) { this.extra = extra; }
        @Override int kind() { return 2; }
    }

    static void leaf() { total++; }

    /** Nested loops with continue and break to labels: leaf 5 * (0+1+2+3) = 30 times. */
    static void nested() {
        outer:
        for (int i = 0; i < 100; i++) {
            for (int j = 0; j < 10; j++) {
                if (j == i % 4) continue outer;
                if (i == 21) break outer;
                leaf();
            }
        }
    }

    /** Synchronized blocks, in a loop, left normally, by return and by an exception. */
    int locked(int n) {
        for (int i = 0; i < n; i++) {
            synchronized (lock) {
                own++;
                if (i == 7) return i;
                try {
                    if (i % 3 == 2) throw new IllegalStateException();
                    own++;
                } catch (IllegalStateException e) {
                    own += 10;
                } finally {
                    own++;
                }
            }
        }
        return n;
    }

    /** Objects under construction while branches, calls and loops run. */
    static Base made(int n) {
        return n % 2 == 0 ? new Other(n > 5 ? sum(n) : n < 2 ? 1 : sum(2)) : new Base();
    }

    static int sum(int n) {
        int s = 0;
        do {
            s += n;
        } while (--n > 0);
        return s;
    }

    static int switched(String text) {
        switch (text) {
            case "a": return 1;
            case "bb": leaf(); // falls through
            case "ccc": leaf(); return 3;
            default: return text.length();
        }
    }

    static long wide(long a, double b, int c, Object d, float e) { return a + (long) b + c; }

    /** Calls with arguments of every size below them. */
    static long arguments(List<Object> list, StringBuilder text) {
        text.setLength(0);
        text.insert(0, 'x').insert(0, 7L).insert(0, 1.5).insert(0, new char[] {'p', 'q', 'r'}, 1, 2);
        list.add(text);
        list.add(0, null);
        return wide(1L, 2.0, 3, list, 4f) + list.size();
    }

    static int thrown(int n) {
        int caught = 0;
        while (n-- > 0) {
            try {
                if (n % 5 == 0) throw new ArrayStoreException();
                if (n % 7 == 0) caught += 1 / (n % 7);
            } catch (ArrayStoreException e) {
                caught++;
                continue;
            } catch (ArithmeticException e) {
                caught += 100;
                if (caught > 1000) break;
            }
        }
        return caught;
    }

    public static void main(String[] args) {
        int rounds = args.length > 0 ? Integer.parseInt(args[0]) : 50;
        long result = 0;
        for (int round = 0; round < rounds; round++) {
            total = 0;
            nested();
            result = result * 31 + total;
            Shapes shapes = new Shapes();
            result = result * 31 + shapes.locked(round % 12) + shapes.own;
            for (int i = 0; i < 9; i++) result += made(i).kind() * (made(i) instanceof Other o ? o.extra : 3);
            for (String text : new String[] {"a", "bb", "ccc", "dddd"}) result += switched(text);
            StringBuilder text = new StringBuilder();
            List<Object> list = new ArrayList<>();
            result += arguments(list, text);
            result = result * 31 + text.toString().hashCode() + thrown(40);
        }
        System.out.println(result + " " + total);
    }
}
