/** Calls of what is not rewritten: constructors of another class, and native methods that throw. */
public class Unseen {
    static class Other {
        final int value;

        Other(int value) {
            this.value = value;
        }
    }

    static class Derived extends Other {
        Derived(int value) {
            super(value);
        }
    }

    static class Failing {
        static {
            if (true) {
                throw new AssertionError("not initialized");
            }
        }

        static void never() {}
    }

    static void construct(int i) {
        new Other(i);
        new Derived(i + new Other(2).value);
    }

    static int copyTooMuch() {
        try {
            System.arraycopy(new int[1], 0, new int[1], 0, 5);
        } catch (ArrayIndexOutOfBoundsException e) {
            return 1;
        }
        return 0;
    }

    static int copyTooMuchAndLeave(Object lock) {
        synchronized (lock) {
            System.arraycopy(new int[1], 0, new int[1], 0, 5);
        }
        return 0;
    }

    static int notify(Object object) {
        try {
            object.notify();
        } catch (IllegalMonitorStateException | NullPointerException e) {
            return 1;
        }
        return 0;
    }

    static int callNever() {
        try {
            Failing.never();
        } catch (LinkageError | AssertionError e) {
            return 1;
        }
        return 0;
    }

    public static void main(String[] args) {
        int thrown = 0;
        for (int i = 0; i < 10; i++) {
            construct(i);
            thrown += copyTooMuch() + notify(args) + notify(null) + callNever();
            try {
                copyTooMuchAndLeave(args);
            } catch (ArrayIndexOutOfBoundsException e) {
                thrown++;
            }
        }
        System.out.println(thrown);
    }
}
