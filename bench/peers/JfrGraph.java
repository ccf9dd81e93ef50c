import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeMap;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordingFile;

/**
 * Turns the execution samples of a flight recording into a call graph in the JSON that
 * `assay show --by edges --json` writes. "edges" has for each sample the edge into its top frame;
 * "stack_edges" every edge on the stack. Frames that are not Java (async-profiler records the VM's, the
 * C library's and the kernel's too) are passed over. Arguments: recording, output.
 */
final class JfrGraph {
    private static final List<String> EVENTS =
            List.of("jdk.ExecutionSample", "jdk.NativeMethodSample", "jdk.CPUTimeSample");
    private final TreeMap<String, Long> top = new TreeMap<>();
    private final TreeMap<String, Long> all = new TreeMap<>();
    private long samples;
    private long truncated;

    public static void main(String[] args) throws IOException {
        JfrGraph graph = new JfrGraph();
        try (RecordingFile file = new RecordingFile(Path.of(args[0]))) {
            while (file.hasMoreEvents()) {
                RecordedEvent event = file.readEvent();
                if (EVENTS.contains(event.getEventType().getName())) graph.add(event);
            }
        }
        graph.write(Path.of(args[1]));
    }

    private void add(RecordedEvent event) {
        samples++;
        if (event.getStackTrace() == null) return;
        List<RecordedFrame> frames = event.getStackTrace().getFrames().stream().filter(JfrGraph::isJava).toList();
        if (event.getStackTrace().isTruncated()) truncated++;
        for (int i = 0; i + 1 < frames.size(); i++) {
            String edge = edge(frames.get(i + 1), frames.get(i));
            all.merge(edge, 1L, Long::sum);
            if (i == 0) top.merge(edge, 1L, Long::sum);
        }
        if (frames.size() == 1 && !event.getStackTrace().isTruncated()) {
            String edge = "{\"caller\": \"<native>\", \"bci\": 0, \"callee\": " + quote(name(frames.get(0).getMethod()));
            top.merge(edge, 1L, Long::sum);
            all.merge(edge, 1L, Long::sum);
        }
    }

    /** async-profiler gives frames without a Java method a descriptor that no method can have: a class without a name. */
    private static boolean isJava(RecordedFrame frame) {
        return frame.getMethod() != null && !frame.getMethod().getDescriptor().endsWith(")L;");
    }

    private static String edge(RecordedFrame caller, RecordedFrame callee) {
        return "{\"caller\": " + quote(name(caller.getMethod())) + ", \"bci\": " + caller.getBytecodeIndex()
                + ", \"callee\": " + quote(name(callee.getMethod()));
    }

    private static String name(RecordedMethod method) {
        return method.getType().getName() + "." + method.getName() + method.getDescriptor();
    }

    private static String quote(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    private void write(Path path) throws IOException {
        try (BufferedWriter out = Files.newBufferedWriter(path)) {
            out.write("{\"samples\": " + samples + ", \"truncated\": " + truncated + ",\n\"edges\": [");
            list(out, top);
            out.write("],\n\"stack_edges\": [");
            list(out, all);
            out.write("]}\n");
        }
    }

    private static void list(BufferedWriter out, TreeMap<String, Long> edges) throws IOException {
        String separator = "\n";
        for (var entry : edges.entrySet()) {
            out.write(separator + entry.getKey() + ", \"weight\": " + entry.getValue() + "}");
            separator = ",\n";
        }
    }
}
