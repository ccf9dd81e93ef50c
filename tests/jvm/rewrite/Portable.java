import java.io.ObjectStreamClass;
import java.io.Serializable;
import java.lang.reflect.Member;
import java.util.Arrays;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What a reified stack can get wrong, and what reflection could show of it. */
public class Portable implements Serializable {
    final int value;

    Portable(int value) {
        this.value = value;
    }

    static int work(int n) {
        int s = 0;
        for (int i = 0; i < n; i++) {
            s += step(i);
        }
        return s;
    }

    static int step(int i) {
        return i % 3 == 0 ? Math.abs(i) : i * 2;
    }

    static int failing(int depth) {
        if (depth == 0) {
            throw new IllegalStateException("as planned");
        }
        return failing(depth - 1) + 1;
    }

    /** The exception is caught inside the JDK, on a thread that then goes on. */
    static String executor() throws Exception {
        ExecutorService pool = Executors.newSingleThreadExecutor(r -> new Thread(r, "pool"));
        int failures = 0;
        for (int i = 0; i < 50; i++) {
            Future<Integer> failed = pool.submit(() -> failing(5));
            try {
                failed.get();
            } catch (ExecutionException e) {
                failures++;
            }
        }
        int result = pool.submit(Portable::afterFailures).get();
        pool.shutdown();
        return failures + " " + result;
    }

    static int afterFailures() {
        return work(50_000);
    }

    static int sorted() {
        Portable[] all = new Portable[3000];
        for (int i = 0; i < all.length; i++) {
            all[i] = new Portable(i * 7919 % 3001);
        }
        Arrays.sort(all, (a, b) -> Integer.compare(work(a.value % 10) + a.value, work(b.value % 10) + b.value));
        return all[1500].value;
    }

    static int overflow(int n) {
        return overflow(n + 1) + 1;
    }

    static String members() {
        return Stream.<Member[]>of(
                        Portable.class.getDeclaredMethods(),
                        Portable.class.getDeclaredFields(),
                        Portable.class.getDeclaredConstructors())
                .flatMap(Arrays::stream)
                .map(Member::toString)
                .sorted()
                .collect(Collectors.joining("\n"));
    }

    public static void main(String[] args) throws Exception {
        System.out.println(executor());
        System.out.println(sorted());
        try {
            overflow(0);
        } catch (StackOverflowError e) {
            System.out.println("overflow");
        }
        System.out.println(work(100_000));
        System.out.println(members());
        System.out.println(ObjectStreamClass.lookup(Portable.class).getSerialVersionUID());
        System.out.println(new Exception().getStackTrace()[0].getMethodName());
        System.out.println(new String(Portable.class.getResourceAsStream("/data.bin").readAllBytes()).length());
    }
}
