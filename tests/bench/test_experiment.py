"""The harness's loop on a made-up program: interleaving, failures, resuming, steady state."""
import io
import json
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))
from harness import experiment, machine, plots, process, results

PROGRAM = """
import sys
name, log = sys.argv[1:3]
open(log, 'a').write(name + ' ')
if name == 'bad': sys.exit('broken on purpose')
for i in range(4):
    print('mark', __import__('os').getpid(), i, flush=True); sys.stdin.readline()
    if i < 3: sum(range(20000 * (30 if i == 0 else 1)))
print('checksum', 'beef' if name != 'wrong' else 'dead')
"""


class Fake:
    """Stands for a configuration: runs a Python program instead of a JVM."""
    def __init__(self, name, log, min_jdk=0):
        self.name, self.label, self.kind, self.min_jdk, self.log = name, name, "", min_jdk, log

    def command(self, *unused):
        return [sys.executable, "-c", PROGRAM, self.name, self.log]


class FakeWorkload:
    name = "fake"


class Loop(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.log = str(self.folder / "log")
        check, describe = experiment.runner.check, machine.describe
        experiment.runner.check = lambda w, s, j, out: None if "beef" in out else "computed dead"
        machine.describe = lambda jdk: {"jvm": "j", "build": "b", "cpu": "c", "date": "d"}
        self.addCleanup(setattr, experiment.runner, "check", check)
        self.addCleanup(setattr, machine, "describe", describe)

    def experiment(self, **more):
        settings = dict(iterations=3, skip=1, rounds=(4, 4), budget=60, warmup=0)
        return experiment.Experiment("t", self.folder / "raw.jsonl", 17, **{**settings, **more})

    def fakes(self, *names):
        return [Fake(n, self.log) for n in names]

    def order(self):
        return pathlib.Path(self.log).read_text().split()

    def test_rounds_alternate_direction(self):
        run = self.experiment()
        run.run(FakeWorkload, self.fakes("base", "x"), io.StringIO())
        self.assertEqual(self.order(), ["base", "x", "x", "base"] * 2)
        self.assertEqual(len(run.ratios("fake", "x")), 4)

    def test_a_failing_configuration_is_recorded_and_the_others_go_on(self):
        run, log = self.experiment(), io.StringIO()
        run.run(FakeWorkload, self.fakes("base", "bad", "x"), log)
        self.assertEqual(self.order().count("bad"), 3)
        self.assertEqual(len(run.ratios("fake", "x")), 4)
        self.assertEqual(run.ratios("fake", "bad"), [])
        self.assertIn("broken on purpose", run.failures(FakeWorkload, Fake("bad", ""))[0]["why"])
        self.assertIn("bad failed", log.getvalue())

    def test_a_wrong_result_is_a_failure(self):
        run = self.experiment()
        run.run(FakeWorkload, self.fakes("base", "wrong"), io.StringIO())
        self.assertEqual(run.failures(FakeWorkload, Fake("wrong", ""))[0]["why"], "computed dead")

    def test_resumes_where_it_was_killed_and_ignores_a_torn_line(self):
        self.experiment(rounds=(2, 2)).run(FakeWorkload, self.fakes("base", "x"), io.StringIO())
        with open(self.folder / "raw.jsonl", "a") as file:
            file.write('{"workload": "fa')
        again = self.experiment()
        self.assertEqual(len(again.rows), 4)
        with open(self.folder / "raw.jsonl", "a") as file:
            file.write("\n")
        again.run(FakeWorkload, self.fakes("base", "x"), io.StringIO())
        self.assertEqual(len(self.order()), 8)

    def test_rows_of_another_build_are_not_resumed(self):
        self.experiment(rounds=(2, 2)).run(FakeWorkload, self.fakes("base", "x"), io.StringIO())
        machine.describe = lambda jdk: {"jvm": "j", "build": "other", "cpu": "c", "date": "d"}
        self.assertEqual(self.experiment().rows, [])

    def test_steady_state_leaves_out_the_first_iterations(self):
        result = process.run(Fake("base", self.log).command())
        whole, steady = result.steady(0)[0], result.steady(1)[0]
        self.assertGreater(whole, 2 * steady)
        self.assertIsNone(result.steady(3))
        self.assertEqual(result.steady(0)[2], whole, "no thread is a compiler's")
        self.assertGreaterEqual(result.cpu, 3 * whole)

    def test_time_of_the_compilers_threads_is_told_apart(self):
        program = """
import ctypes, os, sys, threading, time
def compile():
    ctypes.CDLL(None).prctl(15, b'C2 CompilerThre', 0, 0, 0)
    while time.thread_time() < 0.3: pass
    done.set(); end.wait()
done, end = threading.Event(), threading.Event()
for i in range(2):
    print('mark', os.getpid(), i, flush=True); sys.stdin.readline()
    if i == 0: threading.Thread(target=compile).start(); done.wait()
end.set()
"""
        cpu, _, rest = process.run([sys.executable, "-c", program]).steady(0)
        self.assertAlmostEqual(cpu - rest, 0.3, delta=0.05)

    def test_a_hanging_program_is_ended(self):
        result = process.run([sys.executable, "-c", "import time; time.sleep(60)"], timeout=1)
        self.assertIn("no end after", result.why)


class Sections(unittest.TestCase):
    INFO = {"date": "d", "jvm": "j", "cores": 2, "cpu": "c", "memory_gb": 1, "kernel": "k", "build": "b"}

    def test_a_section_is_replaced_and_the_others_stay(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "results.md"
            results.section("a", "A", "one", self.INFO, "make a", path)
            results.section("b", "B", "two", self.INFO, "make b", path)
            results.section("a", "A", r"three \1", self.INFO, "make a", path)
            text = path.read_text()
        self.assertNotIn("\none\n", text)
        self.assertLess(text.index(r"three \1"), text.index("two"))
        self.assertEqual(text.count("<!-- begin a -->"), 1)

    def test_the_page_has_the_tables_as_tables(self):
        page = plots.to_html("## T\n\n| a | b |\n| :-- | --: |\n| **x** < y | `z` |\nend\n")
        self.assertIn("<h2>T</h2>", page)
        self.assertIn("<tr><th>a</th><th>b</th></tr>", page)
        self.assertIn("<tr><td><b>x</b> &lt; y</td><td><code>z</code></td></tr>", page)
        self.assertEqual(page.count("<table>"), page.count("</table>"))
        self.assertNotIn(":--", page)

    def test_a_table(self):
        self.assertEqual(results.table(["p", "x"], [["a", 1]]), "| p | x |\n| :-- | --: |\n| a | 1 |\n")


if __name__ == "__main__":
    unittest.main()
