package assay.calibrate;

/** Small programs with objects and calls: each executes the same instructions in every call. */
final class KernelObjects {
    interface Shape {
        int area(int scale);
    }

    static class Square implements Shape {
        int side = 3;

        @Override
        public int area(int scale) {
            return side * side + scale;
        }
    }

    static class Strip implements Shape {
        int length = 5;

        @Override
        public int area(int scale) {
            return length + length * scale;
        }
    }

    static final class Dot extends Square {
        @Override
        public int area(int scale) {
            return scale ^ 1;
        }
    }

    static final class Ring extends Square {
        @Override
        public int area(int scale) {
            return side - scale;
        }
    }

    static final class Node {
        int value;
        Node next;
        Node other;

        Node(int value, Node next) {
            this.value = value;
            this.next = next;
        }
    }

    static final class Particle {
        double x = 1, y = 2, dx = 0.1, dy = 0.2;
        int steps;
    }

    /** Without a stack trace, whose cost is not the instruction's. */
    @SuppressWarnings("serial")
    static final class Signal extends RuntimeException {
        Signal() {
            super(null, null, false, false);
        }
    }

    private static final int SIZE = 1024;
    private static final Object[] OBJECTS = new Object[SIZE];
    private static final Shape[] SHAPES = new Shape[SIZE];
    private static final Square[] SQUARES = new Square[SIZE];
    private static final Strip STRIP = new Strip();
    private static final Particle PARTICLE = new Particle();
    private static final Signal SIGNAL = new Signal();
    private static final Object LOCK = new Object();
    private static Node list;
    static Object kept;

    static {
        for (int i = 0; i < SIZE; i++) {
            int kind = i * 7 % 11 % 3;
            SQUARES[i] = kind == 0 ? new Square() : kind == 1 ? new Dot() : new Ring();
            SHAPES[i] = kind == 2 ? STRIP : SQUARES[i];
            OBJECTS[i] = kind == 1 ? "text" : SHAPES[i];
            list = new Node(i, list);
        }
    }

    private KernelObjects() {}

    static int fields(int n) {
        Node node = list;
        node.value = n;
        for (int i = 0; i < n; i++) {
            node.value = node.value + i ^ node.value << 1;
        }
        return node.value;
    }

    static int walk(int n) {
        int sum = 0;
        for (Node node = list; node != null; node = node.next) {
            sum += node.value;
        }
        return sum;
    }

    static int particle(int n) {
        Particle p = PARTICLE;
        p.x = 1;
        p.y = 2;
        for (int i = 0; i < n; i++) {
            p.x += p.dx;
            p.y = p.y * 0.9 + p.dy;
            p.steps++;
        }
        return p.steps;
    }

    static int fieldsOfMany(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            Square square = SQUARES[i];
            sum += square.side;
            square.side = i & 7;
        }
        return sum;
    }

    static int fib(int n) {
        return recurse(n / 80);
    }

    private static int recurse(int n) {
        return n < 2 ? n : recurse(n - 1) + recurse(n - 2);
    }

    static int ackermann(int n) {
        return nested(2, n / 40);
    }

    private static int nested(int m, int n) {
        return m == 0 ? n + 1 : n == 0 ? nested(m - 1, 1) : nested(m - 1, nested(m, n - 1));
    }

    static int smallCalls(int n) {
        int x = n;
        for (int i = 0; i < n; i++) {
            x = step(x, i) + step(i, x);
        }
        return x;
    }

    private static int step(int a, int b) {
        return (a << 1 ^ b) + 7;
    }

    static int virtualCalls(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            sum += SQUARES[i].area(i);
        }
        return sum;
    }

    static int virtualCallsAndWork(int n) {
        int sum = 1;
        for (int i = 0; i < n; i++) {
            sum = (sum << 5 ^ sum >>> 3) + (i & 15);
            if ((i & 3) == 0) {
                sum ^= SQUARES[i].area(sum);
            }
        }
        return sum;
    }

    static int interfaceCalls(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            sum += SHAPES[i].area(i);
        }
        return sum;
    }

    static int interfaceCallsAndWork(int n) {
        int sum = 1;
        for (int i = 0; i < n; i++) {
            sum = sum * 31 + (sum >>> 7 ^ i);
            if ((i & 1) == 0) {
                sum += SHAPES[i].area(sum & 3);
            }
        }
        return sum;
    }

    static int oneReceiver(int n) {
        Shape shape = SHAPES[2] == STRIP ? STRIP : SHAPES[5];
        int sum = 0;
        for (int i = 0; i < n; i++) {
            sum ^= shape.area(sum + i);
        }
        return sum;
    }

    static int allocate(int n) {
        Node last = null;
        for (int i = 0; i < n; i++) {
            last = new Node(i, (i & 15) == 0 ? null : last);
        }
        kept = last;
        return last.value;
    }

    static int allocateAndWork(int n) {
        int x = 1;
        for (int i = 0; i < n; i++) {
            x = x * 31 + (x >>> 5 ^ i);
            if ((x & 1) == 0) {
                kept = new Particle();
            }
        }
        return x;
    }

    static int tree(int n) {
        Node root = grow(n / 125);
        kept = root;
        return depth(root);
    }

    private static Node grow(int depth) {
        Node node = new Node(depth, null);
        if (depth > 0) {
            node.next = grow(depth - 1);
            node.other = grow(depth - 1);
        }
        return node;
    }

    private static int depth(Node node) {
        return node == null ? 0 : 1 + Math.max(depth(node.next), depth(node.other));
    }

    static int arrays(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            int[] pair = new int[2 + (i & 3)];
            pair[0] = i;
            kept = pair;
            sum += pair.length;
        }
        return sum;
    }

    static int arraysOfObjects(int n) {
        int sum = 0;
        for (int i = 0; i < n / 4; i++) {
            Object[] some = new Object[8];
            for (int k = 0; k < 8; k++) {
                some[k] = OBJECTS[i + k];
            }
            kept = some;
            sum += some.length;
        }
        return sum;
    }

    static int grids(int n) {
        int sum = 0;
        for (int i = 0; i < n / 8; i++) {
            int[][] grid = new int[3][4];
            grid[i & 1][2] = i;
            kept = grid;
            sum += grid[0][2];
        }
        return sum;
    }

    static int casts(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            Object object = OBJECTS[i];
            if (object instanceof Square) {
                sum += ((Square) object).side;
            } else if (object instanceof String) {
                sum++;
            }
        }
        return sum;
    }

    static int castsToInterface(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            Object object = OBJECTS[i];
            sum += object instanceof Shape ? 3 : i;
        }
        return sum;
    }

    static int castsAndWork(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            sum = (sum << 3) - (sum >>> 1 ^ i);
            Square square = (Square) (Object) SQUARES[i];
            sum += square == null ? 1 : 2;
        }
        return sum;
    }

    static int monitors(int n) {
        int x = 0;
        for (int i = 0; i < n; i++) {
            synchronized (LOCK) {
                x += i;
            }
        }
        return x;
    }

    static int monitorsAndWork(int n) {
        int x = 1;
        for (int i = 0; i < n; i++) {
            x = x * 31 + (x >>> 5 ^ i);
            if ((i & 3) == 0) {
                synchronized (LOCK) {
                    x ^= list.value;
                }
            }
        }
        return x;
    }

    static int monitorsOfMany(int n) {
        int x = 1;
        for (int i = 0; i < n / 2; i++) {
            Square square = SQUARES[i & 7];
            synchronized (square) {
                square.side = square.side + 1 & 7;
                x += square.side;
            }
        }
        return x;
    }

    static int exceptions(int n) {
        int caught = 0;
        for (int i = 0; i < n / 16; i++) {
            try {
                fail(i, 2);
            } catch (Signal e) {
                caught++;
            }
        }
        return caught;
    }

    static int exceptionsAndWork(int n) {
        int x = 1;
        for (int i = 0; i < n / 4; i++) {
            x = x * 31 + (x >>> 5 ^ i);
            try {
                x += fail(i & 15, i & 3);
            } catch (Signal e) {
                x++;
            }
        }
        return x;
    }

    static int freshExceptions(int n) {
        int x = 1;
        for (int i = 0; i < n / 16; i++) {
            try {
                if ((i & 1) == 0) {
                    throw new Signal();
                }
                x += fail(i, 5);
            } catch (Signal e) {
                kept = e;
                x += i;
            }
        }
        return x;
    }

    /** Recursive, so that it is not inlined where its exception is caught. */
    private static int fail(int i, int depth) {
        if (depth > 0) {
            return fail(i, depth - 1) + 1;
        }
        if ((i & 1) == 0) {
            throw SIGNAL;
        }
        return i;
    }
}
