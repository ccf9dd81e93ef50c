import java.io.InputStream;
import java.lang.instrument.ClassDefinition;
import java.lang.instrument.Instrumentation;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * Puts rewritten classes before HotSpot's verifier without ever running them: each is offered as a
 * redefinition of the original, together with a second one that can never be accepted. The VM
 * verifies the classes of a batch in order before it installs any, so the answer tells which of the
 * two was refused, and nothing is installed.
 *
 * Arguments: a rewritten jar, then the original jars (none: the classes are the JDK's own).
 * Output: "rejected CLASS ERROR" lines, then "verified N, rejected N, not loadable N".
 */
public final class RedefineVerifier {
    /** Redefining it with a method more is what the VM refuses. */
    static final class Refused {
    }

    static Instrumentation instrumentation;

    public static void premain(String arguments, Instrumentation given) {
        instrumentation = given;
    }

    public static void main(String[] arguments) throws Exception {
        ClassLoader loader = null;
        if (arguments.length > 1) {
            URL[] urls = new URL[arguments.length - 1];
            for (int i = 1; i < arguments.length; i++) urls[i - 1] = Path.of(arguments[i]).toUri().toURL();
            loader = new URLClassLoader(urls, ClassLoader.getPlatformClassLoader());
        } else {
            loader = ClassLoader.getSystemClassLoader();
        }
        ClassDefinition refused = new ClassDefinition(Refused.class, withoutConstructor());
        long verified = 0, notLoadable = 0;
        List<String> rejected = new ArrayList<>();
        try (ZipFile jar = new ZipFile(arguments[0])) {
            for (Enumeration<? extends ZipEntry> e = jar.entries(); e.hasMoreElements();) {
                ZipEntry entry = e.nextElement();
                String name = entry.getName();
                if (!name.endsWith(".class")) continue;
                name = name.substring(0, name.length() - 6).replace('/', '.');
                byte[] bytes;
                try (InputStream in = jar.getInputStream(entry)) {
                    bytes = in.readAllBytes();
                }
                Class<?> original;
                try {
                    original = Class.forName(name, false, loader);
                    if (!instrumentation.isModifiableClass(original)) throw new LinkageError();
                } catch (Throwable t) {
                    notLoadable++;
                    continue;
                }
                Throwable answer = offer(new ClassDefinition(original, bytes), refused);
                if (answer instanceof UnsupportedOperationException) {
                    verified++;
                } else if (acceptsOriginal(original, name, loader, refused)) {
                    rejected.add(name + " " + answer);
                    System.out.println("rejected " + name + " " + answer);
                } else {
                    notLoadable++;
                }
            }
        }
        System.out.println("verified " + verified + ", rejected " + rejected.size()
            + ", not loadable " + notLoadable);
        System.out.flush();
        Runtime.getRuntime().halt(rejected.isEmpty() ? 0 : 1);
    }

    static Throwable offer(ClassDefinition first, ClassDefinition refused) {
        try {
            instrumentation.redefineClasses(first, refused);
            return null;
        } catch (Throwable t) {
            return t;
        }
    }

    static boolean acceptsOriginal(Class<?> original, String name, ClassLoader loader, ClassDefinition refused)
            throws Exception {
        String path = name.replace('.', '/') + ".class";
        try (InputStream in = original.getModule().isNamed() ? original.getModule().getResourceAsStream(path)
                : loader.getResourceAsStream(path)) {
            if (in == null) return false;
            Throwable answer = offer(new ClassDefinition(original, in.readAllBytes()), refused);
            return answer instanceof UnsupportedOperationException;
        }
    }

    /** The bytes of Refused with its constructor renamed: a method removed and one added. */
    static byte[] withoutConstructor() throws Exception {
        byte[] bytes;
        try (InputStream in = RedefineVerifier.class.getResourceAsStream("RedefineVerifier$Refused.class")) {
            bytes = in.readAllBytes();
        }
        String text = new String(bytes, "ISO-8859-1");
        int at = text.indexOf("SourceFile");
        // The access flags of the class: super only becomes interface and abstract would not parse;
        // renaming the super class is refused in the same way and needs no parsing.
        int object = text.indexOf("java/lang/Object");
        byte[] number = "java/lang/Number".getBytes("ISO-8859-1");
        System.arraycopy(number, 0, bytes, object, number.length);
        return bytes;
    }
}
