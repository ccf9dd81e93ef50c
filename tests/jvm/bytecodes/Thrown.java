/** Methods left by exceptions, of their own instructions and out of calls, after work that they have summed up. */
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

    /** Two methods that an exception passes through in the middle of a call. */
    static int outer(int i) {
        int sum = i % 2 == 0 ? i * 3 + (i >> 1) - (i >> 4) : i * 5 - (i >> 2) + (i >> 3);
        sum ^= inner(i, sum);
        return sum % 7 == 0 ? sum - 1 : sum + 1;
    }

    static int inner(int i, int sum) {
        if (i % 3 == 0) sum += i * 13 - (i >> 2) * 17 + (i >> 5);
        if (i % 7 != 0) sum = sum * 31 + helper(i);
        return sum + divides(i);
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
        try {
            sum += outer(i);
        } catch (ArithmeticException e) {
            sum += 5;
        }
        return sum;
    }

    public static void main(String[] args) {
        int sum = 0;
        for (int i = 0; i < 100_000; i++) sum += round(i);
        System.out.println("sum " + sum);
    }
}
