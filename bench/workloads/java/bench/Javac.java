package bench;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** The JDK's compiler on a generated source tree, memory to memory. */
public final class Javac extends Workload {
    private final List<JavaFileObject> sources = new ArrayList<>();
    private JavaCompiler compiler;

    public static void main(String[] args) {
        Driver.run(new Javac(), args);
    }

    @Override
    protected void prepare(Options options) {
        compiler = ToolProvider.getSystemJavaCompiler();
        if (compiler == null) throw new IllegalStateException("no compiler: a JDK is needed, not a JRE");
        JavaSources.generate(11, options.pick(60, 400)).forEach((name, text) -> sources.add(new Source(name, text)));
    }

    @Override
    protected long iterate() throws Exception {
        Map<String, ByteArrayOutputStream> classes = new TreeMap<>();
        try (StandardJavaFileManager standard =
                compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8);
                JavaFileManager memory = new Memory(standard, classes)) {
            List<String> flags = List.of("-proc:none", "-nowarn", "-Xlint:none");
            if (!compiler.getTask(null, memory, null, flags, null, sources).call()) {
                throw new IllegalStateException("compilation failed");
            }
        }
        Sum sum = new Sum();
        classes.forEach((name, bytes) -> sum.add(name).add(bytes.size()).add(bytes.toByteArray()));
        return sum.get();
    }

    private static final class Source extends SimpleJavaFileObject {
        private final String text;

        Source(String name, String text) {
            super(URI.create("string:///" + name), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignore) {
            return text;
        }
    }

    private static final class Memory extends ForwardingJavaFileManager<JavaFileManager> {
        private final Map<String, ByteArrayOutputStream> classes;

        Memory(JavaFileManager standard, Map<String, ByteArrayOutputStream> classes) {
            super(standard);
            this.classes = classes;
        }

        @Override
        public JavaFileObject getJavaFileForOutput(
                Location where, String name, JavaFileObject.Kind kind, FileObject sibling) {
            return new SimpleJavaFileObject(URI.create("memory:///" + name + ".class"), kind) {
                @Override
                public OutputStream openOutputStream() {
                    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                    classes.put(name, bytes);
                    return bytes;
                }
            };
        }
    }
}
