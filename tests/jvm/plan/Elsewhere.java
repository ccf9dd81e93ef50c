import java.lang.ref.WeakReference;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;

/** Runs a class in loaders of its own, one or as many as told, drops them and waits until the last is gone. */
public class Elsewhere {
    public static void main(String[] args) throws Exception {
        URL url = Path.of(args[0]).toUri().toURL();
        int loaders = args.length > 1 ? Integer.parseInt(args[1]) : 1;
        WeakReference<ClassLoader> loader = null;
        for (int i = 0; i < loaders; i++) {
            loader = use(url, loaders == 1 ? 20_000 : 3);
            if (i % 300 == 299) System.gc();
        }
        for (int i = 0; i < 100 && loader.get() != null; i++) {
            System.gc();
            Thread.sleep(10);
        }
        System.out.println(loader.get() == null ? "unloaded" : "still there");
    }

    static WeakReference<ClassLoader> use(URL url, int rounds) throws Exception {
        try (URLClassLoader loader = new URLClassLoader(new URL[] {url}, null)) {
            Method twin = loader.loadClass("Behaviour").getDeclaredMethod("twin", int.class);
            twin.setAccessible(true);
            int sum = 0;
            for (int i = 0; i < rounds; i++) sum += (Integer) twin.invoke(null, i);
            if (rounds > 1000) System.out.println(sum);
            return new WeakReference<>(loader);
        }
    }
}
