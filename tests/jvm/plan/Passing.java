import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.function.IntUnaryOperator;

/** A caller that stays and a receiver whose loader may go. */
public class Passing {
    public static class Guest implements IntUnaryOperator {
        public int applyAsInt(int x) {
            return x + 1;
        }
    }

    static int apply(IntUnaryOperator f, int x) {
        return f.applyAsInt(x);
    }

    public static void main(String[] args) throws Exception {
        URL[] urls = {Path.of(args[0]).toUri().toURL()};
        ClassLoader loader = new URLClassLoader(urls, ClassLoader.getPlatformClassLoader());
        IntUnaryOperator guest =
                (IntUnaryOperator) loader.loadClass("Passing$Guest").getDeclaredConstructor().newInstance();
        IntUnaryOperator[] all = {guest, x -> x * 2, x -> x ^ 3};
        int sum = 0;
        for (int i = 0; i < 50_000; i++) sum += apply(all[i % 3], i);
        System.out.println(sum);
    }
}
