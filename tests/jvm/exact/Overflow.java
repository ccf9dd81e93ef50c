/** Runs out of stack again and again, once inside a super constructor, and goes on counting. */
public class Overflow {
    static class Base {
        Base(int n) {
            new Derived(n + 1);
        }
    }

    static class Derived extends Base {
        Derived(int n) {
            super(n);
        }
    }

    static int overflow(int n) {
        return overflow(n + 1) + 1;
    }

    static int after(int x) {
        return leaf(x);
    }

    static int leaf(int x) {
        return x;
    }

    public static void main(String[] args) {
        int survived = 0;
        for (int i = 0; i < 3; i++) {
            try {
                overflow(0);
            } catch (StackOverflowError e) {
                survived += after(1);
            }
            try {
                new Derived(0);
            } catch (StackOverflowError e) {
                survived += after(1);
            }
        }
        System.out.println("survived " + survived);
    }
}
