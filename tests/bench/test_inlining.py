"""The bench of plans on made-up runs: lengths, ratios, failures; nothing is timed."""
import argparse
import importlib.util
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench" / "inlining"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))
from assay_test import ROOT
from harness import experiment, machine, paths
import plans

spec = importlib.util.spec_from_file_location("inlining_run", ROOT / "bench/inlining/run.py")   # several are called run.py
inlining = sys.modules["inlining_run"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(inlining)

INFO = {"jvm": "j", "build": "b", "cpu": "c", "date": "d"}


class Inlining(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        for patch in (mock.patch.object(paths, "RAW", pathlib.Path(folder.name)), mock.patch.object(machine, "describe", lambda jdk: dict(INFO)),
                      mock.patch.object(machine, "build_id", lambda: "b")):
            patch.start()
            self.addCleanup(patch.stop)

    def bench(self, **more):
        given = {"workload": ["h2", "rhino"], "quick": False, "matrix": False, "profile": None, "tune": 0, "iterations": 0, "seconds": 8, **more}
        return inlining.Bench(argparse.Namespace(**given), 25, "real", 0)

    def add(self, bench, name, config, number, seconds):
        workload = next(w for w in bench.work if w.name == name)
        run = bench.experiment(workload)
        run._add({"workload": name, "config": config, "round": number, "why": "", "cpu": 9.0, "steady_program": seconds})

    def test_runs_last_as_long_as_asked_and_are_measured_once(self):
        times = {"h2": 0.25, "rhino": 4.0}
        with mock.patch.object(experiment, "iteration_seconds", lambda workload, jdk, size: times.pop(workload.name)):
            lengths = [[bench.experiment(w).iterations for w in bench.work] for bench in (self.bench(), self.bench())]
        self.assertEqual(lengths, [[32, 12], [32, 12]])  # the second time nothing is left to measure

    def test_each_program_is_compared_with_itself(self):
        with mock.patch.object(experiment, "iteration_seconds", lambda workload, jdk, size: {"h2": 0.25, "rhino": 0.1}[workload.name]):
            bench = self.bench()
            for number in (0, 1):
                for name, base, planned in (("h2", 1.0, 0.5), ("rhino", 3.0, 6.0)):
                    self.add(bench, name, "base", number, base)
                    self.add(bench, name, "null", number, base)
                    self.add(bench, name, "corrected assay", number, planned)
            resumed = self.bench()
            text = [b.text() for b in (bench, resumed) if [b.experiment(w) for w in b.work]]
        lines = text[0].splitlines()
        column = [c.strip() for c in next(l for l in lines if l.startswith("| program")).split("|")].index("corrected, assay")
        cells = {l.split("|")[1].strip(): l.split("|")[column].strip() for l in lines[2:7] if l.startswith("|")}
        self.assertEqual(cells["h2"], "2.00 [2.00, 2.00]")
        self.assertEqual(cells["rhino"], "0.50 [0.50, 0.50]")
        self.assertTrue(cells["**geometric mean**"].startswith("1.000"), cells)
        self.assertIn("2 to 2 pairs of runs", text[0])
        self.assertIn("h2 32, rhino 80", text[0])
        self.assertEqual(text[0], text[1])

    def test_a_program_that_cannot_be_run_is_said_and_left_out(self):
        def fail(workload, jdk, size):
            raise experiment.Failed("wrong output")
        with mock.patch.object(experiment, "iteration_seconds", fail):
            bench = self.bench()
            bench.deadline = float("inf")
            bench.measure()
        self.assertIn("h2: wrong output", bench.text())


if __name__ == "__main__":
    unittest.main()
