"""The time limit of a command, with a clock and programs that are made up: what is started, what is kept, what is said."""
import io
import math
import os
import pathlib
import sys
import tempfile
import time
import types
import unittest
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))
from assay_test import ROOT, run
from harness import accuracy, cli, experiment, limit, machine, process, selftest
from harness.limit import LIMIT, Spent
from tables import run as tables

INFO = {"jvm": "j", "build": "b", "cpu": "c", "date": "d"}
COMMANDS = ["accuracy/run.py", "accuracy/calibration.py", "overhead/run.py", "overhead/steady.py", "tables/run.py", "inlining/run.py",
            "scaling/run.py", "harness/selftest.py"]


def gone(stat):
    """Has the process behind /proc/N/stat ended?"""
    try:
        return stat.read_text().split()[2] in "ZX"
    except OSError:
        return True


class Workload:
    def __init__(self, name):
        self.name = name


class Limits(unittest.TestCase):
    """Each made-up run takes ten made-up seconds."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder, self.now, self.started = pathlib.Path(folder.name), 1000.0, []
        for target, name, value in ((LIMIT, "clock", lambda: self.now), (process, "run", self.fake),
                                    (machine, "describe", lambda jdk: INFO), (experiment.runner, "check", lambda *a: None)):
            patch = mock.patch.object(target, name, value)
            patch.start()
            self.addCleanup(patch.stop)
        self.addCleanup(LIMIT.start, None)

    def fake(self, command, timeout=300, cwd=None, env=None):
        LIMIT.check()
        if LIMIT.remaining() < 10:
            self.now += LIMIT.remaining()
            raise Spent
        self.now += 10
        self.started.append(command)
        result = process.Run()
        result.status, result.cpu, result.wall = 0, 1.0, 1.0
        return result

    def configs(self, *names):
        return [types.SimpleNamespace(name=n, label=n, kind="", min_jdk=0, infer_of="", command=lambda *a, n=n, **k: n) for n in names]

    def test_an_experiment_stops_and_keeps_only_whole_runs(self):
        LIMIT.start(35)
        one = experiment.Experiment("t", self.folder / "raw", 17, rounds=(10, 10), warmup=0)
        for name in ("a", "b"):
            one.run(Workload(name), self.configs("base", "x"), io.StringIO())
        self.assertEqual((self.started, len(one.rows), self.now), (["base", "x", "x"], 3, 1035))
        self.assertEqual([r["why"] for r in one.rows], ["", "", ""])
        self.assertEqual(LIMIT.sentence(), "Stopped by the time limit of 35 s; not finished: a, b.\n\n")

    def test_a_later_run_goes_on_where_the_limit_stopped(self):
        for _ in range(2):
            LIMIT.start(35)
            one = experiment.Experiment("t", self.folder / "raw", 17, rounds=(3, 3), warmup=0)
            one.run(Workload("a"), self.configs("base", "x"), io.StringIO())
        self.assertEqual(self.started, ["base", "x", "x", "base", "base", "x"])
        self.assertEqual(LIMIT.sentence(), "")

    def test_accuracy_stops_and_records_no_failure(self):
        LIMIT.start(25)
        with mock.patch.object(accuracy.paths, "RAW", self.folder), \
                mock.patch.object(accuracy.Truths, "made", lambda self, workload: None), \
                mock.patch.object(accuracy.Accuracy, "_once", lambda s, w, c, *a: [(c, {"call_sites": process.run([]).cpu})]):
            one = accuracy.Accuracy("t", self.folder / "raw", 17, "paper")
            one.run(Workload("a"), self.configs("x", "y", "z"), 2, io.StringIO(), with_ceiling=False)
        self.assertEqual([(r["config"], r["why"]) for r in one.rows], [("x", ""), ("y", "")])
        self.assertEqual(LIMIT.left_out, ["a"])

    def test_each_table_has_its_share_and_one_that_is_stopped_leaves_the_others_theirs(self):
        seen = []

        def greedy(arguments):
            seen.append(LIMIT.remaining())
            while True:
                process.run([])

        def short(arguments):
            seen.append(LIMIT.remaining())

        LIMIT.start(90)
        with mock.patch.dict(tables.TABLES, {"one": greedy, "two": short, "three": greedy}), \
                mock.patch("sys.stdout", io.StringIO()) as out:
            self.assertEqual(tables.make(["one", "two", "three"], None), [])
        self.assertEqual((seen, self.now), ([30, 30, 60], 1090))
        self.assertEqual(out.getvalue().count("the time limit ended it"), 2)

    def test_without_a_limit_nothing_stops(self):
        LIMIT.start(None)
        with LIMIT.share(5):
            self.assertEqual(LIMIT.remaining(), math.inf)
        self.assertEqual(LIMIT.sentence(), "")

    def test_the_self_test_without_a_pair_says_so_and_fails(self):
        LIMIT.start(5)
        with mock.patch.object(selftest.paths, "RAW", self.folder), mock.patch("sys.stderr", io.StringIO()):
            _, rows, good = selftest.slowdown(types.SimpleNamespace(budget=5), 25)
        self.assertFalse(good)
        self.assertEqual([r[1:] for r in rows], [["-", 0, "nothing: the time limit came first", "**no**"]] * 2)


class Programs(unittest.TestCase):
    def test_a_program_is_ended_at_the_limit(self):
        self.addCleanup(LIMIT.start, None)
        LIMIT.start(0.5)
        with self.assertRaises(Spent):
            process.run([sys.executable, "-c", "import time; time.sleep(60)"], timeout=50)
        with self.assertRaises(Spent):
            process.run([sys.executable, "-c", ""])
        LIMIT.start(0.5)
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaises(Spent):
                process.capture(["sh", "-c", f"sleep 60 & echo $! > {folder}/pid; wait"])
            child = pathlib.Path("/proc", pathlib.Path(folder, "pid").read_text().strip(), "stat")
            self.assertTrue(any(gone(child) or time.sleep(0.05) for _ in range(200)), "its child lives on")


class Commands(unittest.TestCase):
    def test_the_quick_form_is_limited_and_says_so(self):
        self.addCleanup(LIMIT.start, None)
        for words, expected in ((["--quick"], limit.QUICK), (["--quick", "--budget", "7"], 7), ([], None)):
            with mock.patch("sys.argv", ["x", *words]), mock.patch("sys.stderr", io.StringIO()) as errors:
                cli.parse(cli.parser("d"))
                self.assertEqual(errors.getvalue(), "", "nothing before the first program: the options may be wrong")
                LIMIT.check()
                LIMIT.check()
            self.assertEqual(LIMIT.seconds, expected)
            self.assertEqual(errors.getvalue(), f"time limit {expected:g} s: stops there and shows what it has\n"
                             if expected else "")
        self.assertLess(limit.QUICK, 300)

    def test_every_command_states_the_limit_and_starts_it(self):
        for command in COMMANDS:
            with self.subTest(command=command):
                self.assertIn(f"stops itself after {limit.QUICK} s", " ".join(run(
                    sys.executable, ROOT / "bench" / command, "--help", env={**os.environ, "COLUMNS": "200"}).stdout.split()))
                self.assertIn("cli.parse(", (ROOT / "bench" / command).read_text())


class SelfTest(unittest.TestCase):
    def test_the_verdicts(self):
        for ratios, slower, right in (([1.0, 1.001, 0.999] * 6, False, True), ([1.0, 1.001, 0.999] * 6, True, False),
                                      ([1.01, 1.011, 1.009] * 6, True, True), ([1.01, 1.011, 1.009] * 6, False, False),
                                      ([1.05, 1.051, 1.049] * 6, True, False)):
            cells, good = selftest.judge(ratios, slower)
            self.assertEqual((good, cells[-1]), (right, "yes" if right else "**no**"))

    def test_an_accuracy_loss_of_five_points_is_seen_through_files_and_the_tool(self):
        rows, good = selftest.loss()
        self.assertTrue(good)
        self.assertEqual([r[3] for r in rows], ["0.00 points", "5.00 points"])
        with mock.patch.object(selftest.graph, "perturb", lambda sampled, truth, points: sampled):
            rows, good = selftest.loss()
        self.assertFalse(good)
        self.assertEqual([r[4] for r in rows], ["yes", "**no**"])


if __name__ == "__main__":
    unittest.main()
