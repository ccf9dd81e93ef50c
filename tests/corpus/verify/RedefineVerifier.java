import java.lang.instrument.ClassDefinition;
import java.lang.instrument.Instrumentation;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.zip.ZipFile;

/**
 * Puts rewritten classes before HotSpot's verifier without ever running them: each is offered as a
 * redefinition of the original, together with a second one that can never be accepted. The VM
 * verifies the classes of a batch in order before it installs any, so the answer tells which of the
 * two was refused, and nothing is installed. A class whose original is refused in the same way
 * (mostly because of classes that are not there) is counted apart.
 *
 * Argument: a list file, see Corpus. Output: "rejected CLASS JAR ERROR" lines, then the totals.
 */
public final class RedefineVerifier {
    /** What the VM always refuses to redefine, because the new version has another superclass. */
    static final class Refused {
    }

    static Instrumentation instrumentation;

    public static void premain(String arguments, Instrumentation given) {
        instrumentation = given;
    }

    public static void main(String[] arguments) throws Exception {
        Corpus corpus = new Corpus(Path.of(arguments[0]));
        ClassDefinition refused = new ClassDefinition(Refused.class, otherSuperclass());
        long verified = 0, rejected = 0, notLoadable = 0, classes = 0;
        for (Corpus.Archive archive : corpus.archives) {
            if (archive.rewritten.isEmpty()) continue;
            for (String name : Corpus.classNames(archive.rewritten.get(0))) {
                classes++;
                Class<?> original;
                try {
                    original = Class.forName(name.replace('/', '.'), false, archive.loader);
                } catch (Throwable t) {
                    notLoadable++;
                    continue;
                }
                boolean originalGood = false;
                for (ZipFile jar : archive.rewritten) {
                    byte[] bytes = Corpus.read(jar, name);
                    Throwable answer = offer(new ClassDefinition(original, bytes), refused);
                    if (answer instanceof UnsupportedOperationException) {
                        verified++;
                        continue;
                    }
                    if (!originalGood) {
                        byte[] old = corpus.original(archive.loader, name);
                        originalGood = old != null && offer(new ClassDefinition(original, old), refused)
                            instanceof UnsupportedOperationException;
                    }
                    if (!originalGood) {
                        notLoadable++;
                        break;
                    }
                    rejected++;
                    System.out.println("rejected " + name + " " + jar.getName() + " " + answer);
                }
            }
        }
        System.out.println("classes " + classes + ", verified " + verified + ", rejected " + rejected
            + ", not loadable " + notLoadable);
        System.out.flush();
        Runtime.getRuntime().halt(rejected == 0 ? 0 : 1);
    }

    static Throwable offer(ClassDefinition first, ClassDefinition refused) {
        try {
            instrumentation.redefineClasses(first, refused);
            return null;
        } catch (Throwable t) {
            return t;
        }
    }

    /** The bytes of Refused, with java/lang/Number in the place of java/lang/Object. */
    static byte[] otherSuperclass() throws Exception {
        try (InputStream in = RedefineVerifier.class.getResourceAsStream("RedefineVerifier$Refused.class")) {
            String text = new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
            return text.replace("java/lang/Object", "java/lang/Number").getBytes(StandardCharsets.ISO_8859_1);
        }
    }
}
