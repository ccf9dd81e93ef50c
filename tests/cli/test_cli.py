"""The commands that read profiles, on files written by tests/profile_file.py."""
import json
import os
import pathlib
import pty
import shutil
import struct
import subprocess
import tempfile
import unittest
import fcntl
import termios
import zipfile

from assay_test import ASSAY, BUILD, assay, run
from profile_file import ProfileFile

MAIN = "Known.main([Ljava/lang/String;)V"
F, G = "Known.f(I)I", "Known.g(I)I"
LONG = "com.example.very.deep.package_.SomeRatherLongClassName.someRatherLongMethodName"


def known(f_calls=1000, g_calls=3000):
    file = ProfileFile(collect="exact", command="java Known")
    file.method(MAIN, source="Known.java", code_bytes=30, lines=[(0, 3), (10, 4), (20, 5)])
    file.edge("<native>", -1, MAIN, 1)
    file.edge(MAIN, 12, F, f_calls)
    file.edge(F, 3, G, g_calls, samples=30, variance=100)
    file.self_unit = "bytecodes"
    main = file.node(0, MAIN, calls=1, self_value=50)
    f = file.node(main, F, bci=12, calls=f_calls, self_value=4 * f_calls)
    file.node(f, G, bci=3, calls=g_calls, self_value=2 * g_calls)
    file.tables["fields"] = (["class", "field"], [(("Known", "x"), 5, 500), (("Known", "y"), 1, 100)])
    file.lost["queue full"] = 7
    return file


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="assay-cli-")
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, name, file):
        return file.write(self.path(name))

    def fails(self, status, *arguments):
        result = run(ASSAY, *arguments, check=False)
        self.assertEqual(result.returncode, status, result.stderr)
        self.assertIn("assay: ", result.stderr)
        return result.stderr


class Show(Case):
    def test_json_is_the_documented_contract(self):
        path = self.write("a", known())
        shown = json.loads(assay("show", path, "--by", "edges", "--json").stdout)
        self.assertEqual(shown["metadata"]["collect"], "exact")
        self.assertEqual(shown["lost"], {"queue full": 7})
        first, second, third = shown["edges"]
        self.assertEqual({k: first[k] for k in ("caller", "bci", "callee", "weight", "samples")},
                         {"caller": F, "bci": 3, "callee": G, "weight": 3000, "samples": 30})
        self.assertAlmostEqual(first["error"], 1.96 * 10 / 3000, places=5)
        self.assertEqual((second["caller"], second["error"], second["line"]), (MAIN, 0, 4))
        self.assertEqual((third["caller"], third["bci"]), ("<native>", -1))

    def test_json_of_several_views(self):
        path = self.write("a", known())
        shown = json.loads(assay("show", path, "--by", "contexts,methods,sites,fields", "--json",
                                 "--top", "0").stdout)
        g = next(c for c in shown["contexts"] if c["stack"][-1] == G)
        self.assertEqual(g["stack"], [MAIN, F, G])
        self.assertEqual((g["weight"], g["calls"], g["bytecodes"]), (3000, 3000, 6000))
        f = next(m for m in shown["methods"] if m["method"] == F)
        self.assertEqual((f["calls"], f["self"], f["total"]), (1000, 4000, 10000))
        site = next(s for s in shown["sites"] if s["caller"] == F)
        self.assertEqual(site["callees"][0]["callee"], G)
        self.assertEqual(shown["fields"][0],
                         {"class": "Known", "field": "x", "weight": 500, "samples": 5})

    def test_top(self):
        path = self.write("a", known())
        for top, count in ((1, 1), (2, 2), (0, 3), (50, 3)):
            shown = json.loads(assay("show", path, "--json", "--top", top).stdout)
            self.assertEqual(len(shown["edges"]), count)

    def test_contexts_alone_give_edges(self):
        file = known()
        file.edges = []
        path = self.write("a", file)
        shown = json.loads(assay("show", path, "--json").stdout)
        self.assertEqual([(e["caller"], e["bci"], e["callee"], e["weight"]) for e in shown["edges"]],
                         [(F, 3, G, 3000), (MAIN, 12, F, 1000), ("<native>", -1, MAIN, 1)])

    def test_text_is_for_people(self):
        text = assay("show", self.write("a", known())).stdout
        self.assertIn("3.00 k", text)
        self.assertIn("75.0 %", text)
        self.assertIn("Known.main(String[]):4", text)
        self.assertIn("not seen: 7 queue full", text)
        self.assertNotIn("\033", text)

    def test_work_without_calls_is_shown_by_method_and_no_call_is_claimed(self):
        file = ProfileFile(collect="bytecodes")
        file.self_unit = "bytecodes"
        main = file.node(0, MAIN, self_value=50)
        file.node(main, F, bci=12, self_value=150, samples=3)
        path = self.write("a", file)
        text = assay("show", path, "--by", "methods,contexts").stdout
        self.assertIn("200 bytecodes in 2 contexts of 2 methods", text)
        self.assertNotIn("calls ", text.replace("with callees", ""))
        self.assertEqual(assay("show", path).stdout, assay("show", path, "--by", "methods").stdout)
        shown = json.loads(assay("show", path, "--json").stdout)
        self.assertEqual([(m["method"], m["self"]) for m in shown["methods"]], [(F, 150), (MAIN, 50)])

    def test_time_by_context_is_shown_by_method_and_claims_no_accuracy_of_calls(self):
        file = ProfileFile(collect="contexts", clock="cpu")
        file.self_unit = "ns"
        main = file.node(0, MAIN, calls=1, self_value=500_000_000, samples=50)
        file.node(main, F, bci=12, calls=400, self_value=1_500_000_000, samples=150)
        file.edge(MAIN, 12, F, 400, samples=400, variance=400)
        path = self.write("a", file)
        text = assay("show", path).stdout
        self.assertIn("2.00 s of CPU time in 2 contexts of 2 methods, 400 activations seen, 200 samples", text)
        self.assertIn("1.50 s", text)
        self.assertNotIn("accuracy", text)
        self.assertNotIn("error", text)
        self.assertIn("activations", assay("show", path, "--by", "edges").stdout)
        self.assertEqual(list(json.loads(assay("show", path, "--json").stdout))[-2:], ["methods", "lost"])

    def test_tables_fit_the_width(self):
        file = ProfileFile()
        for i in range(30):
            file.edge(f"{LONG}{i}(Ljava/util/concurrent/ConcurrentHashMap;I)V", i, LONG + "(J)V", 10 ** i,
                      samples=1)
        path = self.write("a", file)
        for width in (60, 80, 132):
            environment = dict(os.environ, COLUMNS=str(width))
            for by in ("edges", "methods", "sites", "contexts"):
                lines = assay("show", path, "--by", by, env=environment).stdout.splitlines()
                for line in lines[2:]:
                    self.assertLessEqual(len(line), width, line)

    def test_hostile_names_do_not_reach_the_terminal(self):
        file = ProfileFile(command="java \033[2J")
        file.edge("Evil\033]0;x\007.m\u202e(I)V", 1, "C.\udcff()V", 5)
        path = self.write("a", file)
        for by in ("edges", "methods", "sites", "metadata"):
            out = subprocess.run([ASSAY, "show", path, "--by", by], capture_output=True).stdout
            self.assertNotIn(b"\033", out)
            self.assertNotIn(b"\007", out)
            out.decode()
        json.loads(assay("show", path, "--json").stdout)

    def test_characters_beyond_the_bmp_are_what_they_are(self):
        """The JVM has them as two surrogates of three bytes each, and U+0000 as C0 80."""
        name = b"f\xed\xa0\xb5\xed\xb2\xb3\xc0\x80".decode("utf-8", "surrogateescape")
        file = ProfileFile()
        file.edge(MAIN, 1, f"Known.{name}()V", 5)
        path = self.write("a", file)
        self.assertIn("Known.f\U0001d4b3\ufffd()", assay("show", path).stdout)
        edges = json.loads(assay("show", path, "--json").stdout)["edges"]
        self.assertEqual(edges[0]["callee"], "Known.f\U0001d4b3\0()V")
        self.assertIn("Known.f\U0001d4b3_ 5", assay("export", path, "--format", "collapsed").stdout)

    def test_unfinished_profile_is_shown_as_such(self):
        path = self.path("a")
        pathlib.Path(path).write_bytes(known().bytes(end=False) + b"half a chunk")
        self.assertIn("still running", assay("show", path).stdout)
        shown = json.loads(assay("show", path, "--json").stdout)
        self.assertEqual(shown["metadata"]["ended"], "unfinished")

    def test_errors_name_the_problem_and_its_place(self):
        data = known().bytes()
        cases = {"empty": b"", "text": b"hello world, hello world", "cut": data[:-5],
                 "flip": data[:60] + bytes([data[60] ^ 4]) + data[61:]}
        for name, content in cases.items():
            pathlib.Path(self.path(name)).write_bytes(content)
            message = self.fails(2, "show", self.path(name))
            self.assertIn("at byte", message)
            self.assertIn(self.path(name), message)
        self.assertIn("No such file", self.fails(2, "show", self.path("none")))
        path = self.write("a", known())
        self.assertIn("fields", self.fails(2, "show", path, "--by", "nothing"))
        self.assertIn("--help", self.fails(2, "show"))
        self.assertIn("--help", self.fails(2, "show", path, "--nonsense"))
        self.fails(2, "nonsense")
        self.fails(2)

    def on_terminal(self, *command, columns=90, **environment):
        """Output of a command whose stdout is a terminal of that width."""
        primary, secondary = pty.openpty()
        fcntl.ioctl(secondary, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        env = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "COLUMNS")}
        env.update(TERM="xterm", **environment)
        process = subprocess.Popen([str(c) for c in command], stdout=secondary, env=env)
        os.close(secondary)
        out = b""
        try:
            while data := os.read(primary, 65536):
                out += data
        except OSError:
            pass
        self.assertEqual(process.wait(), 0)
        os.close(primary)
        return out.decode()

    def test_colour_only_on_a_terminal_and_without_no_color(self):
        path = self.write("a", known())
        self.assertIn("\033[1m", self.on_terminal(ASSAY, "show", path))
        self.assertNotIn("\033", self.on_terminal(ASSAY, "show", path, NO_COLOR="1"))

    def test_terminal_width_is_measured(self):
        file = ProfileFile()
        file.edge(LONG + "(I)V", 1, LONG + "2(I)V", 5)
        path = self.write("a", file)
        for columns in (70, 240):
            out = self.on_terminal(ASSAY, "show", path, columns=columns, NO_COLOR="1")
            self.assertLessEqual(max(map(len, out.splitlines())), columns)
        self.assertIn(LONG + "2(int)", out)


class CompareAndMerge(Case):
    def compare(self, a, b):
        return json.loads(assay("compare", a, b, "--json").stdout)

    def test_identical(self):
        path = self.write("a", known())
        result = self.compare(path, path)
        for key in ("call_sites", "methods", "contexts"):
            self.assertAlmostEqual(result["overlap"][key], 100)
        self.assertAlmostEqual(result["correlation"], 1)

    def test_by_hand(self):
        # Shares 1/4001 1000/4001 3000/4001 against 1/4001 3000/4001 1000/4001.
        a = self.write("a", known())
        b = self.write("b", known(f_calls=3000, g_calls=1000))
        result = self.compare(a, b)
        self.assertAlmostEqual(result["overlap"]["call_sites"], 100 * 2001 / 4001)
        self.assertAlmostEqual(result["overlap"]["methods"], 100 * 2001 / 4001)
        # By bytecodes: 50, 4000, 6000 of 10050 against 50, 12000, 2000 of 14050.
        self.assertAlmostEqual(result["overlap"]["contexts"],
                               100 * (50 / 14050 + 4000 / 10050 + 2000 / 14050))
        self.assertAlmostEqual(result["overlap"]["context_calls"], 100 * 2001 / 4001)

    def test_without_contexts_there_is_no_context_overlap(self):
        file = known()
        file.nodes, file.node_count = [], 1
        path = self.write("a", file)
        self.assertIsNone(self.compare(path, path)["overlap"]["contexts"])
        self.assertIn("call-site edges", assay("compare", path, path).stdout)

    def test_merge_adds(self):
        a = self.write("a", known())
        b = self.write("b", known(f_calls=5, g_calls=7))
        out = self.path("sum")
        assay("merge", a, b, b, "-o", out)
        shown = json.loads(assay("show", out, "--by", "edges,contexts,fields", "--json").stdout)
        weights = {e["callee"]: e["weight"] for e in shown["edges"]}
        self.assertEqual(weights, {MAIN: 3, F: 1010, G: 3014})
        self.assertEqual(shown["lost"], {"queue full": 21})
        self.assertEqual(shown["fields"][0]["weight"], 1500)
        self.assertEqual(shown["metadata"]["profiles"], "3")
        g = next(c for c in shown["contexts"] if c["stack"][-1] == G)
        self.assertEqual((g["calls"], g["self"]), (3014, 6028))

    def sampled(self, name, **metadata):
        file = ProfileFile(collect="calls", correct="full", **metadata)
        for place in range(40):
            file.edge(F, place, G, 100, samples=10, variance=100 ** 2 / 10 + 15 ** 2)
        return self.write(name, file)

    def test_accuracy_says_how_much_longer_or_that_it_is_out_of_reach(self):
        self.assertRegex(assay("show", self.sampled("a", accuracy="80", **{"accuracy-limit": "94"})).stdout,
                         r"accuracy about 80\.0 % .* 90 % needs about \d+(\.\d)? times as many samples")
        beyond = self.sampled("b", accuracy="80", **{"accuracy-limit": "94", "until-accuracy": "95"})
        self.assertIn("95 % is out of reach of sampling, which has 94.0 % at most", assay("show", beyond).stdout)
        uncorrected = self.sampled("d", accuracy="60", **{"accuracy-limit": "72.07"})
        self.assertIn(" 70 % needs about", assay("show", uncorrected).stdout)
        there = self.sampled("c", accuracy="91", **{"accuracy-limit": "94"})
        self.assertIn("enough for 90 %", assay("show", there).stdout)

    def test_merging_lessens_chance_and_not_the_error_of_the_method(self):
        once = self.sampled("once")
        sums = self.path("4"), self.path("16")
        for count, out in zip((4, 16), sums):
            assay("merge", *[once] * count, "-o", out)
        error = [json.loads(assay("show", path, "--by", "edges", "--json").stdout)["edges"][0]["error"] for path in (once, *sums)]
        self.assertGreater(error[0], 1.5 * error[1])
        self.assertGreater(error[1], error[2])
        self.assertGreater(error[2], 1.96 * 0.15)

    def test_merge_refuses_what_does_not_add(self):
        file = known()
        file.self_unit = "ns"
        message = self.fails(2, "merge", self.write("a", known()), self.write("b", file),
                             "-o", self.path("sum"))
        self.assertIn("bytecodes", message)
        self.assertFalse(os.path.exists(self.path("sum")))
        self.fails(2, "merge", self.path("a"), self.path("b"), "-o", self.path("none/sum"))

    def timed(self, name, collect="contexts", **metadata):
        file = ProfileFile(collect=collect, **metadata)
        if collect == "contexts":
            file.self_unit = "ns"
            file.node(0, MAIN, calls=1, self_value=1000, samples=5)
        file.edge(MAIN, 12, F, 400, samples=400)
        return self.write(name, file)

    def test_what_is_not_the_same_is_neither_merged_nor_diffed(self):
        cpu, wall = self.timed("cpu", clock="cpu"), self.timed("wall", clock="wall")
        calls, exact = self.timed("calls", "calls"), self.timed("exact", "exact")
        out = self.path("out")
        for a, b, reason in ((cpu, wall, "clock=wall"), (cpu, calls, "collect=calls"), (exact, wall, "collect=exact")):
            for command in (("merge", a, b, "-o", out), ("diff", a, b), ("report", a, b, "-o", out)):
                self.assertIn(reason, self.fails(2, *command))
                self.assertFalse(os.path.exists(out))
        for a, b in ((cpu, cpu), (wall, wall), (calls, exact)):
            assay("merge", a, b, "-o", out)
            assay("diff", a, b)

    def test_the_error_of_all_calls_is_chance_added_up_and_that_of_the_method(self):
        def write(name, calls, error):
            file = ProfileFile(collect="calls", correct="full", **({"calls-total-error": error} if error else {}))
            file.edge(F, 3, G, calls, samples=10, variance=100)
            return self.write(name, file)
        out = self.path("sum")
        def total_error(*profiles):
            assay("merge", *profiles, "-o", out)
            return json.loads(assay("show", out, "--json").stdout)["metadata"].get("calls-total-error")
        # sqrt(0.25^2 + x^2) with x = 0.6: 65 %. In the sum of two the chance part is sqrt(2) * 60 / 2 = 42.4 %.
        one = write("one", 1000, "65.0 %")
        self.assertEqual(total_error(one, one), "49.2 %")
        self.assertIn("about 2.00 k calls ± 49.2 %", assay("show", out).stdout)
        self.assertEqual(total_error(one, one, one, one), "39.1 %")
        self.assertEqual(total_error(one, write("three", 3000, "25.0 %")), "29.2 %")  # chance: 600 of 4,000
        self.assertIsNone(total_error(one, write("none", 1000, None)))
        self.assertIn("at least 2.00 k calls", assay("show", out).stdout)


class Diff(Case):
    def diff(self, *options, status=0, before=None, after=None):
        a, b = self.write("a", before or known()), self.write("b", after or known(g_calls=3300))
        result = run(ASSAY, "diff", a, b, *options, check=False)
        self.assertEqual(result.returncode, status, result.stderr)
        return result.stdout

    def test_table(self):
        text = self.diff()
        self.assertIn("edges by calls: 4.00 k -> 4.30 k, +7.50 %, 1 changed", text)
        self.assertIn("methods by bytecodes: 10.1 k -> 10.7 k, +5.97 %", text)
        self.assertRegex(text, r"3\.00 k +3\.30 k +\+300 +\+7\.50 %  Known\.f\(int\)@3 -> Known\.g\(int\)")

    def test_the_error_of_the_method_hides_no_difference(self):
        before, after = ProfileFile(collect="calls", correct="full"), ProfileFile(collect="calls", correct="full")
        for file, calls in ((before, 1000), (after, 1100)):
            file.edge(F, 3, G, calls, samples=calls, variance=calls + (0.172 * calls) ** 2)
        edges = json.loads(self.diff("--json", "--by", "edges", before=before, after=after))["differences"][0]
        self.assertTrue(edges["changes"][0]["significant"])

    def test_limit(self):
        self.diff("--fail-over", "8")
        self.diff("--fail-over", "8%")
        text = self.diff("--fail-over", "7", status=1)
        self.assertIn("over the limit of 7 %", text)
        self.assertIn("Known.g", text)
        # Shrinking is fine; growth hidden behind shrinkage is not.
        self.diff("--fail-over", "0", before=known(g_calls=3300), after=known())
        self.diff("--fail-over", "5", status=1, after=known(f_calls=500, g_calls=3500))
        self.diff("--fail-over", "0", after=known())

    def test_json(self):
        shown = json.loads(self.diff("--fail-over", "7", "--json", status=1))
        self.assertTrue(shown["over"])
        edges = next(d for d in shown["differences"] if d["elements"] == "edges")
        self.assertEqual((edges["before"], edges["after"]), (4001, 4301))
        change = edges["changes"][0]
        self.assertEqual((change["caller"], change["callee"], change["before"], change["after"]),
                         (F, G, 3000, 3300))
        self.assertAlmostEqual(change["growth"], 100 * 300 / 4001)
        culprit = next(c for c in shown["culprits"] if c["elements"] == "edges" and "callee" in c)
        self.assertEqual(culprit["callee"], G)
        contexts = next(d for d in shown["differences"]
                        if d["elements"] == "contexts" and d["measure"] == "bytecodes")
        self.assertEqual(contexts["changes"][0]["stack"], [MAIN, F, G])

    def test_usage(self):
        path = self.write("a", known())
        self.fails(2, "diff", path)
        for limit in ("-3", "nan", "-nan", "inf", "1e999", "abc", "5%%", "%", ""):
            message = self.fails(2, "diff", path, path, f"--fail-over={limit}")
            self.assertIn("--fail-over", message)
            self.assertLess(len(message), 200)
        self.fails(2, "diff", path, path, "--by", "nothing")
        self.fails(2, "diff", path, self.path("none"), "--fail-over", "5")


class Files(Case):
    """What a command reads and writes."""

    def test_no_output_overwrites_an_input(self):
        path = self.write("a", known())
        before = pathlib.Path(path).read_bytes()
        os.symlink(path, self.path("link"))
        os.link(path, self.path("other-name"))
        dump = self.path("dump")
        pathlib.Path(dump).write_text("a dump")
        for output in (path, self.path("link"), self.path("other-name"), self.path("./a")):
            for command in (("export", path, "--format", "json", "-o", output), ("report", path, "-o", output),
                            ("report", path, path, "-o", output), ("plan", path, "-o", output),
                            ("plan", path, "--directives", output), ("plan", path, "--dumps", dump, "--replay", output)):
                self.assertIn("is the input", self.fails(2, *command))
                self.assertEqual(pathlib.Path(path).read_bytes(), before)
        self.assertIn("is the input", self.fails(2, "plan", path, "--dumps", dump, "--replay", dump))
        self.assertEqual(pathlib.Path(dump).read_text(), "a dump")

    def test_folders_and_names_that_cannot_be_are_no_files(self):
        path, folder, long = self.write("a", known()), self.folder.name, "x" * 5000
        for file in (folder, long, self.path("none"), path + "/in-a-file"):
            for command in (("dump", file), ("plan", path, "--dumps", file, "--replay", self.path("out"))):
                self.assertIn("cannot read ", self.fails(2, *command))
        for sources in (long, path, self.path("none")):
            self.assertIn("is not a folder", self.fails(2, "report", "--sources", sources, path, "-o", self.path("out")))
        self.assertFalse(os.path.exists(self.path("out")))

    def test_a_full_disk_behind_stdout_is_an_error(self):
        path = self.write("a", known())
        with zipfile.ZipFile(BUILD / "assay-runtime.jar") as jar:
            name = next(n for n in jar.namelist() if n.endswith("Counter.class"))
            pathlib.Path(self.path("C.class")).write_bytes(jar.read(name))
        for command in (("dump", self.path("C.class")), ("report", path, "-o", self.path("page")), ("show", path), ("plan", path),
                        ("export", path, "--format", "json")):
            with open("/dev/full", "wb") as full:
                result = subprocess.run([ASSAY, *command], stdout=full, stderr=subprocess.PIPE, text=True)
            self.assertEqual(result.returncode, 2, command)
            self.assertIn("No space left", result.stderr)

    def test_standard_output_holds_one_document(self):
        path = self.write("a", known())
        for options in (("-o", "-", "--json"), ("-o", "-", "--directives", "-"), ("--directives", "-", "--json")):
            self.assertIn("standard output holds one", self.fails(2, "plan", path, *options))
        self.assertTrue(assay("plan", path, "-o", "-").stdout.startswith("assay-plan"))
        json.loads(assay("plan", path, "--directives", "-").stdout)
        json.loads(assay("plan", path, "--json", "-o", self.path("plan")).stdout)

    def test_rows_of_a_plan_in_json(self):
        plan = self.path("plan")
        pathlib.Path(plan).write_text("assay-plan 1\npolicy assay\n" + "".join(
            f"inline C.m()V@{bci} code=90 callee=C.f()V size=4 weight=2% error=1%\n" for bci in range(40)))
        def rows(*options):
            return len(json.loads(assay("plan", plan, "--json", *options).stdout)["decisions"])
        self.assertEqual((rows(), rows("--top", "1"), rows("--top", "0")), (40, 1, 40))
        self.assertIn("and 10 more", assay("plan", plan).stdout)

    def test_numbers_are_checked(self):
        path, out = self.write("a", known()), self.path("out")
        for value in ("-1", "99999999999999999999999", "nan", "1.5", "x"):
            for command in (("show", path, f"--top={value}"), ("diff", path, path, f"--top={value}"),
                            ("plan", path, f"--top={value}"), ("report", path, "-o", out, f"--max-edges={value}"),
                            ("report", path, "-o", out, f"--max-contexts={value}"),
                            ("calibrate", "-o", out, f"--repetitions={value}"),
                            ("rewrite", "none.jar", "-o", out, f"--max-path={value}")):
                self.assertIn("is not a whole number", self.fails(2, *command), command)
        self.assertIn("between 1 and", self.fails(2, "calibrate", "-o", out, "--repetitions", "0"))
        self.assertFalse(os.path.exists(out))

    def test_calibrate_measures_nothing_when_it_could_not_write_the_result(self):
        java = self.path("java")
        pathlib.Path(java).write_text(f"#!/bin/sh\ntouch {self.path('ran')}\nexit 1\n")
        os.chmod(java, 0o755)
        for output in (self.path("none/weights"), self.folder.name):
            self.assertIn("cannot write", self.fails(2, "calibrate", "-o", output, "--", java))
            self.assertFalse(os.path.exists(self.path("ran")))
        self.fails(3, "calibrate", "-o", self.path("weights"), "--", java)
        self.assertTrue(os.path.exists(self.path("ran")))
        self.assertFalse(os.path.exists(self.path("weights")))

    def test_what_was_inferred_already_is_said_to_be(self):
        for value, said in (("done", "already (infer=done)"), ("left alone", "infer=left alone"), ("false", "--infer true")):
            path = self.write("a", ProfileFile(collect="calls", infer=value))
            self.assertIn(said, self.fails(2, "infer", path, "-o", self.path("out")))


class General(unittest.TestCase):
    def test_help_and_version(self):
        self.assertIn("show", assay("--help").stdout)
        self.assertRegex(assay("--version").stdout, r"^assay \d+\.\d+\.\d+\n$")
        for command in ("show", "compare", "merge"):
            self.assertIn("Usage", assay(command, "--help").stdout)

    def test_bash_completion(self):
        script = assay("completion", "bash").stdout
        def complete(*words):
            line = " ".join(repr(w) for w in words)
            program = (f"{script}\nCOMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _assay; "
                       "echo ${COMPREPLY[@]}")
            return run("bash", "-c", program).stdout.split()
        self.assertEqual(complete("assay", "comp"), ["compare", "completion"])
        self.assertEqual(complete("assay", "export", "x", "--format", "c"), ["collapsed", "callgrind"])
        self.assertEqual(complete("assay", "diff", "--fail"), ["--fail-over"])
        self.assertEqual(complete("assay", "show", "/us"), [])

    def test_bash_completes_names_of_files_as_they_are(self):
        with tempfile.TemporaryDirectory(prefix="assay-cli-") as folder:
            for name in ("one file", "it's"):
                pathlib.Path(folder, name).touch()
            primary, secondary = pty.openpty()
            shell = subprocess.Popen(["bash", "--norc", "--noprofile", "-i"], stdin=secondary, stdout=secondary, stderr=secondary,
                                     cwd=folder, start_new_session=True, env=dict(os.environ, TERM="dumb", HISTFILE="/dev/null"))
            os.close(secondary)
            typed = f"""eval "$({ASSAY} completion bash)"; assay() {{ printf '<%s>' "$@" >> said; }}\n"""
            os.write(primary, (typed + "assay show one\t\nassay show one\\ f\t\nassay show it\t\nexit\n").encode())
            try:
                while os.read(primary, 65536):
                    pass
            except OSError:  # the shell's end is closed
                pass
            os.close(primary)
            shell.wait(60)
            self.assertEqual(pathlib.Path(folder, "said").read_text(), "<show><one file>" * 2 + "<show><it's>")

    def test_other_completions(self):
        for shell in ("zsh", "fish"):
            script = assay("completion", shell).stdout
            for word in ("show", "diff", "fail-over", "llvm-sample"):
                self.assertIn(word, script)
            if shutil.which(shell):
                run(shell, "-n", "/dev/stdin", input=script)
        self.assertEqual(run(ASSAY, "completion", "tcsh", check=False).returncode, 2)

    def test_manual(self):
        page = assay("manual").stdout
        self.assertTrue(page.startswith(".TH ASSAY 1"))
        for word in ("fail\\-over", "callgrind", "EXIT STATUS", "assay show"):
            self.assertIn(word, page)
        if shutil.which("man"):
            checked = run("man", "--warnings", "-l", "-", input=page,
                          env=dict(os.environ, MANPAGER="cat", MANWIDTH="80", LC_ALL="C.UTF-8"))
            self.assertEqual(checked.stderr, "")
            self.assertIn("assay diff", checked.stdout)


if __name__ == "__main__":
    unittest.main()
