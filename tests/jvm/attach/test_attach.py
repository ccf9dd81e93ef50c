"""What the command line says and does around a JVM: attaching twice, paths, what it cannot reach."""
import os
import pathlib
import shlex
import signal
import subprocess
import tempfile
import unittest

from assay_test import ASSAY, ROOT, assay, compile_java, each_jdk, java, show_json

RATIOS = ROOT / "tests" / "jvm" / "calls" / "Ratios.java"


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.classes = compile_java([RATIOS])

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="assay attach-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def start(self, version, *flags, **more):
        process = subprocess.Popen([java(version), *flags, "-cp", self.classes, "Ratios", "forever"], stdout=subprocess.PIPE, text=True,
                                   **more)
        self.addCleanup(process.wait)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.kill)
        process.stdout.readline()
        return process


class Attaching(Case):
    @each_jdk()
    def test_a_session_keeps_its_file_and_says_which_it_is(self, version):
        pid = self.start(version).pid
        first, second = self.folder / "first", self.folder / "second"
        assay("attach", pid, "-o", first)
        refused = assay("attach", pid, "-o", second, check=False)
        self.assertEqual(refused.returncode, 3)
        self.assertIn(f"is being profiled into {first}", refused.stderr)
        changed = assay("attach", pid, "-o", first, "--samples", "64")
        self.assertIn(f"changed: samples=64; it writes {first}", changed.stderr)
        ended = assay("attach", pid, "--for", "100ms")
        self.assertIn(f"wrote {first}", ended.stderr)
        self.assertEqual(os.listdir(self.folder), ["first"])
        self.assertEqual(show_json(first)["metadata"]["output"], str(first))
        self.assertIn("nothing is being profiled", assay("detach", pid, check=False).stderr)
        first.unlink()

    @each_jdk()
    def test_a_foreign_file_stays(self, version):
        foreign = self.folder / "foreign"
        foreign.write_text("precious")
        refused = assay("attach", self.start(version).pid, "-o", foreign, check=False)
        self.assertEqual(refused.returncode, 2)
        self.assertEqual(foreign.read_text(), "precious")

    @each_jdk()
    def test_a_session_whose_file_is_gone_has_written_nothing(self, version):
        process = self.start(version)
        path = self.folder / "x"
        asking = subprocess.Popen([str(ASSAY), "attach", str(process.pid), "-o", path, "--for", "600s"], stderr=subprocess.PIPE,
                                  text=True)
        self.assertIn("started", asking.stderr.readline())
        process.kill()
        process.wait()
        rest = asking.communicate(timeout=60)[1]
        self.assertEqual(asking.returncode, 3, rest)
        self.assertNotIn("wrote", rest)

    @each_jdk()
    def test_input_files_are_found_where_the_user_is(self, version):
        (self.folder / "weights.txt").write_text("arithmetic 7\n")
        pid = self.start(version, cwd="/").pid
        assay("attach", pid, "--collect", "bytecodes", "--weights", "weights.txt", "-o", "x", cwd=self.folder)
        assay("detach", pid)
        self.assertTrue((self.folder / "x").exists())
        missing = assay("attach", pid, "--collect", "bytecodes", "--weights", "none", check=False)
        self.assertEqual(missing.returncode, 2)
        self.assertIn("there is no file", missing.stderr)

    @each_jdk()
    def test_a_stopped_jvm_is_not_waited_for(self, version):
        process = self.start(version)
        assay("attach", process.pid, "-o", self.folder / "x")
        process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WNOWAIT)
        refused = assay("detach", process.pid, check=False, timeout=60)
        self.assertEqual(refused.returncode, 3)
        self.assertIn(f"kill -CONT {process.pid}", refused.stderr)
        process.send_signal(signal.SIGCONT)
        assay("detach", process.pid)
        (self.folder / "x").unlink()

    @each_jdk((25,))
    def test_a_jvm_that_loads_no_agents_says_so_itself(self, version):
        process = self.start(version, "-XX:-EnableDynamicAgentLoading")
        refused = assay("attach", process.pid, check=False)
        self.assertEqual(refused.returncode, 3)
        self.assertIn("EnableDynamicAgentLoading", refused.stderr)


class Running(Case):
    @each_jdk()
    def test_a_script_and_blanks_in_paths(self, version):
        command = shlex.join([java(version), "-cp", self.classes, "Ratios", "1"])
        path = self.folder / "a b's"
        result = assay("run", "--collect", "exact", "--include", "Ratios", "-o", path, "--", "sh", "-c", command)
        self.assertIn("sum", result.stdout)
        self.assertIn("Ratios.g(I)I", {edge["callee"] for edge in show_json(path)["edges"]})
        path.unlink()
        result = assay("run", "--collect", "exact", "--include", "Ratios", "-o", path, "--", "sh", "-c", f"{command}; {command}")
        self.assertIn("2 JVMs", result.stderr)
        each = sorted(self.folder.glob("a b's.*"))
        self.assertEqual(len(each), 2)
        for profile in each:
            self.assertIn("Ratios.g(I)I", {edge["callee"] for edge in show_json(profile)["edges"]})
            profile.unlink()

    @each_jdk()
    def test_a_refusal_of_the_agent_is_no_success(self, version):
        result = assay("run", "--via", "return", "-o", self.folder / "x", "--", java(version), "-Xint", "-cp", self.classes, "Ratios", "1",
                       check=False)
        self.assertIn("sum", result.stdout)
        self.assertEqual(result.returncode, 3, result.stderr)
        self.assertIn("nothing was profiled", result.stderr)


if __name__ == "__main__":
    unittest.main()
