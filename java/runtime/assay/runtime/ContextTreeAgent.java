package assay.runtime;

import java.io.IOException;
import java.lang.ref.WeakReference;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The bundled agent: builds a tree of calling contexts with the bytecodes executed in each, and writes it as a profile
 * for {@code assay show}, {@code diff}, {@code report} and the others when the program ends.
 *
 * <p>System properties: {@code assay.output} the file [assay.profile], {@code assay.granularity} bytecodes between two
 * samples [10000], {@code assay.jitter} up to this many more, drawn anew each time [100], {@code assay.seed} [1].
 */
public final class ContextTreeAgent implements ProfilingAgent {
    private static final int MOST = 500_000_000; // the counter is an int, and a sample may come late

    /** What one thread has seen. Its lock is only contended while a profile is written. */
    private static final class Seen {
        final WeakReference<Thread> thread;
        final ContextTree tree = new ContextTree();
        int random;

        Seen(Thread thread, int seed) {
            this.thread = new WeakReference<>(thread);
            random = (thread.getName().hashCode() * 31 + seed) | 1;
        }
    }

    private final int granularity = Settings.number("granularity", 10_000, 1, MOST);
    private final int jitter = Settings.number("jitter", 100, 0, MOST - granularity);
    private final int seed = Settings.number("seed", 1, 0, Integer.MAX_VALUE);
    private final Path output = Path.of(Settings.text("output", "assay.profile")).toAbsolutePath();

    private final ThreadLocal<Seen> mine = new ThreadLocal<>();
    private final List<Seen> all = new ArrayList<>();
    private final ContextTree ended = new ContextTree();
    private int tidyAt = 64;

    /** Made by the runtime. */
    public ContextTreeAgent() {}

    @Override
    public int register(Thread thread) {
        Seen seen = new Seen(thread, seed);
        synchronized (all) {
            if (all.size() >= tidyAt) {
                forgetEnded();
            }
            all.add(seen);
        }
        mine.set(seen);
        for (int i = 0; i < 8; i++) {
            next(seen);
        }
        return next(seen);
    }

    @Override
    public int processSample(int[] stack, int depth, long bytecodes) {
        Seen seen = mine.get();
        if (seen == null) {
            return 0; // the program removed its thread locals
        }
        synchronized (seen) {
            seen.tree.add(seen.tree.find(stack, depth), 1, bytecodes);
        }
        return next(seen);
    }

    @Override
    public void finish(long unsampled) {
        try {
            write(output, unsampled);
        } catch (IOException | RuntimeException e) {
            System.err.println("assay: cannot write " + output + ": " + e);
        }
    }

    private void write(Path file, long unsampled) throws IOException {
        ContextTree sum = new ContextTree();
        synchronized (all) {
            sum.addAll(ended);
            for (Seen seen : all) {
                synchronized (seen) {
                    sum.addAll(seen.tree);
                }
            }
        }
        ProfileFile profile = new ProfileFile();
        profile.metadata("bytecodes", Long.toString(sum.total() + unsampled));
        profile.metadata("collect", "bytecodes");
        profile.metadata("granularity", Integer.toString(granularity));
        profile.metadata("jitter", Integer.toString(jitter));
        profile.metadata("seed", Integer.toString(seed));
        profile.write(file, sum);
    }

    private void forgetEnded() {
        all.removeIf(seen -> {
            Thread thread = seen.thread.get();
            if (thread != null && thread.isAlive()) {
                return false;
            }
            ended.addAll(seen.tree);
            return true;
        });
        tidyAt = all.size() * 2 + 64;
    }

    private int next(Seen seen) {
        if (jitter == 0) {
            return granularity;
        }
        int x = seen.random;
        x ^= x << 13;
        x ^= x >>> 17;
        x ^= x << 5;
        seen.random = x;
        return granularity + (int) ((x & 0xffffffffL) * jitter >>> 32);
    }
}
