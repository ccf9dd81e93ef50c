package bench;

/** One program with fixed inputs. iterate() does the same work every time, from a fresh state. */
public abstract class Workload {
    /** Makes the inputs; not part of any iteration. */
    protected abstract void prepare(Options options) throws Exception;

    /** Does the work once and returns a checksum of everything it computed. */
    protected abstract long iterate() throws Exception;

    protected void close() throws Exception {}
}
