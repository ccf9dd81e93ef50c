/** Recursion through four methods, each of which calls one of them by chance: no two chains of callers are alike. Argument: seconds. */
public class Chains {
    static long random = 88172645463325252L, sink;

    static int next() {
        random ^= random << 13;
        random ^= random >>> 7;
        random ^= random << 17;
        return (int) (random >>> 40) & 3;
    }

    static long on(int depth) {
        if (depth == 0) return random;
        switch (next()) {
            case 0: return a(depth - 1);
            case 1: return b(depth - 1);
            case 2: return c(depth - 1);
            default: return d(depth - 1);
        }
    }

    static long a(int depth) { return on(depth) + 1; }
    static long b(int depth) { return on(depth) + 2; }
    static long c(int depth) { return on(depth) + 3; }
    static long d(int depth) { return on(depth) + 4; }

    public static void main(String[] args) {
        long end = System.nanoTime() + Long.parseLong(args[0]) * 1_000_000_000;
        while (System.nanoTime() < end) {
            for (int i = 0; i < 1000; i++) sink += on(60);
        }
        System.out.println("done");
    }
}
