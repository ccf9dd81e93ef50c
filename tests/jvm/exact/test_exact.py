"""--collect exact on a program whose counts are known, and on real ones."""
import collections
import pathlib
import re
import tempfile
import unittest

from assay_test import assay, compile_java, each_jdk, java, run, show_json

HERE = pathlib.Path(__file__).parent


def profile_of(version, *command, options=(), check=True, **more):
    path = tempfile.mktemp(suffix=".profile")
    result = assay("run", "--collect", "exact", "-o", path, *options, "--", java(version), *command,
                   check=check, **more)
    return result, path


class KnownCounts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.classes = compile_java([HERE / "Known.java"])

    @each_jdk()
    def test_every_count_is_the_known_one(self, version):
        plain = run(java(version), "-cp", self.classes, "Known")
        result, path = profile_of(version, "-Xverify:all", "-cp", self.classes, "Known")
        self.assertEqual(result.stdout, plain.stdout)
        edges = show_json(path)["edges"]
        checked = 0
        for line in plain.stdout.splitlines():
            words = line.split()
            if words[0] == "callee":
                found = sum(e["weight"] for e in edges if e["callee"] == words[1])
            elif words[0] == "edge":
                found = sum(e["weight"] for e in edges
                            if e["caller"] == words[1] and e["callee"] == words[2])
            elif words[0] == "native":
                found = sum(e["weight"] for e in edges
                            if e["caller"] == words[1] and e["callee"].startswith(words[2] + "("))
            else:
                continue
            self.assertEqual(found, int(words[-1]), line)
            checked += 1
        self.assertGreater(checked, 30)

    @each_jdk()
    def test_every_site_is_a_call_instruction_of_the_original_code(self, version):
        _, path = profile_of(version, "-cp", self.classes, "Known")
        listing = run(java(version, "javap"), "-c", "-p", "-s", "-cp", self.classes, "Known").stdout
        sites, method = {}, None
        for line in listing.splitlines():
            if match := re.match(r"  \S.* (\S+)\(.*\).*;$", line):
                method = match[1]
            elif "static {}" in line:
                method = "<clinit>"
            elif match := re.match(r"    descriptor: (\S+)", line):
                current = f"Known.{method}{match[1]}"
            elif match := re.match(r"\s+(\d+): invoke(\w+)", line):
                sites.setdefault(current, set()).add(int(match[1]))
        checked = 0
        for edge in show_json(path)["edges"]:
            if edge["caller"].startswith("Known.") and "<init>" not in edge["caller"]:
                self.assertIn(edge["bci"], sites[edge["caller"]], edge)
                checked += 1
        self.assertGreater(checked, 40)

    @each_jdk()
    def test_exit_status_and_output_are_the_programs_own(self, version):
        result, path = profile_of(version, "-cp", self.classes, "Known", "7", check=False)
        self.assertEqual(result.returncode, 7)
        self.assertGreater(len(show_json(path)["edges"]), 100)

    @each_jdk()
    def test_contexts_add_up_to_edges(self, version):
        _, path = profile_of(version, "-cp", self.classes, "Known", options=["--include", "Known*"])
        by_callee = {}
        for edge in show_json(path)["edges"]:
            by_callee[edge["callee"]] = by_callee.get(edge["callee"], 0) + edge["weight"]
        contexts = {}
        for context in show_json(path, "contexts")["contexts"]:
            leaf = context["stack"][-1]
            contexts[leaf] = contexts.get(leaf, 0) + context["calls"]
        for callee in ("Known.fib(I)I", "Known.thrower(I)V", "Known.f(I)I"):
            self.assertEqual(contexts[callee], by_callee[callee])

    @each_jdk()
    def test_include_limits_what_is_rewritten(self, version):
        _, path = profile_of(version, "-cp", self.classes, "Known", options=["--include", "Known*"])
        callers = {e["caller"] for e in show_json(path)["edges"]}
        self.assertTrue(all(c.startswith(("Known", "<")) for c in callers), callers)


class Programs(unittest.TestCase):
    """Single programs that are hard on a shadow stack."""

    @each_jdk()
    def test_stack_overflow_leaves_the_count_right(self, version):
        classes = compile_java([HERE / "Overflow.java"])
        result, path = profile_of(version, "-cp", classes, "Overflow")
        self.assertEqual(result.stdout, "survived 6\n")
        edges = collections.Counter()
        for edge in show_json(path)["edges"]:
            edges[edge["caller"], edge["callee"]] += edge["weight"]
        main = "Overflow.main([Ljava/lang/String;)V"
        self.assertEqual(edges[main, "Overflow.after(I)I"], 6)
        self.assertEqual(edges["Overflow.after(I)I", "Overflow.leaf(I)I"], 6)
        self.assertEqual(edges[main, "Overflow.overflow(I)I"], 3)
        self.assertEqual(edges[main, "Overflow$Derived.<init>(I)V"], 3)
