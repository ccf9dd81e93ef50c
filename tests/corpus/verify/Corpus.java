import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * The classes under test: a list file with one line per archive, "original<TAB>rewritten...", where
 * the original is a jar, or "jdk" for the classes of the running JDK. Every archive gets a class
 * loader that finds missing classes in all others, so that as much as possible can be linked.
 */
final class Corpus {
    static final class Archive {
        final ClassLoader loader;
        final List<ZipFile> rewritten = new ArrayList<>();

        Archive(ClassLoader loader) {
            this.loader = loader;
        }
    }

    final List<Archive> archives = new ArrayList<>();
    private final Map<String, JarLoader> index = new HashMap<>();

    Corpus(Path list) throws IOException {
        for (String line : Files.readAllLines(list)) {
            String[] parts = line.split("\t");
            ClassLoader loader = parts[0].equals("jdk") ? ClassLoader.getSystemClassLoader()
                : new JarLoader(new ZipFile(parts[0]));
            Archive archive = new Archive(loader);
            for (int i = 1; i < parts.length; i++) archive.rewritten.add(new ZipFile(parts[i]));
            archives.add(archive);
        }
    }

    static List<String> classNames(ZipFile jar) {
        List<String> names = new ArrayList<>();
        for (Enumeration<? extends ZipEntry> e = jar.entries(); e.hasMoreElements();) {
            String name = e.nextElement().getName();
            if (name.endsWith(".class")) names.add(name.substring(0, name.length() - 6));
        }
        return names;
    }

    static byte[] read(ZipFile jar, String name) {
        ZipEntry entry = jar.getEntry(name + ".class");
        if (entry == null) return null;
        try (InputStream in = jar.getInputStream(entry)) {
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The original bytes of a class in internal form, as the loader would see it; null if nowhere. */
    byte[] original(ClassLoader loader, String name) {
        if (loader instanceof JarLoader jarLoader) {
            byte[] bytes = jarLoader.find(name);
            if (bytes != null) return bytes;
        }
        try (InputStream in = ClassLoader.getSystemResourceAsStream(name + ".class")) {
            if (in != null) return in.readAllBytes();
            Class<?> type = Class.forName(name.replace('/', '.'), false, ClassLoader.getSystemClassLoader());
            try (InputStream inner = type.getModule().getResourceAsStream(name + ".class")) {
                return inner == null ? null : inner.readAllBytes();
            }
        } catch (Throwable e) {
            return null;
        }
    }

    final class JarLoader extends ClassLoader {
        private final ZipFile jar;

        JarLoader(ZipFile jar) {
            super(ClassLoader.getPlatformClassLoader());
            this.jar = jar;
            for (String name : classNames(jar)) index.putIfAbsent(name, this);
        }

        byte[] find(String name) {
            byte[] bytes = read(jar, name);
            if (bytes != null) return bytes;
            JarLoader other = index.get(name);
            return other == null || other == this ? null : read(other.jar, name);
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            String path = name.replace('.', '/');
            byte[] bytes = read(jar, path);
            if (bytes != null) return defineClass(name, bytes, 0, bytes.length);
            JarLoader other = index.get(path);
            if (other == null || other == this) throw new ClassNotFoundException(name);
            return other.loadClass(name);
        }
    }
}
