import assay.runtime.Methods;
import assay.runtime.ProfilingAgent;
import java.util.Map;
import java.util.TreeMap;

/** An agent of somebody else's: changes the granularity at each sample, and says what it saw. */
public class CountingAgent implements ProfilingAgent {
    private final Map<String, Integer> seen = new TreeMap<>();
    private long bytecodes;

    @Override
    public synchronized int register(Thread thread) {
        return thread.getName().equals("main") ? 1000 : 0;
    }

    @Override
    public synchronized int processSample(int[] stack, int depth, long count) {
        bytecodes += count;
        seen.merge(Methods.get(stack[depth - 1]).toString(), 1, Integer::sum);
        return seen.size() % 2 == 0 ? 500 : 2000;
    }

    @Override
    public synchronized void finish(long unsampled) {
        System.err.println(bytecodes + unsampled + " " + seen);
    }
}
