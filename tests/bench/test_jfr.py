"""The converter of flight recordings on a program whose samples can only fall on one edge."""
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))
from assay_test import JDKS, compile_java, each_jdk, java, run
from harness import configs, graph, paths
from peers import jfr

PROGRAM = """
public class OneEdge {
    static int sink;
    static void spin(long until) { while (System.nanoTime() < until) for (int i = 0; i < 100; i++) burn(i); }
    static void burn(int n) { int x = n; for (int i = 0; i < 50000; i++) x = x * 31 + (x >>> 3); sink = x; }
    public static void main(String[] a) { spin(System.nanoTime() + 1_500_000_000L); }
}
"""


class Jfr(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        source = pathlib.Path(self.folder.name) / "OneEdge.java"
        source.write_text(PROGRAM)
        self.classes = compile_java([source], out=self.folder.name)

    @each_jdk()
    def test_the_only_hot_edge_has_nearly_all_samples_and_the_right_bci(self, jdk):
        recording = pathlib.Path(self.folder.name) / f"{jdk}.jfr"
        settings = f"filename={recording},settings={configs.jfc_folder()}/10ms.jfc"
        run(java(jdk), f"-XX:StartFlightRecording={settings}", "-XX:-Inline", "-cp", self.classes, "OneEdge")
        top, stacks, samples = jfr.load(jfr.convert(recording, jdk))
        listing = run(java(jdk, "javap"), "-c", "-p", "-cp", self.classes, "OneEdge").stdout
        bci = next(int(line.split(":")[0]) for line in listing.splitlines() if "Method burn" in line)
        hot = "OneEdge.spin(J)V", bci, "OneEdge.burn(I)V"
        self.assertGreater(samples, 10)
        self.assertGreater(top[hot], 0.9 * sum(top.values()))
        main = [e for e in stacks if e[2] == "OneEdge.spin(J)V"]
        self.assertEqual([e[0] for e in main], ["OneEdge.main([Ljava/lang/String;)V"])
        self.assertGreater(graph.overlap(top, {hot: 1}), 90)

    @unittest.skipIf(max(JDKS) < 25, "method timing came with JDK 25")
    def test_method_timing_counts_exactly(self):
        source = pathlib.Path(self.folder.name) / "Counted.java"
        source.write_text("public class Counted { static int s; static void f() { s++; }"
                          " public static void main(String[] a) { for (int i = 0; i < 12345; i++) f(); } }")
        classes = compile_java([source], out=self.folder.name)
        recording = pathlib.Path(self.folder.name) / "timing.jfr"
        counts = jfr.method_timing([java(max(JDKS)), "-cp", classes, "Counted"], max(JDKS),
                                   ["Counted::f"], recording)
        self.assertEqual(counts, {"Counted::f": 12345})


if __name__ == "__main__":
    unittest.main()
