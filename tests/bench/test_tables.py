"""What the tables share: a table in which nothing was measured must not replace one in which something was, one that was stopped shows what it has."""
import pathlib
import sys
import tempfile
import types
import unittest
import unittest.mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "bench"), str(ROOT / "bench" / "workloads")]
from harness import accuracy, configs, machine, paths, results
from harness.limit import LIMIT, Spent
from tables import common, p1, p2_counts, p3, p3_same


def printed_by(table, quick):
    """The last thing that the table's command prints."""
    LIMIT.start(1000)
    with unittest.mock.patch("builtins.print") as printed:
        table(types.SimpleNamespace(quick=quick, jdk=[25], publish=False))
    return printed.call_args_list[-1].args[0]


class Publish(unittest.TestCase):
    def publish(self, *whys):
        run = types.SimpleNamespace(raw=pathlib.Path("x.jsonl"), rows=[{"why": why} for why in whys])
        with unittest.mock.patch.object(results, "publish"), unittest.mock.patch.object(results, "section") as section:
            common.publish(types.SimpleNamespace(publish=True), "p", "Title", "text", {}, [run])
        return section

    def test_what_was_measured_is_published(self):
        self.publish("", "ended early").assert_called_once()

    def test_failures_alone_are_refused(self):
        for whys in (("no class",), ("no class", "no class"), ()):
            with self.assertRaisesRegex(RuntimeError, "nothing could be measured"):
                self.publish(*whys)


class Accuracies(unittest.TestCase):
    def test_a_limit_costs_repeats_and_no_program(self):
        runs, allowed = [], 4

        def once(self, workload, config, is_ceiling, inferred):
            if len(runs) == allowed:
                raise Spent
            runs.append(workload.name)
            return [(config, {"call_sites": 50.0})]
        programs = [types.SimpleNamespace(name=name) for name in ("one", "two", "three")]
        with tempfile.TemporaryDirectory() as folder, unittest.mock.patch.object(paths, "RAW", pathlib.Path(folder)), \
                unittest.mock.patch.object(machine, "describe", lambda jdk: {"jvm": "j", "build": "b"}), \
                unittest.mock.patch.object(accuracy.Accuracy, "_once", once), \
                unittest.mock.patch.object(accuracy.Truths, "made", lambda self, workload: None):
            self.addCleanup(LIMIT.start, None)
            LIMIT.start(1000)
            config = configs.pick(["calls"])
            common.accuracies("t", types.SimpleNamespace(size="small"), 25, "paper", programs, config, 3)
        self.assertEqual(runs, ["one", "two", "three", "one"])
        self.assertEqual(LIMIT.left_out, ["two", "three", "one"])


class Checks(unittest.TestCase):
    """Property 1 with counts that are made up."""
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(LIMIT.start, None)
        programs = [types.SimpleNamespace(name=name) for name in ("a", "b")]
        for patch in (unittest.mock.patch.object(paths, "RAW", pathlib.Path(folder.name)),
                      unittest.mock.patch.object(machine, "describe", lambda jdk: {"build": self.build}),
                      unittest.mock.patch.object(p2_counts.cli, "jdks", lambda arguments: [25]),
                      unittest.mock.patch.object(p2_counts.cli, "workloads", lambda arguments, jdk: programs),
                      unittest.mock.patch.object(p2_counts, "count_checks", self.count)):
            patch.start()
            self.addCleanup(patch.stop)
        self.build, self.full = "b", 9e6

    def count(self, workload, jdk, mix, mode):
        if self.allowed == 0:
            raise Spent
        self.allowed -= 1
        return {"entries": 8e6, "back edges": 2e6, "checks": self.full if mode == "full" else 7e6}

    def table(self, allowed):
        self.allowed = allowed
        return printed_by(p2_counts.checks, quick=False)

    def test_stopped_it_shows_what_it_has_and_goes_on_there(self):
        text = self.table(13)                    # twelve for a program, and one of the next
        self.assertIn("| a, call-edge | 8.00 | 2.00 | 9.00 | 7.00 | 7.00 | 7.00 |", text)
        self.assertNotIn("| b, call-edge |", text)
        self.assertIn("not finished: b on JDK 25", text)
        text = self.table(12)
        self.assertIn("| a, call-edge,field-access |", text)
        self.assertIn("| b, call-edge,field-access |", text)
        self.assertEqual(self.allowed, 0)

    def test_another_build_counts_anew(self):
        self.table(24)
        self.build = "c"
        self.table(24)
        self.assertEqual(self.allowed, 0)

    def test_more_checks_than_entries_and_back_edges_fail(self):
        self.full = 11e6
        with self.assertRaisesRegex(RuntimeError, "Property 1 does not hold"):
            self.table(24)


class Lengths(unittest.TestCase):
    def test_a_row_has_every_program_of_that_length_and_a_mean_of_all_only(self):
        work = [types.SimpleNamespace(name=name) for name in ("a", "b")]
        rows = [{"workload": w, "iterations": n, "overlap": o, "bytecodes": 1.5e9 * n} for w, n, o in (("a", 1, 80), ("a", 2, 90), ("b", 2, 70))]
        self.assertEqual(p3.length_row(rows, 1, work), [1, "80.0 (1.50 G)", "-", "-"])
        self.assertEqual(p3.length_row(rows, 2, work), [2, "90.0 (3.00 G)", "70.0 (3.00 G)", "80.0"])


class SameWork(unittest.TestCase):
    """Exact counts of made-up programs."""
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(LIMIT.start, None)
        programs = [types.SimpleNamespace(name=name) for name in ("steady", "fickle", "broken")]
        for patch in (unittest.mock.patch.object(paths, "RAW", pathlib.Path(folder.name)),
                      unittest.mock.patch.object(machine, "describe", lambda jdk: {"build": "b"}),
                      unittest.mock.patch.object(p3_same.cli, "jdks", lambda arguments: [25]),
                      unittest.mock.patch.object(p3_same.cli, "workloads", lambda arguments, jdk, deterministic: programs),
                      unittest.mock.patch.object(p3_same, "profile", self.profile), unittest.mock.patch.object(p3_same, "bytecodes", self.bytecodes)):
            patch.start()
            self.addCleanup(patch.stop)
        self.runs = []

    def profile(self, workload, jdk, options, flags, out, size):
        if workload.name == "broken":
            raise RuntimeError("broken: no profile")
        self.runs.append((workload.name, flags))

    def bytecodes(self, path):
        name, flags = self.runs[-1]
        return {"A.f()V": 90, "A.g()V": 10 if name == "steady" or "-Xmx300m" not in flags else 15}

    def table(self):
        LIMIT.start(1000)
        with unittest.mock.patch("builtins.print") as printed:
            p3_same.itself(types.SimpleNamespace(quick=False, jdk=[25], publish=False, size="small"))
        return printed.call_args_list[-1].args[0]

    def test_a_program_that_differs_is_named_with_the_method_and_one_that_fails_with_the_reason(self):
        text = self.table()
        self.assertIn("| steady | 25 | yes, 4 times | +0.0000 | - |", text)
        self.assertIn("| fickle | 25 | no: 1 of 2 methods | +5.0000 | A.g: 10 -> 15 |", text)
        self.assertIn("| broken | 25 | failed | broken: no profile | - |", text)
        self.assertEqual([name for name, _ in self.runs], ["steady"] * 4 + ["fickle"] * 3)

    def test_what_was_counted_is_not_counted_again(self):
        self.table()
        self.runs.clear()
        self.assertIn("| steady | 25 | yes, 4 times |", self.table())
        self.assertEqual(self.runs, [])


class Bias(unittest.TestCase):
    """P1's programs, with runs that are made up."""
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(LIMIT.start, None)
        described = {"jvm": "j", "build": "b", "cpu": "c", "date": "d"}
        for patch in (unittest.mock.patch.object(paths, "RAW", pathlib.Path(folder.name)),
                      unittest.mock.patch.object(paths, "JDKS", {25: "nowhere"}),
                      unittest.mock.patch.object(machine, "describe", lambda jdk: described),
                      unittest.mock.patch.object(p1, "_ratio", lambda profile, kind: 1.02),
                      unittest.mock.patch.object(accuracy.Accuracy, "profile", self.profile)):
            patch.start()
            self.addCleanup(patch.stop)

    def profile(self, workload, config, out):
        if self.allowed == 0:
            raise Spent
        self.allowed -= 1
        return types.SimpleNamespace(ok=config.name != "p1-density", why="broken")

    def table(self, allowed):
        self.allowed = allowed
        return printed_by(p1.bias, quick=True)

    def test_stopped_it_shows_what_it_has_and_goes_on_there(self):
        text = self.table(4)
        self.assertIn("| call-density-bias | 1.020 [1.020, 1.020] | failed: broken | 1.020 [1.020, 1.020] |", text)
        self.assertIn("| latency-bias-2 | - | - | - |", text)
        self.assertIn("not finished: call-density-bias on JDK 25, latency-bias-2 on JDK 25", text)
        text = self.table(8)
        self.assertEqual(self.allowed, 0, "nothing is run twice")
        self.assertNotIn("not finished", text)
        self.assertIn("| latency-bias-2 | 1.020 [1.020, 1.020] |", text)


if __name__ == "__main__":
    unittest.main()
