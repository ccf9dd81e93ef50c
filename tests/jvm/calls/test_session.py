"""A session and its file: what a refused one leaves alone, when one ends, and what a running one cannot become."""
import os
import pathlib
import subprocess
import tempfile
import time
import unittest

from assay_test import AGENT, NEWEST, assay, compile_java, each_jdk, java, run, show_json

HERE = pathlib.Path(__file__).resolve().parent


class Sessions(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.classes = compile_java([HERE / "Ratios.java", HERE / "Waits.java"])

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.path = self.folder / "a.profile"

    def start(self, version, *options):
        process = subprocess.Popen([java(version), *options, "-cp", self.classes, "Ratios", "forever"], stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.wait)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.kill)
        process.stdout.readline()
        return process

    def wait_until(self, condition):
        deadline = time.time() + 60
        while not condition() and time.time() < deadline:
            time.sleep(0.05)
        self.assertTrue(condition())

    @each_jdk()
    def test_a_refused_session_leaves_the_old_profile(self, version):
        process = self.start(version)
        assay("attach", process.pid, "-o", self.path, "--for", "1s")
        older = self.path.read_bytes()
        for refused in (("--overhead", "0"), ("--until-accuracy", "99"), ("--samples", "64", "--via", "entry") if version < 20 else ("--overhead", "500%")):
            result = assay("attach", process.pid, "-o", self.path, *refused, check=False)
            self.assertEqual(result.returncode, 3, refused)
            self.assertEqual(self.path.read_bytes(), older)
            self.assertEqual(os.listdir(self.folder), ["a.profile"], "no temporary file is left")
        self.assertIsNone(process.poll())

    @each_jdk()
    def test_for_ends_a_session_that_flushes_later(self, version):
        process = self.start(version, f"-agentpath:{AGENT}=collect=calls,output={self.path},for=200ms,flush=1h")
        self.wait_until(lambda: "ended" not in show_json(self.path)["metadata"])
        self.assertIsNone(process.poll())
        self.assertEqual(assay("detach", process.pid, check=False).returncode, 3)

    @each_jdk()
    def test_for_counts_from_when_it_was_asked_for(self, version):
        process = self.start(version)
        assay("attach", process.pid, "-o", self.path)
        time.sleep(3)
        assay("attach", process.pid, "--for", "2s")
        self.assertGreater(float(show_json(self.path)["metadata"]["duration"].rstrip("s")), 4.5)

    @each_jdk()
    def test_a_running_session_keeps_its_file(self, version):
        process = self.start(version)
        assay("attach", process.pid, "-o", self.path)
        other = assay("attach", process.pid, "-o", self.folder / "b.profile", check=False)
        self.assertEqual(other.returncode, 3)
        self.assertIn(str(self.path), other.stderr)
        assay("attach", process.pid, "-o", self.path, "--tick", "2ms")
        self.assertIn(str(self.path), assay("detach", process.pid).stderr)
        self.assertEqual(os.listdir(self.folder), ["a.profile"])

    @each_jdk()
    def test_a_segment_that_cannot_be_written_is_said_and_the_session_goes_on(self, version):
        folder = self.folder / str(version)
        (folder / "a.profile.1").mkdir(parents=True)
        options = f"collect=contexts,output={folder / 'a.profile'},segment=300ms,flush=100ms,tick=1ms"
        with subprocess.Popen([java(version), f"-agentpath:{AGENT}={options}", "-cp", self.classes, "Ratios", "forever"],
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
            self.wait_until((folder / "a.profile.3").exists)
            process.terminate()
            errors = process.communicate(timeout=60)[1]
        self.assertEqual(errors.count("cannot write the profile"), 1, errors)
        self.assertIn("a.profile.1", errors)
        for name in ("a.profile.2", "a.profile.3"):
            self.assertGreater(len(show_json(folder / name, "contexts")["contexts"]), 0, name)
        self.assertNotIn("ended", show_json(folder / "a.profile")["metadata"], "not unfinished")

    def test_each_process_its_own_file(self):
        name = self.folder / "p-%p.profile"
        process = subprocess.Popen([java(NEWEST), f"-agentpath:{AGENT}=collect=calls,output={name}", "-cp", self.classes, "Ratios", "3"],
                                   stdout=subprocess.DEVNULL)
        self.assertEqual(process.wait(60), 0)
        self.assertEqual(os.listdir(self.folder), [f"p-{process.pid}.profile"])

    @unittest.skipUnless(os.path.exists("/dev/full"), "no device that is always full")
    def test_a_profile_that_cannot_be_finished_is_said(self):
        """The file is on a full disk: a tmpfs of four pages, where the user may mount one."""
        mount = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "none", self.folder], capture_output=True)
        if mount.returncode != 0:
            self.skipTest("cannot mount a small disk")
        self.addCleanup(subprocess.run, ["umount", self.folder], check=True)
        options = f"collect=exact,flush=1h,output={self.path}"
        result = run(java(NEWEST), f"-agentpath:{AGENT}={options}", "-cp", self.classes, "Ratios", "3")
        self.assertIn("sum", result.stdout)
        self.assertIn("is not finished", result.stderr)


if __name__ == "__main__":
    unittest.main()
