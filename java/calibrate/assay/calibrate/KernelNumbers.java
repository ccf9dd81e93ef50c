package assay.calibrate;

/** Small programs with arithmetic, branches and arrays: each executes the same instructions in every call. */
final class KernelNumbers {
    private static final int[] INTS = new int[1024];
    private static final int[] SCRATCH = new int[1024];
    private static final byte[] BYTES = new byte[1024];
    private static final char[] DIGITS = new char[1024];
    private static final double[] DOUBLES = new double[1024];
    private static final float[][] MATRIX = new float[12][12];
    private static final float[][] PRODUCT = new float[12][12];
    static int count;
    static long total;
    static double mean = 1;

    static {
        int x = 12345;
        for (int i = 0; i < 1024; i++) {
            x = x * 1103515245 + 12345;
            INTS[i] = x >>> 8;
            BYTES[i] = (byte) (x >> 16);
            DIGITS[i] = (char) ('0' + (x >>> 20) % 10);
            DOUBLES[i] = 1 + (x >>> 16) / 65536.0;
        }
        for (int i = 0; i < 144; i++) {
            MATRIX[i / 12][i % 12] = INTS[i] & 7;
        }
    }

    private KernelNumbers() {}

    static int add(int n) {
        int x = n;
        for (int i = 0; i < n; i++) {
            x = (x << 1) + (i ^ x >>> 3);
        }
        return x;
    }

    static int xorshift(int n) {
        int x = n;
        for (int i = 0; i < n; i++) {
            x ^= x << 13;
            x ^= x >>> 17;
            x ^= x << 5;
        }
        return x;
    }

    static int longs(int n) {
        long x = n, y = 1;
        for (long i = 0; i < n; i++) {
            long z = x + (y >>> 2) - i;
            x = y ^ z;
            y = z | 1;
        }
        return (int) (x + y);
    }

    static int multiply(int n) {
        int x = n;
        for (int i = 0; i < n; i++) {
            x = x * 31 + i * x;
        }
        return x;
    }

    static int multiplyMore(int n) {
        int x = n | 1, y = 3;
        for (int i = 0; i < n; i++) {
            x = x * y * (x + i) * 5;
            y = y * x | 1;
        }
        return x;
    }

    static int multiplyLongs(int n) {
        long x = n;
        for (int i = 0; i < n; i++) {
            x = x * 6364136223846793005L + 1442695040888963407L;
        }
        return (int) (x >>> 32);
    }

    static int divide(int n) {
        int x = 0;
        for (int i = 1; i < n; i++) {
            x += (n * 97 ^ x) / i;
        }
        return x;
    }

    static int gcd(int n) {
        int sum = 0;
        for (int i = 1; i < n / 4; i++) {
            int a = INTS[i] & 0xffff, b = INTS[i + 1] & 0xffff;
            while (b != 0) {
                int rest = a % b;
                a = b;
                b = rest;
            }
            sum += a;
        }
        return sum;
    }

    static int divideLongs(int n) {
        long x = 1L << 40;
        for (long i = 1; i < n; i++) {
            x = (x / i + x % i) | 1L << 40;
        }
        return (int) x;
    }

    static int divideAndWork(int n) {
        int x = n;
        for (int i = 1; i < n; i++) {
            x = (x ^ i << 3) + (x >>> 2);
            x += (x & 1023) / i + (x << 2 & 255);
        }
        return x;
    }

    static int floatAdd(int n) {
        double x = mean;
        for (int i = 0; i < n; i++) {
            x = x + 1.5;
            x = x - mean;
        }
        return x > 5 ? 1 : 0;
    }

    static int floatMultiply(int n) {
        double x = mean, y = 0;
        for (int i = 0; i < n; i++) {
            y = y * 0.5 + x * 0.25;
            x = x * 0.99 + y * 0.01;
        }
        return x > y ? 1 : 0;
    }

    static int polynomials(int n) {
        double sum = 0;
        for (int i = 0; i < n; i++) {
            double x = DOUBLES[i];
            sum += ((x * 0.3 + 1.1) * x - 0.7) * x + 0.2;
        }
        return sum > 0 ? 1 : 0;
    }

    static int floatDivide(int n) {
        double x = mean;
        for (int i = 0; i < n; i++) {
            x = 1 / (x + 0.5);
        }
        return x > 1 ? 1 : 0;
    }

    static int floatDivideMore(int n) {
        double x = mean, y = 2;
        for (int i = 0; i < n; i++) {
            x = DOUBLES[i] / y;
            y = (x + y) / 1.7 + 1 / (x + 1);
        }
        return x > y ? 1 : 0;
    }

    static int newton(int n) {
        float sum = 0;
        for (int i = 0; i < n / 8; i++) {
            float x = 2, square = INTS[i] & 255;
            for (int k = 0; k < 6; k++) {
                x = 0.5f * (x + square / x);
            }
            sum += x;
        }
        return (int) sum;
    }

    static int convert(int n) {
        double x = 0;
        int sum = 0;
        for (int i = 0; i < n; i++) {
            x = x + i * 0.3;
            sum += (int) x & 15;
        }
        return sum;
    }

    static int convertMore(int n) {
        long sum = 0;
        int x = n;
        for (int i = 0; i < n; i++) {
            x = (byte) (x + i) + (short) (x * 3);
            sum += (long) ((float) x * 1.5f) + (char) x;
        }
        return (int) sum;
    }

    static int convertLongs(int n) {
        long sum = 1;
        for (int i = 0; i < n; i++) {
            sum = (sum << 1) + (int) (sum >>> 7) + i;
        }
        return (int) sum;
    }

    static int collatz(int n) {
        int steps = 0;
        for (int i = 1; i < n / 16; i++) {
            for (int x = i; x != 1; steps++) {
                x = (x & 1) == 0 ? x >> 1 : x + x + x + 1;
            }
        }
        return steps;
    }

    static int branches(int n) {
        int a = 0, b = 0, c = 0;
        for (int i = 0; i < n; i++) {
            int x = INTS[i];
            if ((x & 1) != 0) {
                a++;
            } else if ((x & 2) != 0) {
                b += 3;
            }
            if ((x & 12) == 4) {
                c--;
            }
        }
        return a + b + c;
    }

    static int switchTable(int n) {
        int x = 1;
        for (int i = 0; i < n; i++) {
            switch (INTS[i] & 7) {
                case 0: x += 3; break;
                case 1: x ^= i; break;
                case 2: x <<= 1; break;
                case 3: x -= i; break;
                case 4: x |= 5; break;
                case 5: x >>>= 2; break;
                default: x++;
            }
        }
        return x;
    }

    static int switchLookup(int n) {
        int x = 1;
        for (int i = 0; i < n; i++) {
            switch (BYTES[i] & 0x71) {
                case 1: x += 3; break;
                case 0x10: x ^= i; break;
                case 0x31: x <<= 1; break;
                case 0x60: x -= i; break;
                default: x++;
            }
        }
        return x;
    }

    static int interpreter(int n) {
        int a = 0, b = 1;
        for (int pc = 0, steps = 0; steps < n; steps++) {
            switch (pc++) {
                case 0: a = a + b; break;
                case 1: b = a ^ steps; break;
                case 2: if ((a & 1) == 0) { pc = 4; } break;
                case 3: a = a << 1 | 1; break;
                case 4: b++; break;
                default: pc = 0;
            }
        }
        return a + b;
    }

    static int arraySum(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            sum = (sum ^ INTS[i]) + 1;
        }
        return sum;
    }

    static int gather(int n) {
        int at = 0, sum = 0;
        for (int i = 0; i < n; i++) {
            at = INTS[at] + i & 1023;
            sum += BYTES[at];
        }
        return sum;
    }

    static int hash(int n) {
        int hash = 7;
        byte[] bytes = BYTES;
        for (int i = 0; i < n; i++) {
            hash = 31 * hash + bytes[i];
        }
        return hash;
    }

    static int prefix(int n) {
        int[] a = SCRATCH, b = INTS;
        a[0] = 1;
        for (int i = 1; i < n; i++) {
            a[i] = (a[i - 1] ^ b[i]) + (a[i - 1] >>> 1);
        }
        return a[n - 1];
    }

    static int histogram(int n) {
        int[] bins = SCRATCH;
        for (int i = 0; i < 256; i++) {
            bins[i] = 0;
        }
        for (int i = 0; i < n; i++) {
            bins[BYTES[i] & 255]++;
        }
        return bins[17];
    }

    static int sieve(int n) {
        int[] marks = SCRATCH;
        for (int i = 0; i < n; i++) {
            marks[i] = 0;
        }
        int primes = 0;
        for (int i = 2; i < n; i++) {
            if (marks[i] == 0) {
                primes++;
                for (int k = i + i; k < n; k += i) {
                    marks[k] = 1;
                }
            }
        }
        return primes;
    }

    static int sort(int n) {
        int[] a = SCRATCH;
        int size = n / 16;
        for (int i = 0; i < size; i++) {
            a[i] = INTS[i];
        }
        for (int i = 1; i < size; i++) {
            int x = a[i], k = i - 1;
            while (k >= 0 && a[k] > x) {
                a[k + 1] = a[k];
                k--;
            }
            a[k + 1] = x;
        }
        return a[size / 2];
    }

    static int matrix(int n) {
        for (int i = 0; i < 12; i++) {
            for (int k = 0; k < 12; k++) {
                float sum = 0;
                for (int m = 0; m < 12; m++) {
                    sum += MATRIX[i][m] * MATRIX[m][k];
                }
                PRODUCT[i][k] = sum;
            }
        }
        return (int) PRODUCT[3][4];
    }

    static int parse(int n) {
        int sum = 0, value = 0;
        for (int i = 0; i < n; i++) {
            char c = DIGITS[i];
            if (c < '8') {
                value = value * 10 + (c - '0');
            } else {
                sum += value;
                value = 0;
            }
        }
        return sum;
    }

    static int statics(int n) {
        for (int i = 0; i < n; i++) {
            count += i;
            total ^= count;
        }
        return (int) total;
    }

    static int staticsAndWork(int n) {
        int x = n;
        for (int i = 0; i < n; i++) {
            x = (x << 3 ^ x >>> 2) + i;
            if ((x & 3) == 0) {
                count = x + count;
            }
        }
        return x;
    }

    static int staticFloats(int n) {
        mean = n;
        for (int i = 0; i < n; i++) {
            mean = mean * 0.75 + 0.25;
        }
        return mean > 2 ? 1 : 0;
    }
}
