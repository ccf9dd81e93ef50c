import java.io.ByteArrayInputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassHierarchyResolver;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.ZipFile;

/**
 * Puts rewritten classes before the verifier of java.lang.classfile (JDK 24 and later), which needs no
 * loading. Arguments and output as for RedefineVerifier.
 */
public final class ClassfileVerifier {
    public static void main(String[] arguments) throws Exception {
        Corpus corpus = new Corpus(Path.of(arguments[0]));
        long verified = 0, rejected = 0, originalRejected = 0, classes = 0;
        for (Corpus.Archive archive : corpus.archives) {
            if (archive.rewritten.isEmpty()) continue;
            ClassHierarchyResolver resolver = ClassHierarchyResolver.ofResourceParsing(description -> {
                String text = description.descriptorString();
                byte[] bytes = corpus.original(archive.loader, text.substring(1, text.length() - 1));
                return bytes == null ? null : new ByteArrayInputStream(bytes);
            }).cached().orElse(ClassHierarchyResolver.defaultResolver());
            ClassFile verifier = ClassFile.of(ClassFile.ClassHierarchyResolverOption.of(resolver));
            for (String name : Corpus.classNames(archive.rewritten.get(0))) {
                classes++;
                boolean originalGood = false;
                for (ZipFile jar : archive.rewritten) {
                    List<String> errors = verify(verifier, Corpus.read(jar, name));
                    if (errors.isEmpty()) {
                        verified++;
                        continue;
                    }
                    if (!originalGood) {
                        byte[] old = corpus.original(archive.loader, name);
                        originalGood = old != null && verify(verifier, old).isEmpty();
                    }
                    if (!originalGood) {
                        originalRejected++;
                        break;
                    }
                    rejected++;
                    System.out.println("rejected " + name + " " + jar.getName() + " " + errors.get(0));
                }
            }
        }
        System.out.println("classes " + classes + ", verified " + verified + ", rejected " + rejected
            + ", not loadable " + originalRejected);
        System.exit(rejected == 0 ? 0 : 1);
    }

    static List<String> verify(ClassFile verifier, byte[] bytes) {
        try {
            return verifier.verify(bytes).stream().map(e -> e.getMessage().replace('\n', ' ')).toList();
        } catch (Throwable t) {
            return List.of(t.toString());
        }
    }
}
