"""The workloads build, compute what they should, and their runner notices when they do not."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench" / "workloads"))
import registry
import run as runner
from assay_test import JDKS, each_jdk, run


class Workloads(unittest.TestCase):
    def test_a_command_finds_its_program_compiled_on_a_fresh_machine(self):
        with tempfile.TemporaryDirectory() as folder, unittest.mock.patch.object(runner, "CLASSES", pathlib.Path(folder)):
            runner.build.cache_clear()
            try:
                words = runner.program(registry.WORKLOADS["collections"])
                path = words[words.index("-cp") + 1].split(":")
                self.assertTrue(any((pathlib.Path(p) / "bench/Collections.class").exists() for p in path), path)
            finally:
                runner.build.cache_clear()

    @each_jdk()
    def test_a_workload_computes_its_recorded_checksum(self, jdk):
        for name in ("collections", "exceptions", "edges-1000"):
            workload = registry.WORKLOADS[name]
            out = run(runner.java(jdk), *runner.program(workload, iterations=2)).stdout
            self.assertIsNone(runner.check(workload, "small", jdk, out))

    def test_a_wrong_checksum_or_none_is_reported(self):
        workload = registry.WORKLOADS["collections"]
        self.assertIn("instead of", runner.check(workload, "small", 17, "checksum abc\n"))
        self.assertIn("no checksum", runner.check(workload, "small", 17, "something\n"))

    def test_iterations_that_differ_fail(self):
        source = ("package bench; class Drift extends Workload { long n; protected void prepare(Options o) {}"
                  " protected long iterate() { return n++; }"
                  " public static void main(String[] a) { Driver.run(new Drift(), a); } }")
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "Drift.java"
            file.write_text(source)
            classes = runner.build()
            run(JDKS[min(JDKS)] / "bin" / "javac", "-cp", classes, "-d", folder, file)
            result = run(JDKS[min(JDKS)] / "bin" / "java", "-cp", f"{folder}:{classes}", "bench.Drift",
                         "--iterations", "2", check=False)
        self.assertEqual(result.returncode, 4)
        self.assertIn("iteration 1 computed 1, before 0", result.stderr)

    def test_marks_wait_for_the_harness(self):
        runner.build()
        command = [runner.java(min(JDKS)), *runner.program(registry.WORKLOADS["edges-1000"],
                                                          iterations=2, more=["--marks"])]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
            for number in range(3):
                self.assertEqual(child.stdout.readline().split(), ["mark", str(child.pid), str(number)])
                child.stdin.write("\n")
                child.stdin.flush()
            self.assertTrue(child.stdout.readline().startswith("checksum "))

    def test_every_small_workload_has_a_recorded_checksum(self):
        known = json.loads(runner.EXPECTED.read_text())
        for name in registry.WORKLOADS:
            self.assertTrue(any(key.split()[:2] == [name, "small"] for key in known), name)

    def test_jvm_flags_after_two_dashes_reach_the_jvm(self):
        script = pathlib.Path(runner.__file__)
        out = run(sys.executable, script, "edges-1000", "--print-command", "--", "-Xint", "-XX:-Inline").stdout
        words = out.split()
        self.assertEqual(words[1:3], ["-Xint", "-XX:-Inline"])
        self.assertIn("bench.Edges", words)

    def test_a_missing_package_is_named(self):
        ghost = registry.Workload("ghost", "Ghost", "", "libghost-java", ("ghost.jar",))
        registry.WORKLOADS["ghost"] = ghost
        try:
            chosen, skipped = registry.select(["ghost"])
        finally:
            del registry.WORKLOADS["ghost"]
        self.assertEqual((chosen, skipped), ([], [("ghost", "package libghost-java is missing")]))


if __name__ == "__main__":
    unittest.main()
