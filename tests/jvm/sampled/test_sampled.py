"""--collect sampled: counts, duplication, triggers, and programs that must not notice."""
import collections
import contextlib
import json
import os
import pathlib
import subprocess
import tempfile
import time
import unittest

from assay_test import ASSAY, assay, compile_java, each_jdk, java, run, show_json

HERE = pathlib.Path(__file__).parent
MODES = ("full", "partial", "none", "auto")
# Calls that no call instruction of Known makes: by the VM, reflection, method handles, lambdas.
INDIRECT = ("<clinit>", "lambda$", "viaReference", "reflected", "handled", "Worker.run()V")


def sampled(version, *command, options=(), check=True, flags=("-Xverify:all",), **more):
    path = tempfile.mktemp(suffix=".profile")
    result = assay("run", "--collect", "sampled", "-o", path, *options, "--", java(version), *flags,
                   *command, check=check, **more)
    return result, path


def edges_of(path):
    edges = collections.Counter()
    for edge in show_json(path)["edges"]:
        edges[edge["caller"], edge["bci"], edge["callee"]] += edge["weight"]
    return edges


def rows_of(path, table):
    data = show_json(path, table)
    return {tuple(v for k, v in row.items() if k not in ("weight", "samples", "share", "error")): row["weight"]
            for row in data[table]}


class Exhaustive(unittest.TestCase):
    """Interval 1: everything is executed in the copy, and every count is exact."""

    @classmethod
    def setUpClass(cls):
        cls.known = compile_java([HERE.parent / "exact" / "Known.java"])
        cls.shapes = compile_java([HERE / "Shapes.java"])

    @each_jdk()
    def test_known_counts_in_every_mode(self, version):
        plain = run(java(version), "-cp", self.known, "Known")
        for mode, trigger in [*((m, "counter") for m in MODES), ("full", "thread")]:
            result, path = sampled(version, "-cp", self.known, "Known",
                                   options=["--interval", "1", "--duplication", mode, "--trigger", trigger])
            self.assertEqual(result.stdout, plain.stdout, mode)
            edges, checked = edges_of(path), 0
            for line in plain.stdout.splitlines():
                words = line.split()
                if words[0] not in ("callee", "edge", "native") or any(w in line for w in INDIRECT):
                    continue
                if words[0] == "callee":
                    found = sum(n for (_, _, callee), n in edges.items() if callee == words[1])
                else:
                    end = "(" if words[0] == "native" else ""
                    found = sum(n for (caller, _, callee), n in edges.items()
                                if caller == words[1] and callee.startswith(words[2] + end))
                self.assertEqual(found, int(words[-1]), f"{mode}: {line}")
                checked += 1
            self.assertGreater(checked, 25)

    @each_jdk()
    def test_field_counts(self, version):
        for mode in MODES:
            _, path = sampled(version, "-cp", self.shapes, "Shapes", "12",
                              options=["--interval", "1", "--duplication", mode, "--instrument",
                                       "field-access", "--include", "Shapes*"])
            fields = rows_of(path, "fields")
            # nested: 30 leaves, switched: 3, in each of 12 rounds; main reads and clears.
            self.assertEqual(fields["Shapes.total", "write"], 12 * (30 + 3 + 1), mode)
            self.assertEqual(fields["Shapes.total", "read"], 12 * (30 + 3) + 12 + 1, mode)
            self.assertEqual(fields["Shapes$Other.extra", "write"], 12 * 2 * 5, mode)

    @each_jdk()
    def test_every_mode_gives_the_same_profile(self, version):
        options = ["--interval", "1", "--include", "Shapes*", "--instrument", "call-edge,field-access"]
        plain = run(java(version), "-cp", self.shapes, "Shapes")
        profiles = {}
        for mode in MODES:
            result, path = sampled(version, "-cp", self.shapes, "Shapes",
                                   options=[*options, "--duplication", mode])
            self.assertEqual(result.stdout, plain.stdout)
            profiles[mode] = (edges_of(path), rows_of(path, "fields"))
            self.assertGreater(len(profiles[mode][0]), 30)
        for mode in MODES[1:]:
            self.assertEqual(profiles[mode], profiles["full"], mode)


class Checks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.shapes = compile_java([HERE / "Shapes.java", HERE.parent / "exact" / "Known.java"])

    def counts(self, version, instrument, mode, *more, program=("Shapes",)):
        _, path = sampled(version, "-cp", self.shapes, *program,
                          options=["--interval", "1", "--include", program[0] + "*", "--duplication", mode,
                                   "--instrument", instrument, "--count-checks", "true", *more])
        return {row[0]: n for row, n in rows_of(path, "checks").items()}

    @each_jdk()
    def test_property_one(self, version):
        for instrument in ("call-edge", "field-access", "call-edge,field-access"):
            full = self.counts(version, instrument, "full")
            partial = self.counts(version, instrument, "partial")
            self.assertEqual(full["checks"], full["entries"] + full["back edges"])
            self.assertLessEqual(partial["checks"], partial["entries"] + partial["back edges"])
            self.assertLessEqual(partial["checks"], full["checks"])
            self.assertEqual((partial["entries"], partial["back edges"]),
                             (full["entries"], full["back edges"]))
        self.assertGreater(full["back edges"], 5000)

    @each_jdk(versions=(25,))
    def test_property_one_with_threads_and_exceptions(self, version):
        """Known has threads: what they do is the same in every run, up to waiting for each other."""
        for instrument in ("call-edge", ALL):
            full = self.counts(version, instrument, "full", program=("Known",))
            partial = self.counts(version, instrument, "partial", program=("Known",))
            self.assertLessEqual(full["checks"], full["entries"] + full["back edges"])
            self.assertLessEqual(partial["checks"], partial["entries"] + partial["back edges"])
            self.assertLessEqual(partial["checks"], 1.01 * full["checks"])

    @each_jdk(versions=(17,))
    def test_checks_of_one_kind(self, version):
        """The parts of the framework's cost: together they are all checks."""
        found = {kind: self.counts(version, "call-edge", "full", "--checks-only", kind)
                 for kind in ("all", "entries", "back-edges")}
        self.assertEqual(found["entries"]["checks"], found["entries"]["entries"])
        self.assertEqual(found["back-edges"]["checks"], found["back-edges"]["back edges"])
        self.assertEqual(found["all"]["checks"], found["entries"]["checks"] + found["back-edges"]["checks"])

    @each_jdk(versions=(25,))
    def test_property_one_for_all_classes(self, version):
        """Small methods sampled with the calls that reach them have no more checks than others."""
        found = {}
        for mode in ("full", "partial"):
            for by_calls in ("true", "false"):
                _, path = sampled(version, "-cp", self.shapes, "Shapes",
                                  options=["--duplication", mode, "--by-calls", by_calls, "--instrument",
                                           "call-edge,field-access", "--count-checks", "true"])
                counts = {row[0]: n for row, n in rows_of(path, "checks").items()}
                self.assertLessEqual(counts["checks"], counts["entries"] + counts["back edges"])
                found[mode, by_calls] = counts
        # What the JDK does at start differs a little from run to run.
        self.assertLess(found["partial", "true"]["checks"], 1.01 * found["full", "true"]["checks"])
        self.assertLess(found["partial", "false"]["checks"], 1.01 * found["full", "false"]["checks"])
        self.assertLess(found["full", "true"]["checks"], 0.9 * found["full", "false"]["checks"])

    @each_jdk(versions=(17,))
    def test_small_methods_are_sampled_with_their_callers(self, version):
        """In expectation the same counts as with checks of their own."""
        totals = {}
        for by_calls in ("true", "false"):
            _, path = sampled(version, "-cp", self.shapes, "Shapes", "2000",
                              options=["--interval", "20", "--jitter", "10", "--by-calls", by_calls,
                                       "--instrument", "call-edge,field-access"])
            edges = edges_of(path)
            totals[by_calls] = [sum(n for (_, _, callee), n in edges.items() if callee == name)
                                for name in ("Shapes.leaf()V", "Shapes.sum(I)I")]
            fields = rows_of(path, "fields")
            totals[by_calls].append(fields["Shapes.total", "write"])
            totals[by_calls].append(fields["Shapes$Other.extra", "write"])
        for with_callers, alone in zip(totals["true"], totals["false"]):
            self.assertGreater(alone, 0)
            self.assertLess(abs(with_callers - alone), 0.15 * alone, totals)

    @each_jdk(versions=(17,))
    def test_an_interval_samples_that_share(self, version):
        """The thread trigger is exact: checks of main / interval samples."""
        options = ["--include", "Shapes*", "--trigger", "thread", "--instrument", "call-edge"]
        every, _ = self.total(version, [*options, "--interval", "1"])
        for interval in (7, 100):
            weight, samples = self.total(version, [*options, "--interval", str(interval)])
            self.assertEqual(weight, samples * interval)
            self.assertGreater(weight, 0.8 * every)
            self.assertLess(weight, 1.25 * every)

    def total(self, version, options):
        _, path = sampled(version, "-cp", self.shapes, "Shapes", "400", options=options)
        edges = show_json(path)["edges"]
        return sum(e["weight"] for e in edges), sum(e["samples"] for e in edges)

    @each_jdk()
    def test_a_program_shorter_than_an_interval_is_not_taken_for_one(self, version):
        for trigger in ("counter", "thread"):
            _, path = sampled(version, "-cp", self.shapes, "Shapes", "12", options=["--interval", "1G", "--trigger", trigger])
            self.assertEqual(edges_of(path).total(), 0, trigger)

    @each_jdk()
    def test_the_same_profile_twice(self, version):
        options = ["--include", "Shapes*", "--trigger", "thread", "--interval", "13", "--jitter", "5",
                   "--instrument", "call-edge,field-access"]
        first, second = (sampled(version, "-cp", self.shapes, "Shapes", options=options)[1]
                         for _ in range(2))
        self.assertEqual(edges_of(first), edges_of(second))
        self.assertEqual(rows_of(first, "fields"), rows_of(second, "fields"))
        self.assertGreater(len(edges_of(first)), 10)

    @each_jdk(versions=(17,))
    def test_off_means_nothing_is_counted(self, version):
        for trigger in ("counter", "thread", "timer"):
            _, path = sampled(version, "-cp", self.shapes, "Shapes",
                              options=["--interval", "0", "--trigger", trigger])
            self.assertEqual(show_json(path)["edges"], [])


ALL = ("call-edge,field-access,receiver-type,parameter-value,branch-edge,path,allocation-site,"
       "exception-throw")


class Instrumentations(unittest.TestCase):
    """Known counts of every instrumentation, all of them in one pass, in every mode."""

    @classmethod
    def setUpClass(cls):
        cls.shapes = compile_java([HERE / "Shapes.java"])

    def total(self, rows, method, **more):
        return sum(n for row, n in rows.items() if row[0].startswith("Shapes." + method + "(")
                   and all(row[int(k[1:])] == v for k, v in more.items()))

    @each_jdk()
    def test_all_together(self, version):
        plain = run(java(version), "-cp", self.shapes, "Shapes")
        for mode in ("full", "none"):
            result, path = sampled(version, "-cp", self.shapes, "Shapes",
                                   options=["--interval", "1", "--include", "Shapes*", "--duplication",
                                            mode, "--instrument", ALL])
            self.assertEqual(result.stdout, plain.stdout)
            # 50 rounds: made(0..8) twice each, thrown(40), switched of four texts, locked(0..11)
            values = rows_of(path, "values")
            for n in range(9):
                self.assertEqual(values["Shapes.made(I)LShapes$Base;", "0", str(n)], 100)
            self.assertEqual(self.total(values, "arguments", _1="0", _2="java.util.ArrayList"), 50)
            self.assertEqual(self.total(values, "wide", _1="1", _2="2"), 50)
            receivers = rows_of(path, "receivers")
            kinds = {row[3]: n for row, n in receivers.items() if row[2] == "Shapes$Base.kind()I"}
            self.assertEqual(kinds, {"Shapes$Base": 50 * 4, "Shapes$Other": 50 * 5})
            allocations = rows_of(path, "allocations")
            self.assertEqual(self.total(allocations, "made", _2="Shapes$Other"), 500)
            throws = rows_of(path, "throws")
            self.assertEqual(self.total(throws, "thrown", _2="java.lang.ArrayStoreException"), 50 * 8)
            branches = rows_of(path, "branches")
            # do ... while in sum: each call leaves it once.
            sums = sum(n for (c, _, callee), n in edges_of(path).items() if callee == "Shapes.sum(I)I")
            loop = sorted(n for row, n in branches.items() if row[0] == "Shapes.sum(I)I")
            self.assertEqual(loop[0], sums)
            # A path of sum starts at the entry or the loop's head and ends at the jump or the return.
            paths = rows_of(path, "paths")
            self.assertEqual(self.total(paths, "sum"), sum(loop))
            self.assertEqual(self.total(paths, "leaf"), 50 * 33)

    # HotSpot goes through the code once: what joins from behind it is not seen, and a cause is named that need not be one.
    @each_jdk()
    def test_what_the_vm_says_of_a_null_stays_the_same(self, version):
        for flags in ((), ("-g",)):
            classes = compile_java([HERE / "Explained.java"], *flags)
            plain = run(java(version), "-cp", classes, "Explained").stdout
            self.assertIn('Cannot throw exception at', plain)
            for mode in MODES:
                for kinds in ("branch-edge", "path", ALL):
                    result, _ = sampled(version, "-cp", classes, "Explained",
                                        options=["--interval", "2", "--include", "Explained*", "--duplication", mode, "--instrument", kinds])
                    self.assertEqual(result.stdout, plain, (mode, kinds))

    @each_jdk(versions=(17,))
    def test_several_iterations_per_sample(self, version):
        """The program stays right, and at interval 1 nothing is lost."""
        options = ["--interval", "1", "--include", "Shapes*", "--instrument", ALL]
        plain = run(java(version), "-cp", self.shapes, "Shapes")
        once = sampled(version, "-cp", self.shapes, "Shapes", options=options)[1]
        result, often = sampled(version, "-cp", self.shapes, "Shapes",
                                options=[*options, "--iterations", "3"])
        self.assertEqual(result.stdout, plain.stdout)
        self.assertEqual(edges_of(often), edges_of(once))
        self.assertEqual(rows_of(often, "paths"), rows_of(once, "paths"))
        # Without paths, which want all of a body copied, partial leaves something out.
        options[-1] = "call-edge,exception-throw"
        result, often = sampled(version, "-cp", self.shapes, "Shapes",
                                options=[*options, "--iterations", "3", "--duplication", "partial"])
        self.assertEqual(result.stdout, plain.stdout)
        self.assertEqual(edges_of(often), edges_of(once))


class WhileRunning(unittest.TestCase):
    """Time is the program's own: the seconds of CPU that it took, however busy the machine is."""

    @contextlib.contextmanager
    def running(self, version, trigger):
        classes = compile_java([HERE / "Forever.java"])
        path = pathlib.Path(tempfile.mktemp(suffix=".profile"))
        program = subprocess.Popen(
            [ASSAY, "run", "-q", "--collect", "sampled", "--interval", "0", "--trigger", trigger,
             "--flush", "100ms", "--include", "Forever*", "-o", path, "--", java(version), "-cp",
             classes, "Forever"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        try:
            yield program.stdout.readline().strip(), path
        finally:
            program.communicate("\n", timeout=60)
        self.assertEqual(program.returncode, 0)

    def change(self, pid, *options):
        self.assertIn("changed", assay("attach", pid, "--collect", "sampled", *options).stderr)

    def within_a_second(self, pid, happened):
        end = self.cpu(pid) + 1
        while not happened() and self.cpu(pid) < end:
            time.sleep(0.05)
        return happened()

    def gain_of_a_second(self, pid, path):
        before, end = self.samples(path), self.cpu(pid) + 1
        while self.cpu(pid) < end:
            time.sleep(0.05)
        return self.samples(path) - before

    @each_jdk()
    def test_the_interval_changes_while_the_program_runs(self, version):
        for trigger in ("counter", "thread", "timer"):
            with self.running(version, trigger) as (pid, path):
                self.assertEqual(self.gain_of_a_second(pid, path), 0)
                self.change(pid, "--interval", "100")
                self.assertTrue(self.within_a_second(pid, lambda: self.samples(path) > 0), trigger)
                refused = assay("attach", pid, "--collect", "sampled", "--duplication", "none",
                                check=False)
                self.assertIn("cannot be changed while running", refused.stderr)

    @each_jdk(versions=(25,))
    def test_a_longer_interval_samples_less_and_0_nothing(self, version):
        for trigger in ("counter", "thread"):
            with self.running(version, trigger) as (pid, path):
                self.change(pid, "--interval", "100")
                self.gain_of_a_second(pid, path)
                often = self.gain_of_a_second(pid, path)
                self.change(pid, "--interval", "10000")
                self.gain_of_a_second(pid, path)
                seldom = self.gain_of_a_second(pid, path)
                self.assertGreater(often, 10 * seldom, trigger)
                self.assertGreater(seldom, 0, trigger)
                self.change(pid, "--interval", "0")
                self.gain_of_a_second(pid, path)
                self.assertEqual(self.gain_of_a_second(pid, path), 0, trigger)

    def cpu(self, pid):
        ticks = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
        return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")

    def samples(self, path):
        shown = assay("show", path, "--json", "--top", "0", check=False)
        return sum(e["samples"] for e in json.loads(shown.stdout)["edges"]) if shown.stdout else 0


class Errors(unittest.TestCase):
    def test_an_unknown_instrumentation_is_named(self):
        version = 17
        result, _ = sampled(version, "-version", options=["--instrument", "nonsense"], check=False)
        self.assertIn("there is no 'nonsense'; known: call-edge", result.stderr)


if __name__ == "__main__":
    unittest.main()
