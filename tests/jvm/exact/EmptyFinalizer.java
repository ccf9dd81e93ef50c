import java.lang.ref.PhantomReference;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;

/** HotSpot does not keep objects for finalization whose finalizer does nothing. */
public class EmptyFinalizer {
    @Override
    protected void finalize() {}

    static Reference<?> abandoned(ReferenceQueue<Object> queue) {
        return new PhantomReference<>(new EmptyFinalizer(), queue);
    }

    public static void main(String[] args) throws Exception {
        ReferenceQueue<Object> queue = new ReferenceQueue<>();
        Reference<?> reference = abandoned(queue);
        System.gc();
        System.out.println("gone after one collection: " + (queue.remove(10_000) == reference));
    }
}
