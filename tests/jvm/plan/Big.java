/** A hot loop over a callee that is too big for HotSpot to inline; run() never ends when told so. */
public class Big {
    static long big(long x) {
        x = x * 3 + (x >>> 1);
        x = x * 5 + (x >>> 2);
        x = x * 7 + (x >>> 3);
        x = x * 9 + (x >>> 4);
        x = x * 11 + (x >>> 5);
        x = x * 13 + (x >>> 6);
        x = x * 15 + (x >>> 7);
        x = x * 17 + (x >>> 1);
        x = x * 19 + (x >>> 2);
        x = x * 21 + (x >>> 3);
        x = x * 23 + (x >>> 4);
        x = x * 25 + (x >>> 5);
        x = x * 27 + (x >>> 6);
        x = x * 29 + (x >>> 7);
        x = x * 31 + (x >>> 1);
        x = x * 33 + (x >>> 2);
        x = x * 35 + (x >>> 3);
        x = x * 37 + (x >>> 4);
        x = x * 39 + (x >>> 5);
        x = x * 41 + (x >>> 6);
        x = x * 43 + (x >>> 7);
        x = x * 45 + (x >>> 1);
        x = x * 47 + (x >>> 2);
        x = x * 49 + (x >>> 3);
        x = x * 51 + (x >>> 4);
        x = x * 53 + (x >>> 5);
        x = x * 55 + (x >>> 6);
        x = x * 57 + (x >>> 7);
        x = x * 59 + (x >>> 1);
        x = x * 61 + (x >>> 2);
        x = x * 63 + (x >>> 3);
        x = x * 65 + (x >>> 4);
        x = x * 67 + (x >>> 5);
        x = x * 69 + (x >>> 6);
        x = x * 71 + (x >>> 7);
        x = x * 73 + (x >>> 1);
        x = x * 75 + (x >>> 2);
        x = x * 77 + (x >>> 3);
        x = x * 79 + (x >>> 4);
        x = x * 81 + (x >>> 5);
        return x;
    }

    static long loop(int rounds) {
        long sum = 0;
        for (int i = 0; i < rounds; i++) sum += big(i);
        return sum;
    }

    public static void main(String[] args) throws Exception {
        long sum = 0;
        for (int i = 0; i < 400; i++) sum += loop(1000);
        System.out.println(sum);
        while (args.length > 0) {
            sum += loop(100);
            Thread.sleep(1);
        }
    }
}
