package assay.runtime;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * The bundled agent: builds a tree of calling contexts with the bytecodes executed in each, and writes it as a profile
 * for {@code assay show}, {@code diff}, {@code report} and the others when the program ends.
 *
 * <p>System properties: {@code assay.output} the file [assay.profile], {@code assay.granularity} bytecodes between two
 * samples [10000], {@code assay.jitter} up to this many more, drawn anew each time [100], {@code assay.seed} [1],
 * {@code assay.request} a file name: whenever that file appears, the profile so far is written and the file removed.
 */
public final class ContextTreeAgent implements ProfilingAgent {
    private final int granularity = Integer.getInteger("assay.granularity", 10_000);
    private final int jitter = Integer.getInteger("assay.jitter", 100);
    private final int seed = Integer.getInteger("assay.seed", 1);
    private final Path output = Path.of(System.getProperty("assay.output", "assay.profile"));

    // Node i of the tree; 0 is the root. Children are found through an open hash table of node numbers.
    private int[] parents = new int[1024];
    private int[] methods = new int[1024];
    private long[] samples = new long[1024];
    private long[] bytecodes = new long[1024];
    private int[] index = new int[4096];
    private int nodes = 1;
    private long total;

    // Per thread the state of its random numbers, so that threads do not disturb each other.
    private final ThreadLocal<int[]> random = new ThreadLocal<>();

    /** Made by the runtime. */
    public ContextTreeAgent() {
        if (granularity < 1 || jitter < 0 || (long) granularity + jitter > 500_000_000) {
            throw new IllegalArgumentException("assay.granularity must be between 1 and 500000000, jitter included");
        }
        String request = System.getProperty("assay.request");
        if (request != null) {
            Thread watcher = new Thread(() -> watch(new File(request)), "assay-request");
            watcher.setDaemon(true);
            watcher.start();
        }
    }

    @Override
    public int register(Thread thread) {
        random.set(new int[] {(thread.getName().hashCode() * 31 + seed) | 1});
        for (int i = 0; i < 8; i++) {
            next();
        }
        return next();
    }

    @Override
    public synchronized int processSample(int[] stack, int depth, int count) {
        int known = depth;
        while (known > 0 && stack[known - 1] >= 0) {
            known--;
        }
        int node = known > 0 ? ~stack[known - 1] : 0;
        for (; known < depth; known++) {
            node = child(node, stack[known]);
            stack[known] = ~node;
        }
        samples[node]++;
        bytecodes[node] += count;
        total += count;
        return next();
    }

    @Override
    public void finish() {
        try {
            write(output);
        } catch (IOException e) {
            System.err.println("assay: cannot write " + output + ": " + e.getMessage());
        }
    }

    /**
     * Writes what has been seen so far.
     *
     * @param file the profile
     * @throws IOException when it cannot be written
     */
    public synchronized void write(Path file) throws IOException {
        ProfileFile profile = new ProfileFile();
        profile.metadata("bytecodes", Long.toString(total + Counter.unsampled()));
        profile.metadata("collect", "bytecodes");
        profile.metadata("granularity", Integer.toString(granularity));
        profile.metadata("jitter", Integer.toString(jitter));
        profile.metadata("seed", Integer.toString(seed));
        profile.write(
                file,
                Arrays.copyOf(parents, nodes),
                Arrays.copyOf(methods, nodes),
                Arrays.copyOf(samples, nodes),
                Arrays.copyOf(bytecodes, nodes));
    }

    private int next() {
        int[] state = random.get();
        int x = state == null ? seed | 1 : state[0];
        x ^= x << 13;
        x ^= x >>> 17;
        x ^= x << 5;
        if (state != null) {
            state[0] = x;
        }
        return granularity + (int) ((x & 0xffffffffL) * jitter >>> 32);
    }

    private int child(int parent, int method) {
        int slot = hash(parent, method);
        for (; index[slot] != 0; slot = (slot + 1) & (index.length - 1)) {
            int node = index[slot];
            if (parents[node] == parent && methods[node] == method) {
                return node;
            }
        }
        if (nodes == parents.length) {
            grow();
            slot = freeSlot(parent, method);
        }
        parents[nodes] = parent;
        methods[nodes] = method;
        index[slot] = nodes;
        return nodes++;
    }

    private int hash(int parent, int method) {
        int hash = parent * 0x9e3779b1 + method * 0x85ebca6b;
        return (hash ^ hash >>> 15) & (index.length - 1);
    }

    private int freeSlot(int parent, int method) {
        int slot = hash(parent, method);
        while (index[slot] != 0) {
            slot = (slot + 1) & (index.length - 1);
        }
        return slot;
    }

    private void grow() {
        int size = nodes * 2;
        parents = Arrays.copyOf(parents, size);
        methods = Arrays.copyOf(methods, size);
        samples = Arrays.copyOf(samples, size);
        bytecodes = Arrays.copyOf(bytecodes, size);
        index = new int[size * 4];
        for (int node = 1; node < nodes; node++) {
            index[freeSlot(parents[node], methods[node])] = node;
        }
    }

    private void watch(File request) {
        try {
            while (true) {
                Thread.sleep(200);
                if (request.exists()) {
                    finish();
                    request.delete();
                }
            }
        } catch (InterruptedException e) {
            // The program wants its threads to end.
        }
    }
}
