package assay.runtime;

/**
 * One thread's bytecode counter and reified stack. For rewritten methods only; not an interface for programs.
 *
 * <p>The calls are the same as those of the native agent's {@code AssayCounter} (src/instrument/count_pass.cc shows
 * what rewritten methods do with them). This one is plain Java for any JVM, and only application classes use it: the
 * JDK's own classes are not rewritten, so it may call anything.
 */
public final class Counter {
    private static final int IDLE = 1 << 30;
    private static final int IN_CALL = Integer.MIN_VALUE;

    private static final Object LOCK = new Object();
    private static Counter[] table = new Counter[1024];
    private static int threads;
    private static final ProfilingAgent AGENT = loadAgent();

    /** Bytecodes left until the next sample. */
    public int left = IDLE;

    /** The number of frames on the stack. */
    public int sp;

    private int[] stack = new int[64];
    private boolean counting;
    private int period;
    private int owed;
    private final Thread thread;
    private Counter next;

    private Counter(Thread thread) {
        this.thread = thread;
    }

    private static ProfilingAgent loadAgent() {
        String name = System.getProperty("assay.agent", ContextTreeAgent.class.getName());
        try {
            ProfilingAgent agent = (ProfilingAgent)
                    Class.forName(name, true, agentLoader()).getDeclaredConstructor().newInstance();
            Thread last = new Thread(agent::finish, "assay-finish");
            Runtime.getRuntime().addShutdownHook(last);
            return agent;
        } catch (ReflectiveOperationException | ClassCastException | LinkageError e) {
            System.err.println("assay: no profile: agent " + name + " cannot be used: " + e);
            return null;
        }
    }

    private static ClassLoader agentLoader() {
        ClassLoader context = Thread.currentThread().getContextClassLoader();
        return context != null ? context : Counter.class.getClassLoader();
    }

    private static Counter current() {
        Thread thread = Thread.currentThread();
        Counter[] known = table;
        Counter counter = known[(int) thread.getId() & (known.length - 1)];
        if (counter != null && counter.thread == thread) {
            return counter;
        }
        return find(thread);
    }

    /**
     * Begins an activation.
     *
     * @param method its number
     * @return the thread's counter
     */
    public static Counter enterApp(int method) {
        Counter counter = current();
        int sp = counter.sp;
        int[] stack = counter.stack;
        if (sp >= stack.length) {
            stack = counter.grow();
        }
        stack[sp] = method;
        counter.sp = sp + 1;
        return counter;
    }

    /** Before a call. */
    public static void call(Counter counter, int top, int left) {
        counter.left = left;
        if (left < 0) {
            counter.sample(top);
        }
    }

    /** In loops and long blocks. */
    public static int check(Counter counter, int top, int left) {
        if (left < 0) {
            counter.left = left;
            return counter.sample(top);
        }
        return left;
    }

    /** Before a throw. */
    public static int settle(Counter counter, int top, int left) {
        counter.left = left;
        if (left < 0) {
            return counter.sample(top);
        }
        return left;
    }

    /** At the entry of a handler. */
    public static int caught(Counter counter, int top, int left) {
        counter.sp = top;
        return check(counter, top, left == IN_CALL ? counter.left : left);
    }

    /** Before a return. */
    public static void leaveApp(Counter counter, int top, int left) {
        counter.left = left;
        if (left < 0) {
            counter.sample(top);
        }
        counter.sp = top - 1;
    }

    /** A whole activation of a method without calls and jumps. */
    public static void leaf(int method, int bytecodes) {
        Counter counter = current();
        int left = counter.left - bytecodes;
        counter.left = left;
        if (left < 0) {
            counter.sampleLeaf(method);
        }
    }

    /** Begins an activation of a method without calls. */
    public static Counter enterLeaf() {
        return current();
    }

    /** In loops and long blocks of a method without calls. */
    public static int checkLeaf(Counter counter, int left, int method) {
        if (left < 0) {
            counter.left = left;
            return counter.sampleLeaf(method);
        }
        return left;
    }

    /** Before a return of a method without calls. */
    public static void leaveLeaf(Counter counter, int left, int method) {
        counter.left = left;
        if (left < 0) {
            counter.sampleLeaf(method);
        }
    }

    /** Begins code that the VM may call in the middle of a block. Returns a token for the end. */
    public static long enterNested() {
        Counter counter = current();
        long token = counter.sp;
        if (counter.counting) {
            token |= (long) (counter.left + 1) << 32;
            counter.owed += counter.period - counter.left;
            counter.period = counter.left;
        }
        return token;
    }

    /** Ends what {@link #enterNested} began. */
    public static void leaveNested(long token) {
        Counter counter = current();
        counter.sp = (int) token;
        int left = (int) (token >> 32);
        if (left != 0) {
            counter.owed += counter.period - counter.left;
            counter.left = counter.period = left - 1;
        }
    }

    private int sample(int top) {
        if (!counting) {
            return left = IDLE;
        }
        int bytecodes = period - left + owed;
        owed = 0;
        left = IDLE;
        counting = false;
        sp = top;
        int next = 0;
        try {
            next = AGENT.processSample(stack, top, bytecodes);
        } catch (RuntimeException | LinkageError e) {
            System.err.println("assay: the agent failed on thread " + thread.getName() + ": " + e);
        }
        sp = top;
        return start(next);
    }

    private int start(int granularity) {
        // An agent that gives up a thread gets no more samples from it.
        counting = granularity > 0;
        return period = left = counting ? Math.min(granularity, IDLE) : IDLE;
    }

    private int sampleLeaf(int method) {
        int top = sp;
        int[] frames = top < stack.length ? stack : grow();
        frames[top] = method;
        sample(top + 1);
        sp = top;
        return left;
    }

    private int[] grow() {
        return stack = java.util.Arrays.copyOf(stack, stack.length * 2);
    }

    private static Counter find(Thread thread) {
        if (AGENT == null) {
            return new Counter(thread); // the agent is being loaded, or there is none
        }
        Counter counter;
        synchronized (LOCK) {
            int slot = (int) thread.getId() & (table.length - 1);
            for (counter = table[slot]; counter != null; counter = counter.next) {
                if (counter.thread == thread) {
                    return counter;
                }
            }
            if (++threads > table.length / 2) {
                makeRoom();
                slot = (int) thread.getId() & (table.length - 1);
            }
            counter = new Counter(thread);
            counter.next = table[slot];
            table[slot] = counter;
        }
        if (!isSystemThread(thread)) {
            counter.start(AGENT.register(thread));
        }
        return counter;
    }

    /** Finalizers and cleaners run when the collector finds something. */
    private static boolean isSystemThread(Thread thread) {
        ThreadGroup group = thread.getThreadGroup();
        return group != null
                && (group.getName().equals("system") || group.getName().equals("InnocuousThreadGroup"));
    }

    /** Forgets threads that ended; doubles the table when most are alive. */
    private static void makeRoom() {
        Counter[] old = table;
        Counter[] fresh = new Counter[old.length * 2];
        threads = 1;
        for (Counter first : old) {
            Counter following;
            for (Counter counter = first; counter != null; counter = following) {
                following = counter.next;
                if (counter.thread.isAlive()) {
                    int slot = (int) counter.thread.getId() & (fresh.length - 1);
                    counter.next = fresh[slot];
                    fresh[slot] = counter;
                    threads++;
                } else {
                    counter.finishThread();
                }
            }
        }
        table = fresh;
    }

    private static long ended;

    private void finishThread() {
        if (counting) {
            ended += owed + period - left;
        }
    }

    /** Bytecodes counted since the last sample of each thread. */
    static long unsampled() {
        synchronized (LOCK) {
            long sum = ended;
            for (Counter first : table) {
                for (Counter counter = first; counter != null; counter = counter.next) {
                    if (counter.counting) {
                        sum += counter.owed + counter.period - counter.left;
                    }
                }
            }
            return sum;
        }
    }
}
