/** step() calls before() and after() once each, and one of odd() and even() in between. */
public class Flow {
    static int sink;

    static void before(int x) {
        sink += x;
    }

    static void odd(int x) {
        sink ^= x;
    }

    static void even(int x) {
        sink -= x;
    }

    static void after(int x) {
        sink *= x | 1;
    }

    static void step(int x) {
        before(x);
        if ((x & 3) != 0) odd(x); else even(x);
        after(x);
    }

    public static void main(String[] args) {
        for (int i = 0; i < Integer.parseInt(args[0]); i++) step(i);
        System.out.println("sink " + sink);
    }
}
