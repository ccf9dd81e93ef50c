import assay.runtime.ProfilingAgent;

/** Fails at its tenth sample of a thread that it knows, and does not want to know others. */
public class FailingAgent implements ProfilingAgent {
    private int samples;

    @Override
    public int register(Thread thread) {
        if (!thread.getName().equals("main")) {
            throw new IllegalStateException("unwanted");
        }
        return 1000;
    }

    @Override
    public int processSample(int[] stack, int depth, long count) {
        if (++samples == 10) {
            throw new IllegalStateException("tenth");
        }
        return 1000;
    }

    @Override
    public void finish(long unsampled) {
        System.err.println(samples + " samples, " + unsampled + " left");
    }
}
