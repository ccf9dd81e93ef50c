"""Exhaustive profiles are made once and kept; one run serves a configuration and the same with inference. Programs are made up."""
import dataclasses
import io
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))
from harness import accuracy, configs, machine, process, truth
from harness.limit import LIMIT, Spent
import registry

ONE = dataclasses.replace(registry.WORKLOADS["figure1"], name="one")
OTHER = dataclasses.replace(registry.WORKLOADS["square-sums"], name="other")


class Kept(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder, self.started, self.build = pathlib.Path(folder.name), [], "b1"
        self.classes = self.folder / "classes"
        (self.classes / "bench").mkdir(parents=True)
        for name in ("Figure1", "Figure1$1", "SquareSums", "Sum"):
            (self.classes / f"bench/{name}.class").write_text(name)
        for target, name, value in ((accuracy.paths, "RAW", self.folder), (process, "run", self.run_program),
                                    (machine, "describe", lambda jdk: {"jvm": "j", "build": self.build, "cpu": "c", "date": "d " + self.build}),
                                    (machine, "jvm", lambda jdk: f"jvm {jdk}"), (accuracy.runner, "check", lambda *a: None),
                                    (truth.runner, "build", lambda: self.classes), (accuracy.graph, "compare", self.compare), (accuracy.graph, "load", self.load),
                                    (accuracy.graph, "profile", self.profile),
                                    (accuracy.subprocess, "run", self.tool)):
            patch = mock.patch.object(target, name, value)
            patch.start()
            self.addCleanup(patch.stop)
        self.broken = False

    def run_program(self, command, timeout=300, cwd=None, env=None):
        words = " ".join(map(str, command))
        self.started.append("truth" if "exact" in words or "--samples all" in words else words)
        out = words.split("output=")[1].split()[0] if "output=" in words else words.split(" -o ")[1].split()[0]
        result = process.Run()
        result.status, result.why = 0, "broken" if self.broken else ""
        pathlib.Path(out).write_text("taken")
        return result

    def tool(self, command, **more):
        self.assertEqual(command[1], "infer")
        pathlib.Path(command[-1]).write_text(command[2].read_text() + " and inferred")

    def compare(self, a, b):
        return {"overlap": {"call_sites": float(len(pathlib.Path(b).read_text()))}}

    def load(self, path):
        return {("f", 1, "g"): len(pathlib.Path(path).read_text())}

    def profile(self, path):
        return {"metadata": {"accuracy": "80.00"},
                "edges": [{"caller": "f", "bci": 1, "callee": "g", "weight": len(pathlib.Path(path).read_text()), "error": 0.1}]}

    def test_claims_and_stated_errors_are_kept_beside_what_was_measured(self):
        run = self.measure(["calls"])
        self.assertEqual(run.value("one", "calls", "claimed"), 80)
        self.assertEqual(run.value("one", "calls", "held"), 100)

    def test_the_total_is_a_part_of_that_of_the_truth(self):
        run = self.measure(["calls", "calls-infer"])
        self.assertEqual(run.value("one", "calls", "total"), 1)
        self.assertEqual(run.value("one", "calls-infer", "total"), len("taken and inferred") / len("taken"))

    def measure(self, names, workload=ONE, repeats=1, setting="paper", jdk=25, **more):
        run = accuracy.Accuracy("t", self.folder / "raw.jsonl", jdk, setting, iterations=3, **more)
        run.run(workload, configs.pick(names), repeats, io.StringIO(), with_ceiling=False)
        return run

    def truths(self):
        return self.started.count("truth")

    def test_another_command_and_another_build_use_the_same_truth(self):
        for setting in accuracy.SETTINGS:
            self.started.clear()
            self.measure(["calls"], setting=setting)
            self.build = "b2"
            run = self.measure(["calls", "timer"], setting=setting)
            self.assertEqual((self.truths(), len(self.started)), (1, 4))
            self.assertEqual(run.truths.made(ONE)["build"], "b1")
            self.build = "b1"

    def test_another_jvm_program_or_length_has_its_own(self):
        self.measure(["calls"])
        self.measure(["calls"], jdk=17)
        self.measure(["calls"], size="large")
        self.measure(["calls"], OTHER)
        self.assertEqual(self.truths(), 4)

    def test_by_seconds_every_program_has_its_own_length_and_keeps_it(self):
        for seconds_each, workload in ((0.5, ONE), (0.1, OTHER), (9.9, ONE)):
            with mock.patch.object(accuracy.experiment, "iteration_seconds", lambda *a: seconds_each):
                self.measure(["calls"], workload, seconds=10)
        lengths = [words.split("--iterations ")[1].split()[0] for words in self.started if words != "truth"]
        self.assertEqual(lengths, ["20", "100"], "the third was there already")
        self.measure(["calls"])
        self.assertEqual(self.truths(), 3, "another length, another truth")

    def test_the_limit_may_end_it_before_a_length_is_known(self):
        self.addCleanup(LIMIT.start, None)
        LIMIT.start(10)
        with mock.patch.object(accuracy.experiment, "iteration_seconds", mock.Mock(side_effect=Spent)):
            run = self.measure(["calls"], seconds=10)
        self.assertEqual((run.rows, LIMIT.left_out), ([], ["one"]))

    def test_a_program_that_changed_is_counted_again_and_the_others_are_not(self):
        for _ in range(2):
            self.measure(["calls"])
            self.measure(["calls"], OTHER)
            (self.classes / "bench/Figure1$1.class").write_text("changed")
        self.assertEqual(self.truths(), 3)

    def test_a_fresh_truth_makes_old_rows_void(self):
        self.measure(["calls"])
        self.assertEqual(len(self.measure(["calls"]).rows), 1)
        self.assertEqual(len(self.started), 2)
        self.build = "b1 later"
        with mock.patch.object(machine, "describe", lambda jdk: {"jvm": "j", "build": "b1", "cpu": "c", "date": "later"}):
            self.assertEqual(len(self.measure(["calls"], fresh=True).rows), 1)
        self.assertEqual((self.truths(), len(self.started)), (2, 4))

    def test_a_truth_that_fails_is_tried_once_and_is_no_truth_later(self):
        self.broken = True
        run = self.measure(["calls", "timer"])
        self.assertEqual([r["why"] for r in run.rows], ["no truth for one: broken"] * 2)
        self.assertEqual(self.started, ["truth"])
        self.broken = False
        self.measure(["calls-off"])
        self.assertEqual(self.truths(), 2)

    def test_inference_takes_no_run_of_its_own(self):
        run = self.measure(["calls", "calls-infer", "timer"], repeats=2)
        self.assertEqual(len(self.started), 1 + 2 * 2)
        self.assertEqual([run.values("one", c) for c in ("calls", "calls-infer", "timer")],
                         [[5.0, 5.0], [float(len("taken and inferred"))] * 2, [5.0, 5.0]])
        self.assertIn("=collect=calls,infer=true,output=", self.started[1])
        alone = self.measure(["calls-full-infer"])
        self.assertIn("--correct full --infer true", self.started[-1])
        self.assertEqual(alone.values("one", "calls-full-infer"), [5.0])


if __name__ == "__main__":
    unittest.main()
