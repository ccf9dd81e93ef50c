"""Every export, opened by a reader that we did not write; the totals have to be those of the profile."""
import gzip
import json
import os
import random
import tempfile
import unittest

import readers
from assay_test import ASSAY, assay, run
from profile_file import ProfileFile

MAIN, F, G = "Known.main([Ljava/lang/String;)V", "Known.f(I)I", "Known.g(I)I"
HOSTILE = ["Evil.<script>alert(1)</script>(I)V", "Evil.semi;colon(Ljava/lang/String;)V",
           "Evil.new\nline()V", "Evil.sp ace()V", "Evil.q\"uote\\()V", "Evil.bad\udcff()V",
           "Evil.überall()V", "Evil.colon:1:2()V"]


def with_contexts():
    file = ProfileFile(collect="exact", command="java Known", duration="1.5s",
                       start="2026-01-02T03:04:05Z")
    file.method(MAIN, source="Known.java", code_bytes=30, lines=[(0, 3), (10, 4), (20, 5)])
    file.method(F, source="Known.java", code_bytes=10, lines=[(0, 9)])
    file.edge("<native>", -1, MAIN, 1)
    file.edge(MAIN, 12, F, 1000)
    file.edge(MAIN, 22, G, 5)
    file.edge(F, 3, G, 3000)
    file.self_unit = "bytecodes"
    main = file.node(0, MAIN, calls=1, self_value=50)
    f = file.node(main, F, bci=12, calls=1000, self_value=4000)
    file.node(f, G, bci=3, calls=3000, self_value=6000)
    file.node(main, G, bci=22, calls=5, self_value=10)
    return file


def edges_only():
    file = with_contexts()
    file.nodes, file.node_count, file.self_unit = [], 1, ""
    return file


def hostile():
    file = ProfileFile(command="java \"evil\" </script>")
    for i, name in enumerate(HOSTILE):
        file.edge(HOSTILE[i - 1], i, name, 10 + i)
    return file


def monomorphic(seed, methods=12, edges=60, total=1000000):
    """Random edges, one callee per call site, with a given sum of the weights."""
    draw = random.Random(seed)
    file = ProfileFile()
    sites = {(draw.randrange(methods), draw.randrange(8)) for _ in range(edges)}
    weights = [draw.randrange(1, 1000) for _ in sites]
    scaled = [max(1, w * total // sum(weights)) for w in weights]
    scaled[0] += total - sum(scaled)
    for (caller, bci), weight in zip(sorted(sites), scaled):
        file.edge(f"C.m{caller}()V", bci, f"C.m{(caller * 7 + bci) % methods}()V", weight)
    return file


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="assay-export-")
        cls.addClassCleanup(cls.folder.cleanup)
        for name, make in (("contexts", with_contexts), ("edges", edges_only), ("hostile", hostile)):
            make().write(os.path.join(cls.folder.name, name))

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def export(self, name, kind, suffix=""):
        out = self.path(f"{name}.{kind}{suffix}")
        assay("export", self.path(name), "--format", kind, "-o", out)
        return out


class Pprof(Case):
    def test_contexts_by_protoc(self):
        stacks, default = readers.pprof_stacks(self.export("contexts", "pprof"))
        self.assertEqual(default, "bytecodes")
        self.assertEqual(stacks, {
            (MAIN,): {"bytecodes": 50, "calls": 1, "samples": 0},
            (MAIN, F): {"bytecodes": 4000, "calls": 1000, "samples": 0},
            (MAIN, F, G): {"bytecodes": 6000, "calls": 3000, "samples": 0},
            (MAIN, G): {"bytecodes": 10, "calls": 5, "samples": 0}})

    def test_time_by_protoc(self):
        data = gzip.decompress(open(self.export("contexts", "pprof"), "rb").read())
        profile = readers.protoc("pprof.Profile", data)
        self.assertEqual(profile["duration_nanos"], [1500000000])
        self.assertEqual(profile["time_nanos"], [1767323045 * 10 ** 9])

    def test_edges_by_protoc(self):
        stacks, default = readers.pprof_stacks(self.export("edges", "pprof"))
        self.assertEqual(default, "calls")
        self.assertEqual({k: v["calls"] for k, v in stacks.items()},
                         {("<native>", MAIN): 1, (MAIN, F): 1000, (MAIN, G): 5, (F, G): 3000})

    def test_hostile_names_by_protoc(self):
        stacks, _ = readers.pprof_stacks(self.export("hostile", "pprof"))
        self.assertEqual(sum(v["calls"] for v in stacks.values()),
                         sum(10 + i for i in range(len(HOSTILE))))
        self.assertIn(HOSTILE[0], {name for stack in stacks for name in stack})

    def test_go_tool_pprof(self):
        path = self.export("contexts", "pprof")
        self.assertEqual(readers.go_pprof_top(path, "bytecodes"),
                         {"Known.g": (6010, 6010), "Known.f": (4000, 10000), "Known.main": (50, 10060)})
        top = readers.go_pprof_top(self.export("edges", "pprof"), "calls")
        self.assertEqual((top["Known.g"][0], top["Known.f"][0]), (3005, 1000))

    def test_speedscope_imports_it(self):
        self.assertEqual(readers.speedscope(self.export("contexts", "pprof", ".pb.gz"))["Known.f"],
                         (10000, 4000))


class Collapsed(Case):
    def test_by_speedscope(self):
        symbols = readers.speedscope(self.export("contexts", "collapsed"))
        self.assertEqual(symbols, {"Known.g": (6010, 6010), "Known.f": (10000, 4000),
                                   "Known.main": (10060, 50)})

    def test_hostile_names_stay_one_frame_each(self):
        symbols = readers.speedscope(self.export("hostile", "collapsed"))
        self.assertEqual(len(symbols), len(HOSTILE))
        self.assertEqual(sum(own for _, own in symbols.values()),
                         sum(10 + i for i in range(len(HOSTILE))))

    def test_lines(self):
        lines = open(self.export("edges", "collapsed")).read().splitlines()
        self.assertIn("Known.f;Known.g 3000", lines)
        self.assertEqual(sum(int(l.rpartition(" ")[2]) for l in lines), 4006)


class Speedscope(Case):
    def test_schema(self):
        for name in ("contexts", "edges", "hostile"):
            readers.speedscope_schema(self.export(name, "speedscope"))

    def test_the_schema_check_can_fail(self):
        path = self.export("edges", "speedscope", ".bad")
        data = json.load(open(path))
        del data["profiles"][0]["weights"]
        json.dump(data, open(path, "w"))
        with self.assertRaises(AssertionError):
            readers.speedscope_schema(path)

    def test_totals(self):
        symbols = readers.speedscope(self.export("contexts", "speedscope"))
        self.assertEqual(symbols["Known.main"], (10060, 50))
        data = json.load(open(self.export("contexts", "speedscope")))
        self.assertEqual([p["endValue"] for p in data["profiles"]], [10060, 4006, 0])


class Callgrind(Case):
    def test_contexts(self):
        path = self.export("contexts", "callgrind")
        total, functions, _ = readers.callgrind_functions(path)
        self.assertEqual(total, 10060)
        self.assertEqual({k: v for k, v in functions.items() if v},
                         {"Known.g": 6010, "Known.f": 4000, "Known.main": 50})
        _, inclusive, text = readers.callgrind_functions(path, "--inclusive=yes", "--tree=calling")
        self.assertEqual((inclusive["Known.main"], inclusive["Known.f"]), (10060, 10000))
        for calls in ("Known.f (1,000x)", "Known.g (3,000x)", "Known.g (5x)", "Known.main (1x)"):
            self.assertIn(calls, text)

    def test_edges(self):
        path = self.export("edges", "callgrind")
        total, functions, _ = readers.callgrind_functions(path)
        self.assertEqual(total, 4006)
        self.assertEqual(functions["Known.g"], 3005)
        _, _, text = readers.callgrind_functions(path, "--tree=calling")
        self.assertIn("Known.g (3,000x)", text)

    def test_hostile_names(self):
        total, functions, _ = readers.callgrind_functions(self.export("hostile", "callgrind"))
        self.assertEqual(total, sum(10 + i for i in range(len(HOSTILE))))


class Otlp(Case):
    def decode(self, name):
        with open(self.export(name, "otlp"), "rb") as file:
            data = readers.protoc("otlp.ProfilesData", file.read())
        dictionary = data["dictionary"][0]
        strings = dictionary["string_table"]
        zero = lambda index: index[0] if index else 0
        for table in ("mapping", "location", "function", "link", "attribute", "stack"):
            self.assertEqual(dictionary[f"{table}_table"][0], {}, table)
        self.assertEqual(strings[0], "")
        result = {}
        for profile in data["resource_profiles"][0]["scope_profiles"][0]["profiles"]:
            kind = strings[profile["sample_type"][0]["type_strindex"][0]]
            for sample in profile.get("samples", []):
                stack = dictionary["stack_table"][sample["stack_index"][0]]
                names = []
                for location in reversed(stack["location_indices"]):
                    line = dictionary["location_table"][location]["lines"][0]
                    function = dictionary["function_table"][line["function_index"][0]]
                    names.append(strings[zero(function["system_name_strindex"])])
                key = (kind, tuple(names))
                result[key] = result.get(key, 0) + sample["values"][0]
        return result

    def test_contexts(self):
        self.assertEqual(self.decode("contexts"), {
            ("bytecodes", (MAIN,)): 50, ("calls", (MAIN,)): 1,
            ("bytecodes", (MAIN, F)): 4000, ("calls", (MAIN, F)): 1000,
            ("bytecodes", (MAIN, F, G)): 6000, ("calls", (MAIN, F, G)): 3000,
            ("bytecodes", (MAIN, G)): 10, ("calls", (MAIN, G)): 5})

    def test_edges_and_hostile_names(self):
        self.assertEqual(self.decode("edges")["calls", (F, G)], 3000)
        self.assertEqual(sum(v for (kind, _), v in self.decode("hostile").items() if kind == "calls"),
                         sum(10 + i for i in range(len(HOSTILE))))


class LlvmSample(Case):
    def test_functions_and_targets(self):
        for name in ("edges", "contexts"):
            functions = readers.llvm_functions(self.export(name, "llvm-sample"))
            self.assertEqual(functions[MAIN], (1005, 1, {12: {F: 1000}, 22: {G: 5}}))
            self.assertEqual(functions[F], (3000, 1000, {3: {G: 3000}}))
            self.assertEqual(functions[G], (0, 3005, {}))

    def test_hostile_names(self):
        functions = readers.llvm_functions(self.export("hostile", "llvm-sample"))
        self.assertEqual(sum(head for _, head, _ in functions.values()),
                         sum(10 + i for i in range(len(HOSTILE))))

    def test_its_overlap_is_ours(self):
        # With equal totals T and shared samples S ours is S / T and LLVM's is S / (2 T - S).
        for seed in range(5):
            for i in (0, 1):
                monomorphic(2 * seed + i).write(self.path(f"m{i}"))
            ours = json.loads(assay("compare", self.path("m0"), self.path("m1"), "--json").stdout)
            theirs = readers.llvm_overlap(self.export("m0", "llvm-sample"),
                                          self.export("m1", "llvm-sample")) / 100
            self.assertAlmostEqual(ours["overlap"]["call_sites"], 100 * 2 * theirs / (1 + theirs),
                                   delta=0.002)
            self.assertGreater(theirs, 0.05)


class Json(Case):
    def test_everything_is_there(self):
        data = json.load(open(self.export("contexts", "json")))
        names = [m["method"] for m in data["methods"]]
        edges = data["edges"]
        self.assertEqual({(names[c], b, names[d]): w for c, b, d, w in zip(
            edges["caller"], edges["bci"], edges["callee"], edges["weight"])},
            {("<native>", -1, MAIN): 1, (MAIN, 12, F): 1000, (MAIN, 22, G): 5, (F, 3, G): 3000})
        self.assertEqual(data["contexts"]["self"], [0, 50, 4000, 6000, 10])
        json.load(open(self.export("hostile", "json")))


class Command(Case):
    def test_usage(self):
        result = run(ASSAY, "export", self.path("edges"), "--format", "nonsense", check=False)
        self.assertEqual(result.returncode, 2)
        self.assertIn("pprof", result.stderr)
        help_text = assay("export", "--help").stdout
        for name in ("pprof", "collapsed", "speedscope", "callgrind", "otlp", "llvm-sample", "json"):
            self.assertIn(name, help_text)

    def test_standard_output(self):
        out = assay("export", self.path("edges"), "--format", "collapsed").stdout
        self.assertIn("Known.f;Known.g 3000\n", out)
        result = run(ASSAY, "export", self.path("edges"), "--format", "json", "-o", "/dev/full",
                     check=False)
        self.assertEqual(result.returncode, 2)

    def test_empty_profile_exports(self):
        ProfileFile().write(self.path("empty"))
        for kind in ("pprof", "collapsed", "speedscope", "callgrind", "otlp", "json"):
            self.export("empty", kind)
        readers.speedscope_schema(self.path("empty.speedscope"))

    def test_what_llvm_would_not_read_is_not_written(self):
        ProfileFile().write(self.path("empty"))
        out = self.path("empty.llvm-sample")
        result = run(ASSAY, "export", self.path("empty"), "--format", "llvm-sample", "-o", out, check=False)
        self.assertEqual(result.returncode, 3)
        self.assertIn("no calls", result.stderr)
        self.assertFalse(os.path.exists(out))


if __name__ == "__main__":
    unittest.main()
