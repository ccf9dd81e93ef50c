package bench;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.eclipse.jdt.core.compiler.batch.BatchCompiler;

/** The Eclipse compiler on a generated source tree, in a temporary folder. */
public final class Ecj extends Workload {
    private Path folder;

    public static void main(String[] args) {
        Driver.run(new Ecj(), args);
    }

    @Override
    protected void prepare(Options options) throws Exception {
        folder = Files.createTempDirectory("assay-ecj");
        Files.createDirectories(folder.resolve("gen"));
        for (var entry : JavaSources.generate(12, options.pick(60, 400)).entrySet()) {
            Files.writeString(folder.resolve(entry.getKey()), entry.getValue());
        }
    }

    @Override
    protected long iterate() throws Exception {
        StringWriter log = new StringWriter();
        String[] command = {"--release", "11", "-proc:none", "-nowarn", "-d", folder + "/out", folder + "/gen"};
        if (!BatchCompiler.compile(command, new PrintWriter(log), new PrintWriter(log), null)) {
            throw new IllegalStateException(log.toString());
        }
        Sum sum = new Sum();
        for (Path file : files(folder.resolve("out"))) {
            if (Files.isRegularFile(file)) sum.add(file.getFileName().toString()).add(Files.readAllBytes(file));
        }
        return sum.get();
    }

    @Override
    protected void close() throws Exception {
        List<Path> all = files(folder);
        for (int i = all.size() - 1; i >= 0; i--) Files.delete(all.get(i));
    }

    private static List<Path> files(Path top) throws Exception {
        try (Stream<Path> walk = Files.walk(top)) {
            return walk.sorted(Comparator.naturalOrder()).toList();
        }
    }
}
