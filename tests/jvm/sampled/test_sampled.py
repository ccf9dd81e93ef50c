"""--collect sampled: counts, duplication, triggers, and programs that must not notice."""
import collections
import json
import pathlib
import sys
import tempfile
import unittest

from assay_test import ROOT, assay, compile_java, each_jdk, java, run, show_json

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
        for mode in MODES:
            result, path = sampled(version, "-cp", self.known, "Known",
                                   options=["--interval", "1", "--duplication", mode])
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
        cls.shapes = compile_java([HERE / "Shapes.java"])

    def counts(self, version, instrument, mode, interval="1"):
        _, path = sampled(version, "-cp", self.shapes, "Shapes",
                          options=["--interval", interval, "--include", "Shapes*", "--duplication", mode,
                                   "--instrument", instrument, "--count-checks", "true"])
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


class Errors(unittest.TestCase):
    def test_an_unknown_instrumentation_is_named(self):
        version = 17
        result, _ = sampled(version, "-version", options=["--instrument", "nonsense"], check=False)
        self.assertIn("there is no 'nonsense'; known: call-edge", result.stderr)


if __name__ == "__main__":
    unittest.main()
