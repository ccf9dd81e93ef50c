/** Methods left by exceptions that their own instructions throw, after work that they have summed up. */
public final class Thrown {
    static class Base {
        final int value;

        Base(int value) {
            this.value = value;
        }
    }

    static final class Derived extends Base {
        Derived(int[] values, int i) {
            super(i % 2 == 0 ? values[i] : values[i - 1]);
        }
    }

    static int leaf(int[] values, int i) {
        int sum = 0;
        if (i % 3 == 0) sum += i * 7 + (i >> 3);
        if (i % 5 == 0) sum ^= i * 11 - (i >> 2);
        return sum + values[i];
    }

    static int calls(Object[] values, int i) {
        int sum = i % 2 == 0 ? Integer.rotateLeft(helper(i), 3) : i;
        for (int k = 0; k < 5; k++) sum += k * i;
        return sum + ((Integer) values[i % values.length]);
    }

    static synchronized int divides(int i) {
        int zero = i % 4 == 0 ? 0 : 1;
        return i / zero;
    }

    static int helper(int i) {
        return i > 1000 ? i - 1 : i + 1;
    }

    static int round(int i) {
        int[] few = new int[3];
        Object[] mixed = {1, "two", null};
        int sum = 0;
        try {
            sum += leaf(few, i % 9);
        } catch (ArrayIndexOutOfBoundsException e) {
            sum++;
        }
        try {
            sum += calls(mixed, i);
        } catch (ClassCastException | NullPointerException e) {
            sum += 2;
        }
        try {
            sum += divides(i);
        } catch (ArithmeticException e) {
            sum += 3;
        }
        try {
            sum += new Derived(few, i % 9 + 1).value;
        } catch (ArrayIndexOutOfBoundsException e) {
            sum += 4;
        }
        return sum;
    }

    public static void main(String[] args) {
        int sum = 0;
        for (int i = 0; i < 100_000; i++) sum += round(i);
        System.out.println("sum " + sum);
    }
}
