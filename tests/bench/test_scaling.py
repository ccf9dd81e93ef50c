"""The scaling bench on made-up runs: what is compared, what growth is blamed on, failures, resuming; nothing is timed."""
import importlib.util
import json
import pathlib
import subprocess
import sys
import tempfile
import types
import unittest
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench" / "scaling"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))
from assay_test import JDKS, ROOT
from harness import configs, experiment, machine, process
from harness.limit import LIMIT
import growth
import long

spec = importlib.util.spec_from_file_location("scaling_run", ROOT / "bench/scaling/run.py")   # several are called run.py
scaling = sys.modules["scaling_run"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(scaling)

INFO = {"jvm": "j", "build": "b", "cpu": "c", "date": "d"}


def row(config, number, cpu=1.0, kb=1000, why="", **more):
    return {"workload": "w", "config": config, "round": number, "why": why, "cpu": 2.0, "steady_cpu": cpu, "last_kb": kb,
            "rss_kb": kb, "profile_bytes": 0, **more}


class Long(unittest.TestCase):
    def test_growth_is_that_of_the_second_half_of_the_time(self):
        seen = [(s, 50_000 + 900 * min(s, 30) + 4 * max(0, s - 30), 1000 + 10 * s) for s in range(1, 101)]
        name, cpu, ticks, memory, hour, written, written_hour = long.cells({"config": "calls", "seen": seen})
        self.assertEqual((name, cpu, ticks), ("calls", "100", "100,000"))
        self.assertEqual((memory, hour), ("75.3 -> 75.5", "225.0 KB ± 0 B"))             # 4 KB a second at 1 ms, in 3,600 s at 64 ms
        self.assertEqual(written_hour, "562 B ± 0 B")

    def test_the_plain_run_has_no_ticks_and_no_profile(self):
        seen = [(s, 1000 + s, 0) for s in range(1, 9)]
        self.assertEqual(long.cells({"config": "base", "seen": seen}), ["base", "8", "-", "1.0 -> 1.0", "3.5 MB ± 0 B", "-", "-"])

    def test_a_slope_has_its_error(self):
        self.assertEqual(long.slope([(1, 1), (2, 3), (3, 5)]), (2, 0))
        rate, error = long.slope([(0, 0), (1, 2), (2, 0), (3, 2)])
        self.assertAlmostEqual(rate, 0.4)
        self.assertGreater(error, 0.3)
        self.assertIsNone(long.slope([(1, 1), (2, 2)]))
        self.assertIsNone(long.slope([(1, 1), (1, 2), (1, 3)]))


class Steps(unittest.TestCase):
    def test_each_run_is_compared_with_the_plain_one_of_its_round(self):
        rows = [row("base", 0, 1.0, 10240), row("base", 1, 2.0, 20480), row("calls", 0, 1.1, 12288), row("calls", 1, 2.2, 22528),
                row("calls", 2, 9.0, 99999), row("calls", 3, why="broken")]
        step = growth.Step(rows, "w", "calls")
        self.assertEqual(len(step.pairs), 2)
        self.assertAlmostEqual(step.overhead().value, 10)
        self.assertAlmostEqual(step.more("last_kb").value, 2)
        self.assertIsNone(growth.Step(rows, "w", "contexts").overhead())

    def test_the_time_that_a_collector_accounts_for(self):
        profile = {"metadata": {"hook-ms": "6", "walk-ms": "14", "ticks": "7"}, "edges": [{"samples": 3}, {"samples": 4}], "lost": {"x": 2}}
        columns = growth.profile_columns(profile)
        self.assertEqual(columns, {"edges": 2, "samples": 7, "ticks": 7, "lost": 2, "own_ms": 20.0})
        self.assertAlmostEqual(growth.Step([row("calls", 0, **columns)], "w", "calls").own_share(), 1)

    def test_growth_is_divided_by_what_grew_and_compared_with_the_control(self):
        def step(config, mb):
            return growth.Step([row("base", 0, kb=1000), row(config, 0, kb=1000 + 1024 * mb)], "w", config)
        sizes, beyond = growth.memory([step("calls", 10), step("calls", 30)], [step("null", 1), step("null", -2)], "rss_kb")
        self.assertTrue(beyond)
        self.assertEqual(growth.per_unit(sizes, [0, 20]), 1 << 20)
        _, beyond = growth.memory([step("calls", 10), step("calls", 11)], [step("null", 1), step("null", -2)], "rss_kb")
        self.assertFalse(beyond)
        self.assertIsNone(growth.per_unit(sizes, [5, 5]))
        self.assertIsNone(growth.per_unit([None, 1], [1, 2]))
        self.assertEqual([growth.size(n) for n in (12, 3482, -(5 << 20))], ["12 B", "3.4 KB", "-5.0 MB"])


class Memory(unittest.TestCase):
    def test_a_program_is_not_charged_with_the_memory_of_the_one_that_started_it(self):
        ours = bytearray(300 << 20)
        for place in range(0, len(ours), 4096):
            ours[place] = 1
        result = process.run([sys.executable, "-c", "import os; print('mark', os.getpid(), 0, flush=True); input()"])
        self.assertLess(result.rss_kb, 150 << 10)
        self.assertGreater(result.resident["VmRSS"], 1 << 10)


class Command(unittest.TestCase):
    """Every program is made up; `contexts` always fails."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder, self.started = pathlib.Path(folder.name), []
        for target, name, value in ((scaling.paths, "RAW", self.folder), (process, "run", self.fake), (machine, "describe", lambda jdk: INFO),
                                    (experiment.runner, "check", lambda *a: None), (experiment.Experiment, "progress", lambda *a: None)):
            patch = mock.patch.object(target, name, value)
            patch.start()
            self.addCleanup(patch.stop)
        self.addCleanup(LIMIT.start, None)

    def fake(self, command, timeout=300, cwd=None, env=None):
        LIMIT.check()
        words = " ".join(map(str, command))
        self.started.append(words)
        result = process.Run()
        result.status, result.cpu, result.wall = 0, 1.0, 1.0
        result.marks = [(float(i), float(i), float(i)) for i in range(50)]
        result.resident, result.rss_kb = {"VmRSS": 5000, "RssAnon": 4000, "RssFile": 1000}, 6000
        if "contexts" in words:
            result.status, result.why = 1, "broken on purpose"
        elif "-o" in map(str, command):
            out = pathlib.Path(command[list(command).index("-o") + 1])
            out.write_text("no profile" if "edges" in words else "")
        return result

    def bench(self, axis="threads"):
        arguments = types.SimpleNamespace(quick=True, axis=[axis])
        return scaling.Bench(arguments, max(JDKS), configs.pick(["base", "null", "calls", "contexts"]))

    def measured(self, axis="threads"):
        bench = self.bench(axis)
        shown = subprocess.CompletedProcess([], 0, json.dumps({"metadata": {}, "edges": [{"samples": 1}], "lost": {}}), "")
        with mock.patch.object(growth.subprocess, "run", lambda *a, **k: shown):
            bench.measure()
        return bench

    def test_a_failing_configuration_leaves_the_others_their_figures(self):
        text = self.measured().text(self.folder)
        self.assertIn("| 1,000 | calls, default options | +0.0 [0.0, 0.0] | +0.0", text)
        self.assertIn("| 1,000 | contexts at 1 ms | failed |", text)
        self.assertIn("- threads 1,000, contexts: `broken on purpose`", text)
        for kind in ("overhead", "memory"):
            self.assertIn("<svg", (self.folder / f"scaling-threads-{kind}-{max(JDKS)}.svg").read_text())

    def test_a_profile_that_cannot_be_read_is_a_failure(self):
        bench = self.bench()
        bench.measure()                      # `assay show` of an empty file
        self.assertIn("unreadable profile", bench.failures())

    def test_it_goes_on_where_it_was_stopped(self):
        self.measured()
        first = len(self.started)
        self.measured()
        self.assertGreater(first, 0)
        self.assertEqual(len(self.started), first)

    def test_every_axis_has_its_programs(self):
        for axis, settings in scaling.AXES.items():
            for place in {**settings.iterations, **settings.quick}:
                self.assertTrue(scaling.program(axis, place).main)


if __name__ == "__main__":
    unittest.main()
