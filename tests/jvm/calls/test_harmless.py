"""--collect calls leaves programs as they are, whatever the collector and however hard they are on it, and leaves a JVM without traces."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import unittest

from assay_test import ASSAY, BUILD, ROOT, assay, compile_java, each_jdk, java, run, show_json
from test_calls import PLAIN, weights

HERE = pathlib.Path(__file__).parent
COLLECTORS = ("Serial", "Parallel", "G1", "Z", "Shenandoah")


class Collectors(unittest.TestCase):
    @each_jdk()
    def test_same_output_under_every_collector(self, version):
        for collector in COLLECTORS:
            path = tempfile.mktemp(suffix=".profile")
            environment = dict(os.environ, JAVA_TOOL_OPTIONS=f"-XX:+Use{collector}GC -Xmx256m")
            result = run(sys.executable, ROOT / "bench/workloads/run.py", "collections", "--jdk", version,
                         "--iterations", "2", "--agent", f"{BUILD}/libassay.so=output={path},tick=300us",
                         env=environment, check=False)
            self.assertEqual(result.returncode, 0, result.stderr[-2000:])
            data = show_json(path)
            self.assertGreater(sum(e["samples"] for e in data["edges"]), 0, collector)


class CheckedJni(unittest.TestCase):
    @each_jdk()
    def test_the_jvm_has_nothing_to_complain_of(self, version):
        classes = compile_java([HERE / "Ratios.java"])
        path = tempfile.mktemp(suffix=".profile")
        for collect in ("calls", "contexts", "exact", "sampled", "bytecodes"):
            with self.subTest(collect=collect):
                result = assay("run", "--collect", collect, "-o", path, "--", java(version), "-Xcheck:jni", "-cp", classes, "Ratios", "50")
                self.assertNotIn("WARNING", result.stdout + result.stderr)


class Programs(unittest.TestCase):
    """Programs that are hard on the machinery; each checks its own output."""

    def run_program(self, version, name, options=""):
        path = tempfile.mktemp(suffix=".profile")
        result = run(sys.executable, ROOT / "bench/workloads/run.py", name, "--jdk", version, "--iterations",
                     "1", "--agent", f"{BUILD}/libassay.so=output={path},tick=200us{options}", check=False,
                     timeout=200)
        self.assertEqual(result.returncode, 0, result.stdout[-500:] + result.stderr[-2000:])
        data = show_json(path)
        samples = sum(e["samples"] for e in data["edges"])
        failed = sum(n for reason, n in data["lost"].items() if reason.startswith("walk failed"))
        self.assertLessEqual(failed, max(2, samples * 0.001), data["lost"])
        self.assertGreater(samples, 0)
        return data

    @each_jdk()
    def test_classes_that_come_and_go_keep_their_names(self, version):
        data = self.run_program(version, "class-storm")
        for edge in data["edges"]:
            self.assertRegex(edge["callee"], r"\S+\.\S+\(.*\)|<native>")

    @each_jdk()
    def test_exceptions_and_deoptimization(self, version):
        self.run_program(version, "exceptions")

    @each_jdk()
    def test_many_threads(self, version):
        self.run_program(version, "threads-1000")

    @each_jdk(versions=(25,))
    def test_virtual_threads(self, version):
        self.run_program(version, "virtual-threads")


class Traces(unittest.TestCase):
    """What is left in a JVM after detach: nothing."""

    @classmethod
    def setUpClass(cls):
        cls.classes = compile_java([HERE / "Ratios.java", HERE / "Waits.java", HERE / "Churn.java"])

    def setUp(self):
        self.address = {}

    def start(self, version, *program, lines=3):
        process = subprocess.Popen([java(version), *PLAIN, "-cp", self.classes, *(program or ("Ratios", "forever"))],
                                   stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.wait)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.kill)
        for _ in range(lines):
            process.stdout.readline()
        return process

    def state(self, pid, version):
        """Stub bytes, guard words of all threads, signal handlers, timers, and our threads."""
        doctor = json.loads(assay("doctor", "--pid", pid, "--json").stdout)["mechanisms"]
        why = {m["name"]: m["why"] for m in doctor}
        state = {}
        dump = run(java(version, "jcmd"), pid, "Thread.print").stdout
        with open(f"/proc/{pid}/mem", "rb", 0) as memory:
            for name in ("entry", "return"):
                if match := re.search(r" at (0x[0-9a-f]+)$", why[name]):
                    self.address[name] = int(match[1], 16)
                    memory.seek(self.address[name])
                    state[name] = memory.read(16)
            for thread in re.findall(r'^"(?:main|Signal Dispatcher|Finalizer)".* tid=(0x[0-9a-f]+)', dump, re.M):
                if match := re.search(r"guard at thread\+(\d+)", why["entry"]):
                    memory.seek(int(thread, 16) + int(match[1]))
                    word = int.from_bytes(memory.read(4), "little")
                    state[thread, "guard marked"] = word >> 30
                if match := re.search(r"poll word at thread\+(\d+)", why["return"]):
                    memory.seek(int(thread, 16) + int(match[1]))
                    state[thread, "poll marked"] = int.from_bytes(memory.read(8), "little") == 2
        status = pathlib.Path(f"/proc/{pid}/status").read_text()
        state["handlers"] = re.search(r"SigCgt:.*", status)[0]
        timers = pathlib.Path(f"/proc/{pid}/timers")
        state["timers"] = timers.read_text() if timers.exists() else ""
        names = [pathlib.Path(f"/proc/{pid}/task/{t}/comm").read_text().strip()
                 for t in os.listdir(f"/proc/{pid}/task")]
        state["threads"] = [n for n in names if n.startswith("assay")]
        return state

    @each_jdk()
    def test_detach_leaves_the_jvm_as_it_was(self, version):
        process = self.start(version)
        pid = process.pid
        before = self.state(pid, version)
        for i, options in enumerate((("--tick", "200us"), ("--ticker", "cpu"), ("--via", "return"))):
            path = tempfile.mktemp(suffix=".profile")
            assay("attach", pid, "-o", path, *options)
            mechanism = "return" if version < 20 or "return" in options else "entry"
            deadline = time.time() + 30
            while time.time() < deadline and not os.path.exists(path):
                time.sleep(0.1)
            time.sleep(1.5)
            assay("attach", pid, "--samples", "64")  # changes the running one
            time.sleep(0.7)
            assay("detach", pid)
            self.assertEqual(self.state(pid, version), before, options)
            self.assertIn(("f", "g"), weights(path), f"round {i} {mechanism}")
        self.assertIsNone(process.poll())

    @each_jdk()
    def test_a_new_session_counts_from_zero(self, version):
        pid = self.start(version).pid
        counts = []
        for tick in ("1ms", "200ms"):
            path = tempfile.mktemp(suffix=".profile")
            assay("attach", pid, "-o", path, "--tick", tick)
            time.sleep(2)
            assay("detach", pid)
            metadata = show_json(path)["metadata"]
            counts.append({name: int(metadata[name]) for name in ("ticks", "ticks-in-java")})
        first, second = counts
        self.assertGreater(first["ticks"], 500)
        self.assertLess(second["ticks"], 100)
        self.assertLessEqual(second["ticks-in-java"], 100)

    @each_jdk()
    def test_a_session_that_found_little_does_not_slow_the_next_one_down(self, version):
        pid = self.start(version, "Waits", "60000", lines=1).pid
        first = []
        for length in ("2s", "200ms"):
            path = tempfile.mktemp(suffix=".profile")
            assay("attach", pid, "-o", path, "--for", length)
            first.append(show_json(path)["metadata"]["tick"].split(",")[0])
        self.assertEqual(*first)

    @each_jdk()
    def test_a_program_that_runs_already_pays_no_opening(self, version):
        """Unless it is looked at for seconds only."""
        pid = self.start(version).pid
        # Whoever asks for an accuracy waits for it.
        asked = ("--until-accuracy", "30")
        for options, first in (((), "6ms"), (("--tick", "2ms"), "2ms"), (("--for", "1s"), "1ms"), (asked, "6ms")):
            path = tempfile.mktemp(suffix=".profile")
            assay("attach", pid, "-o", path, *options)
            if "--for" not in options and options != asked:
                time.sleep(2)
                assay("detach", pid)
            self.assertEqual(show_json(path)["metadata"]["tick"].split(",")[0], first)

    @each_jdk()
    def test_the_share_is_changed_or_left_as_it_was(self, version):
        pid = self.start(version).pid
        path = tempfile.mktemp(suffix=".profile")
        assay("attach", pid, "-o", path)
        for refused in (("--overhead", "5%", "--via", "probe"), ("--overhead", "5%", "--tick", "4ms"), ("--overhead", "500%")):
            self.assertNotEqual(assay("attach", pid, *refused, check=False).returncode, 0, refused)
        time.sleep(1.5)
        before = show_json(path)["metadata"]
        self.assertEqual((before["overhead"], before["tick"].split(",")[0]), ("1%", "6ms"))
        for options, overhead, tick in ((("--tick", "2ms"), None, "2ms"), (("--overhead", "100%"), "100%", "1ms")):
            assay("attach", pid, *options)
            time.sleep(1.5)
            after = show_json(path)["metadata"]
            self.assertEqual((after.get("overhead"), after["tick"].split(",")[0]), (overhead, tick))
        assay("detach", pid)

    @each_jdk()
    def test_no_thread_is_followed_beyond_its_end(self, version):
        """Whoever is still in the table after a detach would be touched by the next session, when the VM has freed him."""
        pid = self.start(version, "Churn", lines=1).pid
        path = tempfile.mktemp(suffix=".profile")
        for _ in range(5):
            assay("doctor", "--pid", pid)
            for collector in ("calls", "contexts", "calls"):
                assay("attach", pid, "--collect", collector, "-o", path)
                assay("detach", pid)
                self.assertNotIn("threads still followed from an earlier session", show_json(path)["lost"], collector)

    @each_jdk()
    def test_running_stub_is_diverted(self, version):
        """The test above would pass with an agent that does nothing: prove that it can fail."""
        process = self.start(version)
        before = self.state(process.pid, version)
        assay("attach", process.pid, "-o", tempfile.mktemp(suffix=".profile"))
        time.sleep(0.5)
        name = "return" if version < 20 else "entry"
        with open(f"/proc/{process.pid}/mem", "rb", 0) as memory:
            memory.seek(self.address[name])
            self.assertNotEqual(memory.read(16), before[name])
        assay("detach", process.pid)


class TooEarly(unittest.TestCase):
    """The signal by which a JVM is asked to listen kills one that does not handle it yet."""

    @classmethod
    def setUpClass(cls):
        cls.classes = compile_java([HERE / "Ratios.java"])

    @each_jdk()
    def test_attaching_to_a_jvm_that_has_hardly_begun(self, version):
        for _ in range(10):
            process = subprocess.Popen([java(version), "-cp", self.classes, "Ratios", "3"], stdout=subprocess.PIPE, text=True)
            maps = pathlib.Path(f"/proc/{process.pid}/maps")
            while process.poll() is None and "libjvm.so" not in maps.read_text():
                pass
            assay("detach", process.pid, check=False)
            out, _ = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 0)
            self.assertIn("sum", out)

    @each_jdk()
    def test_a_process_that_handles_no_signals(self, version):
        library = pathlib.Path(java(version)).parents[1] / "lib/server/libjvm.so"
        with subprocess.Popen([sys.executable, "-c", f"import ctypes, time; ctypes.CDLL('{library}'); print('up', flush=True); time.sleep(600)"],
                              stdout=subprocess.PIPE, text=True) as process:
            process.stdout.readline()
            refused = assay("attach", process.pid, check=False)
            self.assertNotEqual(refused.returncode, 0)
            self.assertIn("not ready for requests", refused.stderr)
            self.assertIsNone(process.poll())
            process.kill()

    @each_jdk()
    def test_nothing_stays_when_the_jvm_ends_meanwhile(self, version):
        with tempfile.TemporaryDirectory() as folder:
            process = subprocess.Popen([java(version), "-XX:+DisableAttachMechanism", "-cp", self.classes, "Ratios", "forever"],
                                       stdout=subprocess.PIPE, text=True, cwd=folder)
            self.addCleanup(process.kill)
            process.stdout.readline()
            asking = subprocess.Popen([ASSAY, "attach", str(process.pid)], stderr=subprocess.PIPE, text=True)
            wish = pathlib.Path(folder) / f".attach_pid{process.pid}"
            while asking.poll() is None and not wish.exists():
                time.sleep(0.01)
            self.assertTrue(wish.exists())
            process.kill()
            process.communicate()
            self.assertIn("does not answer", asking.communicate()[1])
            self.assertEqual(os.listdir(folder), [])

    @each_jdk()
    def test_a_jvm_without_signal_handlers(self, version):
        process = subprocess.Popen([java(version), "-Xrs", *PLAIN, "-cp", self.classes, "Ratios", "forever"], stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.wait)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.kill)
        process.stdout.readline()
        path = tempfile.mktemp(suffix=".profile")
        assay("attach", process.pid, "-o", path)
        time.sleep(1)
        assay("detach", process.pid)
        self.assertIsNone(process.poll())
        self.assertIn(("f", "g"), weights(path))


class Doctor(unittest.TestCase):
    @each_jdk()
    def test_says_what_works(self, version):
        report = json.loads(assay("doctor", "--json", "--", java(version)).stdout)
        works = {m["name"]: m["works"] for m in report["mechanisms"]}
        self.assertEqual(works["entry"], version >= 20)
        self.assertTrue(works["return"])
        self.assertTrue(works["probe"])
        self.assertTrue(works["ticker-remote"])

    @each_jdk()
    def test_refuses_without_compiled_code(self, version):
        report = json.loads(assay("doctor", "--json", "--", java(version), "-Xint").stdout)
        works = {m["name"]: m for m in report["mechanisms"]}
        self.assertFalse(works["entry"]["works"])
        self.assertFalse(works["return"]["works"])
        self.assertIn("found in only 0 of", works["return"]["why"])


if __name__ == "__main__":
    unittest.main()
