"""--collect contexts: every walk against the VM's own walker."""
import pathlib
import unittest

from assay_test import compile_java, each_jdk
from test_contexts import contexts, profile_of, short

HERE = pathlib.Path(__file__).parent
COLLECTORS = ("Serial", "Parallel", "G1", "Z", "Shenandoah")


class Walks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.classes = compile_java([HERE / "Shapes.java", HERE / "Waiting.java"])

    def verified(self, version, *command, options=(), flags=(), least=100):
        """Runs with every walk compared; returns the profile's contexts."""
        result, path = profile_of(version, *flags, "-cp", self.classes, *command,
                                  options=("--verify-walks", "true", *options))
        self.assertIn("done true", result.stdout)
        self.path = path
        data = contexts(path, "20")
        metadata = data["metadata"]
        self.assertEqual(metadata.get("walks-that-differ"), "0", metadata.get("first-difference"))
        self.assertGreater(int(metadata["walks-compared"]), least, metadata)
        self.assertNotIn("samples out of step with their thread", data["lost"])
        return data

    @each_jdk()
    def test_deep_recursion_is_walked_once(self, version):
        data = self.verified(version, "Shapes", "deep", "2", "5000", flags=("-Xss64m",))
        self.assertGreater(max(len(c["stack"]) for c in data["contexts"]), 5000)
        metadata = data["metadata"]
        self.assertGreater(int(metadata["walks-to-the-mark"]), int(metadata["walks-whole"]))
        self.assertNotIn("stacks deeper than max-frames, kept detached", data["lost"])

    @each_jdk()
    def test_exceptions_and_overflow(self, version):
        self.verified(version, "Shapes", "unwind", "1.5", "400")
        self.verified(version, "Shapes", "overflow", "1.5", least=20)

    @each_jdk()
    def test_growing_stacks_and_dying_threads(self, version):
        self.verified(version, "Shapes", "waves", "2", flags=("-Xss4m",))
        data = self.verified(version, "Shapes", "deaths", "2", least=20)
        names = {short(name) for c in contexts(self.path)["contexts"] for name in c["stack"]}
        self.assertIn("die", names)
        self.assertNotIn("threads not followed", data["lost"])

    @each_jdk()
    def test_all_collectors(self, version):
        for collector in COLLECTORS:
            for mode in ("threads", "storm"):  # storm: every way to leave frames, at the same time
                with self.subTest(collector=collector, mode=mode):
                    self.verified(version, "Shapes", mode, "1.5", flags=(f"-XX:+Use{collector}GC", "-Xmx256m"))

    @each_jdk()
    def test_interpreted_only(self, version):
        data = self.verified(version, "Shapes", "mixed", "1.5", flags=("-Xint",))
        self.assertIn("main", {short(name) for c in data["contexts"] for name in c["stack"]})

    @each_jdk()
    def test_one_frame_is_a_hot_method_counter(self, version):
        data = self.verified(version, "Shapes", "deep", "1.5", "200", options=("--max-frames", "1"))
        own = [c for c in contexts(self.path)["contexts"] if any("Shapes." in name for name in c["stack"])]
        # One frame, with what was inlined into it.
        self.assertLess(max(len(c["stack"]) for c in own), 8)
        spinning = sum(c["self"] for c in own if short(c["stack"][-1]) == "spin")
        self.assertGreater(spinning, 0.8 * sum(c["self"] for c in own))
        self.assertEqual(data["contexts"][0]["stack"][0], "<detached>")

    @each_jdk()
    def test_without_the_watermark(self, version):
        data = self.verified(version, "Shapes", "mixed", "1.5", options=("--watermark", "false"))
        self.assertEqual(data["metadata"]["walks-to-the-mark"], "0")
        self.assertIn("none", data["metadata"]["watermark"])

    @each_jdk(versions=(25,))
    def test_virtual_threads(self, version):
        data = self.verified(version, "Waiting", "200", options=("--tick", "500us"))
        names = {name for c in data["contexts"] for name in c["stack"]}
        self.assertTrue(any(name.startswith("Waiting.spin") for name in names), names)

    @each_jdk()
    def test_by_cpu_timers(self, version):
        """What is interrupted differs: the thread itself, at the scheduler's tick. Threads come and go meanwhile."""
        for mode in ("threads", "storm"):
            data = self.verified(version, "Shapes", mode, "3", options=("--tick", "4ms", "--ticker", "cpu"))
            self.assertEqual(data["metadata"]["ticker"], "cpu")


if __name__ == "__main__":
    unittest.main()
