"""--collect contexts: the tree against the exact one and against another sampler."""
import json
import pathlib
import re
import signal
import subprocess
import tempfile
import time
import unittest

from assay_test import assay, compile_java, each_jdk, java, show_json

HERE = pathlib.Path(__file__).parent


def profile_of(version, *command, options=(), collect="contexts", **more):
    path = tempfile.mktemp(suffix=".profile")
    if collect == "contexts" and "--tick" not in options:
        options = ("--tick", "1ms", *options)  # more samples than the default gives
    result = assay("run", "-q", "-o", path, "--collect", collect, *options, "--", java(version),
                   *command, **more)
    return result, path


def contexts(path, top="0"):
    return json.loads(assay("show", path, "--by", "contexts", "--json", "--top", top).stdout)


def short(name):
    return re.sub(r"\(.*", "", name).replace("Shapes.", "")


def stacks(data):
    """{(short names from main on): {"self", "calls", "samples"}}, own methods only."""
    found = {}
    for context in data["contexts"]:
        names = tuple(short(name) for name in context["stack"][1:])
        if not names or names[0] != "main" or any("." in name for name in names):
            continue
        sums = found.setdefault(names, {"self": 0, "calls": 0, "samples": 0})
        for key in sums:
            sums[key] += context[key]
    return found


def below(found, name):
    """Everything in and under the contexts that contain `name`."""
    total = {"self": 0, "calls": 0, "samples": 0}
    for names, sums in found.items():
        if name in names:
            for key in total:
                total[key] += sums[key]
    return total


class Contexts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.classes = compile_java([HERE / "Shapes.java", HERE / "FixedRate.java"])

    @each_jdk()
    def test_contexts_are_those_of_the_exact_tree(self, version):
        # Recursion that is inlined can show a call more than there is; all others have to be there in any case.
        _, sampled = profile_of(version, "-XX:MaxRecursiveInlineLevel=0", "-cp", self.classes, "Shapes", "shape", "2")
        _, inlined = profile_of(version, "-cp", self.classes, "Shapes", "shape", "2")
        _, exact = profile_of(version, "-cp", self.classes, "Shapes", "shape", "1", collect="exact",
                              options=("--include", "Shapes"))
        truth = contexts(exact)
        sites = {(tuple(c["stack"]), c["bci"]) for c in truth["contexts"]}
        own, default = ([c for c in contexts(path)["contexts"]
                         if c["stack"][0] == "<vm>" and len(c["stack"]) > 1 and c["self"] > 0
                         and all(name.startswith("Shapes.") for name in c["stack"][1:])] for path in (sampled, inlined))
        deeper = [c for c in default if sum(short(name) == "recurse" for name in c["stack"]) == 6]
        for context in own + [c for c in default if c not in deeper]:
            self.assertIn((tuple(context["stack"]), context["bci"]), sites)
        self.assertLess(sum(c["self"] for c in deeper), 0.005 * sum(c["self"] for c in default), deeper)
        total = sum(c["self"] for c in truth["contexts"])
        seen = {(tuple(c["stack"]), c["bci"]) for c in own}
        # How many of the small contexts a run hits is chance; where the work is done it is not.
        covered = sum(c["self"] for c in truth["contexts"] if (tuple(c["stack"]), c["bci"]) in seen)
        self.assertGreater(covered, 0.98 * total)
        for context in truth["contexts"]:
            if context["self"] > 0.05 * total:
                self.assertIn((tuple(context["stack"]), context["bci"]), seen)
        # Almost all bytecodes are in spin's loop, so time is shared as bytecodes are.
        time_total = sum(c["self"] for c in own)
        for name, expected in (("left", 0.52), ("right", 0.3), ("recurse", 0.18)):
            share = sum(c["self"] for c in own if any(short(m) == name for m in c["stack"])) / time_total
            self.assertAlmostEqual(share, expected, delta=0.1, msg=name)

    @each_jdk()
    def test_time_is_shared_as_another_sampler_sees_it(self, version):
        recording = tempfile.mktemp(suffix=".jfr")
        settings = tempfile.mktemp(suffix=".jfc")
        pathlib.Path(settings).write_text(
            '<?xml version="1.0"?><configuration version="2.0"><event name="jdk.ExecutionSample">'
            '<setting name="enabled">true</setting><setting name="period">5 ms</setting></event></configuration>')
        subprocess.run([java(version), f"-XX:StartFlightRecording=filename={recording},settings={settings}",
                        "-cp", self.classes, "Shapes", "shape", "4"], check=True, capture_output=True)
        printed = subprocess.run([pathlib.Path(java(version)).parent / "jfr", "print", "--json", "--events",
                                  "jdk.ExecutionSample", "--stack-depth", "64", recording], check=True,
                                 capture_output=True)
        theirs = [[f["method"]["name"] for f in (e["values"]["stackTrace"] or {"frames": []})["frames"]]
                  for e in json.loads(printed.stdout)["recording"]["events"]]
        theirs = [names for names in theirs if "tree" in names]
        self.assertGreater(len(theirs), 50)
        _, path = profile_of(version, "-cp", self.classes, "Shapes", "shape", "4")
        ours = below(found := stacks(contexts(path)), "tree")["self"]
        for name in ("left", "right", "recurse", "twig"):
            expected = sum(name in names for names in theirs) / len(theirs)
            noise = 4 * (expected * (1 - expected) / len(theirs)) ** 0.5
            self.assertAlmostEqual(below(found, name)["self"] / ours, expected, delta=0.04 + noise, msg=name)

    @each_jdk()
    def test_tells_one_long_activation_from_many_short_ones(self, version):
        _, path = profile_of(version, "-XX:-Inline", "-cp", self.classes, "Shapes", "activations", "2")
        found = stacks(contexts(path))
        long, many = below(found, "oneLong"), below(found, "shortOne")
        self.assertGreater(long["samples"], 100)
        self.assertGreater(many["samples"], 100)
        activations = sum(s["calls"] for names, s in found.items() if names[-1] == "oneLong")
        self.assertLess(activations, 0.3 * long["samples"])
        activations = sum(s["calls"] for names, s in found.items() if names[-1] == "shortOne")
        self.assertGreater(activations, 0.7 * many["samples"])

    @each_jdk()
    def test_shares_whoever_ticks(self, version):
        # Rounds of the same length can be in step with the kernel's clock, and with timers that tick with it.
        for mode, ticker in (("shape", "remote"), ("uneven", "cpu")):
            _, path = profile_of(version, "-cp", self.classes, "Shapes", mode, "4", options=("--tick", "4ms", "--ticker", ticker))
            found = stacks(contexts(path))
            ours = below(found, "tree")
            self.assertGreater(ours["samples"], 500)
            for name, expected in (("left", 0.52), ("right", 0.3), ("recurse", 0.18)):
                self.assertAlmostEqual(below(found, name)["self"] / ours["self"], expected, delta=0.1, msg=f"{name} {ticker}")

    @each_jdk()
    def test_threads_in_step_with_the_kernels_clock(self, version):
        """Each is at the same point of its work, or asleep, whenever the scheduler's tick comes."""
        _, path = profile_of(version, "-cp", self.classes, "FixedRate", "8", options=("--tick", "4ms"))
        data = contexts(path)["contexts"]
        found = {task: [c for c in data if any(f"FixedRate.{task}(" in name for name in c["stack"])] for task in ("first", "second", "third", "fourth")}
        samples = [sum(c["samples"] for c in of_task) for of_task in found.values()]
        self.assertGreater(min(samples), 40, samples)
        self.assertGreater(min(samples) / max(samples), 0.4, samples)

    @each_jdk()
    def test_all_cpu_time_is_accounted_whoever_ticks(self, version):
        for tick, ticker in (("1ms", "auto"), ("4ms", "auto"), ("4ms", "cpu")):
            _, path = profile_of(version, "-cp", self.classes, "Shapes", "shape", "3", options=("--tick", tick, "--ticker", ticker))
            data = contexts(path)
            self.assertEqual(data["metadata"]["ticker"], ticker.replace("auto", "remote"))
            main = sum(c["self"] for c in data["contexts"] if any(name.startswith("Shapes.main(") for name in c["stack"]))
            # The compilers take a part of the program's three seconds of CPU time.
            self.assertTrue(2 < main / 1e9 < 4.5, main)

    @each_jdk()
    def test_bounded_walks_are_kept_detached(self, version):
        _, path = profile_of(version, "-Xss64m", "-cp", self.classes, "Shapes", "deep", "1.5", "1000",
                             options=("--max-frames", "50"))
        data = contexts(path, "20")
        self.assertGreater(data["lost"]["stacks deeper than max-frames, kept detached"], 0)
        hottest = data["contexts"][0]["stack"]
        self.assertEqual(hottest[0], "<detached>")
        self.assertIn("bottom", map(short, hottest))

    @each_jdk()
    def test_hidden_classes_have_the_same_name_in_every_run(self, version):
        _, path = profile_of(version, "-cp", self.classes, "Shapes", "lambda", "2")
        data = contexts(path)
        names = {name for c in data["contexts"] for name in c["stack"]}
        self.assertTrue(any("$$Lambda" in name for name in names), names)
        self.assertEqual([name for name in names if "0x" in name], [])
        # Contexts that share a name with others lose nothing by it.
        seen = sum(c["self"] for c in data["contexts"])
        self.assertAlmostEqual(seen / 1e6, float(data["metadata"]["time-ms"]), delta=1)

    @each_jdk()
    def test_wall_clock_includes_waiting(self, version):
        _, path = profile_of(version, "-cp", self.classes, "Shapes", "shape", "2",
                             options=("--clock", "wall"))
        data = contexts(path)
        asleep = sum(c["self"] for c in data["contexts"] if any(".sleep" in name for name in c["stack"]))
        # One thread sleeps from the first moment of main to the last.
        duration = float(data["metadata"]["duration"].rstrip("s"))
        self.assertTrue(0.7 * duration < asleep / 1e9 < duration, f"{asleep} of {duration} s")

    @each_jdk()
    def test_memory_is_bounded(self, version):
        _, path = profile_of(version, "-cp", self.classes, "Shapes", "mixed", "2",
                             options=("--max-contexts", "1000", "--half-life", "500ms"))
        data = contexts(path)
        self.assertIn("contexts purged", data["lost"])
        # In between the tree grows by what a few milliseconds bring.
        self.assertLess(len(data["contexts"]), 1500)

    def nodes(self, path):
        """How many contexts are in the file, and what it says; none of them may be of no weight."""
        data = json.loads(assay("export", path, "--format", "json").stdout)
        columns = data["contexts"]
        callers = set(columns["parent"])
        weights = list(zip(columns["samples"], columns["calls"], columns["self"]))
        empty = [i for i, weight in enumerate(weights) if i > 0 and i not in callers and max(weight) <= 0]
        self.assertEqual(empty, [])
        return len(weights) - 1, data["metadata"]

    def many_contexts(self, version, *options):
        return profile_of(version, "-cp", self.classes, "Shapes", "paths", "6",
                          options=("--tick", "500us", "--flush", "200ms", *options))[1]

    @each_jdk()
    def test_what_was_purged_leaves_memory_and_file(self, version):
        count, metadata = self.nodes(self.many_contexts(version, "--max-contexts", "2000"))
        self.assertGreater(int(metadata["contexts-made"]), 5000)
        # In between the tree grows by what a few milliseconds bring.
        self.assertLess(int(metadata["contexts-held"]), 4000)
        self.assertLess(int(metadata["contexts-kb"]), 600)
        self.assertLessEqual(count, int(metadata["contexts-held"]))

    @each_jdk()
    def test_what_faded_leaves_memory_and_file(self, version):
        path = self.many_contexts(version, "--half-life", "20ms")
        count, metadata = self.nodes(path)
        made = int(metadata["contexts-made"])
        self.assertGreater(made, 5000)
        self.assertLess(int(metadata["contexts-held"]), made / 2)
        self.assertLess(int(metadata["contexts-kb"]), made * 100 / 1024)
        self.assertLessEqual(count, int(metadata["contexts-held"]))
        self.assertNotIn("contexts purged", contexts(path)["lost"])

    @each_jdk()
    def test_segments_leave_nothing_behind(self, version):
        path = self.many_contexts(version, "--segment", "1s", "--keep-segments", "3")
        segments = sorted(pathlib.Path(path).parent.glob(pathlib.Path(path).name + ".*"))
        self.assertEqual(len(segments), 3, segments)
        for count, metadata in map(self.nodes, segments):
            made, held = int(metadata["contexts-made"]), int(metadata["contexts-held"])
            self.assertGreater(made, 2 * held)
            self.assertGreater(count, 100)
            self.assertLessEqual(count, held)
            self.assertLess(int(metadata["contexts-kb"]), made * 100 / 1024)

    @each_jdk(versions=(25,))
    def test_segments_are_alike(self, version):
        _, path = profile_of(version, "-cp", self.classes, "Shapes", "shape", "6",
                             options=("--segment", "1500ms", "--flush", "500ms", "--keep-segments", "2"))
        segments = sorted(pathlib.Path(path).parent.glob(pathlib.Path(path).name + ".*"))
        self.assertEqual(len(segments), 2, segments)
        self.assertNotEqual(segments[0].suffix, ".1")
        for each in map(stacks, map(contexts, segments)):
            self.assertGreater(below(each, "spin")["samples"], 50)
            self.assertLess(below(each, "spin")["self"], 2.5e9)
        likeness = json.loads(assay("compare", *segments, "--json").stdout)
        self.assertGreater(likeness["correlation"], 0.8)

    @each_jdk()
    def test_attach_twice_and_leave(self, version):
        process = subprocess.Popen([java(version), "-cp", self.classes, "Shapes", "mixed", "60"],
                                   stdout=subprocess.PIPE, text=True)
        try:
            time.sleep(1)
            for collect in ("contexts", "contexts", "calls"):
                path = tempfile.mktemp(suffix=".profile")
                assay("attach", process.pid, "-o", path, "--collect", collect, "--for", "1s")
                by = "contexts" if collect == "contexts" else "edges"
                self.assertGreater(len(show_json(path, by)[by]), 10)
            self.assertIsNone(process.poll())
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait()
            process.stdout.close()

    def test_bad_options_are_refused(self):
        for option in (("--max-frames", "0"), ("--tick", "1us"), ("--clock", "sun"), ("--ticker", "cpu", "--clock", "wall")):
            result = assay("run", "--collect", "contexts", *option, "--", "java", "-version",
                           check=False)
            self.assertIn(option[0].strip("-"), result.stderr + result.stdout)


if __name__ == "__main__":
    unittest.main()
