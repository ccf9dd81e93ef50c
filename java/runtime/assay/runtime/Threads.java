package assay.runtime;

/** All counters of the process, and the agent that they report to. */
final class Threads {
    private static final Object LOCK = new Object();

    /**
     * By thread id. Not volatile: what matters to a thread is its own counter, which it has put there itself; when it
     * sees an old table it looks again under the lock.
     */
    static Counter[] table = new Counter[1024];

    private static int threads;
    /** Bytecodes counted by threads that ended, since their last sample. */
    private static long ended;

    static final ProfilingAgent agent;

    /** Set when the agent is there: what runs before is not counted. */
    private static boolean ready;

    static {
        agent = Agents.start(Settings.text("agent", ContextTreeAgent.class.getName()), Threads::unsampled);
        ready = true;
    }

    private Threads() {}

    static Counter find(Thread thread) {
        Counter counter;
        synchronized (LOCK) {
            int slot = slot(thread, table);
            for (counter = table[slot]; counter != null; counter = counter.next) {
                if (counter.refersTo(thread)) {
                    return counter;
                }
            }
            if (++threads > table.length / 2) {
                makeRoom();
                slot = slot(thread, table);
            }
            counter = new Counter(thread);
            if (!ready) {
                return counter; // the agent is being loaded, by this thread
            }
            counter.next = table[slot];
            table[slot] = counter;
        }
        if (agent != null && !isSystemThread(thread)) {
            counter.start(Agents.register(agent, thread));
        }
        return counter;
    }

    private static int slot(Thread thread, Counter[] table) {
        return (int) thread.getId() & (table.length - 1);
    }

    /** Finalizers and cleaners run when the collector finds something. */
    private static boolean isSystemThread(Thread thread) {
        if (thread.getName().startsWith("assay-")) {
            return true;
        }
        ThreadGroup group = thread.getThreadGroup();
        return group != null
                && (group.getName().equals("system") || group.getName().equals("InnocuousThreadGroup"));
    }

    /** Forgets threads that ended; doubles the table when most are alive. */
    private static void makeRoom() {
        Counter[] old = table;
        int alive = 0;
        for (Counter first : old) {
            for (Counter counter = first; counter != null; counter = counter.next) {
                alive += counter.hasEnded() ? 0 : 1;
            }
        }
        Counter[] fresh = new Counter[alive * 4 > old.length ? old.length * 2 : old.length];
        threads = alive + 1;
        for (Counter first : old) {
            Counter following;
            for (Counter counter = first; counter != null; counter = following) {
                following = counter.next;
                Thread thread = counter.get();
                if (thread == null || counter.hasEnded()) {
                    ended += counter.unsampled();
                    continue;
                }
                int slot = slot(thread, fresh);
                counter.next = fresh[slot];
                fresh[slot] = counter;
            }
        }
        table = fresh;
    }

    /** Bytecodes counted since the last sample of each thread. */
    static long unsampled() {
        synchronized (LOCK) {
            long sum = ended;
            for (Counter first : table) {
                for (Counter counter = first; counter != null; counter = counter.next) {
                    sum += counter.unsampled();
                }
            }
            return sum;
        }
    }
}
