import java.lang.ref.WeakReference;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;

/** Runs a class in a loader of its own, drops the loader and waits until it is gone. */
public class Elsewhere {
    public static void main(String[] args) throws Exception {
        WeakReference<ClassLoader> loader = use(Path.of(args[0]).toUri().toURL());
        for (int i = 0; i < 100 && loader.get() != null; i++) {
            System.gc();
            Thread.sleep(10);
        }
        System.out.println(loader.get() == null ? "unloaded" : "still there");
    }

    static WeakReference<ClassLoader> use(URL url) throws Exception {
        ClassLoader loader = new URLClassLoader(new URL[] {url}, null);
        Method twin = loader.loadClass("Behaviour").getDeclaredMethod("twin", int.class);
        twin.setAccessible(true);
        for (int i = 0; i < 20_000; i++) twin.invoke(null, i);
        return new WeakReference<>(loader);
    }
}
