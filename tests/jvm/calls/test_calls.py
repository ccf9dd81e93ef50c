"""--collect calls on programs whose call ratios are known, on real ones."""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from assay_test import ASSAY, BUILD, ROOT, assay, compile_java, each_jdk, java, run, show_json

HERE = pathlib.Path(__file__).parent
PLAIN = ("-XX:TieredStopAtLevel=1", "-XX:-Inline")


def profile_of(version, *command, options=(), **more):
    path = tempfile.mktemp(suffix=".profile")
    result = assay("run", "-o", path, *options, "--", java(version), *command, **more)
    return result, path


def weights(path):
    total = {}
    for edge in show_json(path)["edges"]:
        key = tuple(re.sub(r"\(.*", "", edge[end]).replace("Ratios.", "") for end in ("caller", "callee"))
        total[key] = total.get(key, 0) + edge["weight"]
    return total


def interpreted_time(metadata):
    return float(re.match(r"([\d.]+) % of [1-9]\d* looks$", metadata["interpreted-time"])[1])


class Sampling(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.classes = compile_java([HERE / "Ratios.java", HERE / "Chains.java", HERE / "Blocked.java", HERE / "ShortLived.java", HERE / "Waits.java"])

    def check_ratios(self, path, tolerance):
        found = weights(path)
        one = sum(found[edge] for edge in (("main", "f"), ("f", "g"), ("g", "h"), ("g", "k"))) / 7
        for edge, expected in ((("main", "f"), 1), (("f", "g"), 3), (("g", "h"), 1.5), (("g", "k"), 1.5)):
            self.assertAlmostEqual(found[edge] / one / expected, 1, delta=tolerance, msg=f"{edge} {found}")

    @each_jdk()
    def test_long_chains_of_callers_do_not_blind_it(self, version):
        """They fill the memory for what is known of them within a second; it is emptied then."""
        path = tempfile.mktemp(suffix=".profile")
        assay("run", "-o", path, "--depth", "64", "--tick", "200us", "--samples", "128", "--", java(version), *PLAIN, "-cp", self.classes, "Chains", "6")
        profile = show_json(path)
        self.assertGreater(int(profile["metadata"]["burst-samples"]), profile["lost"].get("samples dropped: site table full", 0))

    @each_jdk()
    def test_known_ratios(self, version):
        for via in ("auto", "return", "probe"):
            result, path = profile_of(version, *PLAIN, "-cp", self.classes, "Ratios",
                                      "20" if via == "probe" else "100", options=("--via", via))
            self.assertIn("sum", result.stdout)
            self.check_ratios(path, 0.25)
            metadata = show_json(path)["metadata"]
            best = "entry" if version >= 20 else "return"
            self.assertEqual(metadata["via"], best if via == "auto" else via)
            self.assertEqual(metadata["stride"], "3")

    @each_jdk(versions=(17,))
    def test_marks_that_the_vm_takes_are_put_back(self, version):
        """An interpreted method returns between any two calls of compiled ones: each takes the mark away."""
        flags = ("-XX:CompileCommand=quiet", "-XX:CompileCommand=exclude,Ratios::f")
        whole = {}
        for ticker in ("cpu", "remote"):
            _, path = profile_of(version, *PLAIN, *flags, "-cp", self.classes, "Ratios", "20", options=("--ticker", ticker))
            profile = show_json(path)
            metadata = profile["metadata"]
            whole[ticker] = 1 - profile["lost"].get("bursts cut short by the VM", 0) / int(metadata["bursts"])
            self.assertEqual(int(metadata.get("marks-restored", 0)) > 1000, ticker == "remote", metadata)
            # Bursts that stay whole are as on newer JVMs; others take every call that they can get.
            self.assertEqual((metadata["stride"], metadata["correct"]), ("3", "full") if ticker == "remote" else ("1", "off"))
        self.assertLess(whole["cpu"], 0.3)
        self.assertGreater(whole["remote"], 0.9)
        # What passes before the mark is back is missed, and that is said.
        self.assertGreater(float(metadata["method-error"]), 20)

    @each_jdk(versions=(17,))
    def test_nobody_waits_for_marks_on_the_only_processor(self, version):
        before = os.sched_getaffinity(0)
        os.sched_setaffinity(0, {min(before)})
        try:
            _, path = profile_of(version, *PLAIN, "-cp", self.classes, "Ratios", "20")
        finally:
            os.sched_setaffinity(0, before)
        metadata = show_json(path)["metadata"]
        self.assertNotIn("marks-restored", metadata)
        self.assertEqual((metadata["stride"], metadata["correct"]), ("1", "off"))

    @each_jdk()
    def test_density_by_the_processors_counter_where_there_is_one(self, version):
        report = json.loads(assay("doctor", "--json", "--", java(version)).stdout)
        counter = next(m for m in report["mechanisms"] if m["name"] == "counter")
        result, path = profile_of(version, *PLAIN, "-cp", self.classes, "Ratios", "20", options=("--density", "counter"), check=False)
        self.assertIn("sum", result.stdout)
        self.assertEqual(result.returncode, 0 if counter["works"] else 3)
        if counter["works"]:
            self.check_ratios(path, 0.25)
            metadata = show_json(path)["metadata"]
            self.assertGreater(float(metadata["counter-over-bursts"]), 0.1)
            self.assertIn(metadata["counter"], counter["why"])
        else:
            self.assertIn("density=counter", result.stderr)
            self.assertIn(counter["why"].split(";")[0], result.stderr)

    @each_jdk()
    def test_ticks_become_rarer_in_a_long_run(self, version):
        result, path = profile_of(version, *PLAIN, "-cp", self.classes, "Ratios", "1000", options=("--overhead", "100%"))
        self.assertIn("sum", result.stdout)
        self.check_ratios(path, 0.1)
        metadata = show_json(path)["metadata"]
        self.assertRegex(metadata["tick"], "^1ms, then .*(16|32|64)ms$")
        self.assertGreater(int(metadata["bursts"]), 2000)

    @each_jdk()
    def test_the_tick_follows_from_the_share(self, version):
        """By its own books; what sampling really costs is measured by bench/overhead.

        How long the program takes differs from run to run: 3.0 to 4.7 s of CPU time without Assay in 120 runs, 11 s once in 84 with it.
        """
        for share in (0.05, 0.2, 0.8):  # so short that not even the last has as many as suffice
            result, path = profile_of(version, *PLAIN, "-cp", self.classes, "Ratios", "250", options=("--overhead", f"{share}%"))
            self.assertIn("sum", result.stdout)
            metadata = show_json(path)["metadata"]
            self.assertEqual(metadata["overhead"], f"{share}%")
            self.assertIn(f"sampling took about {metadata['overhead-taken']} of CPU time", assay("show", path).stdout)
            taken, program = re.fullmatch(r"([\d.]+) % of ([\d.]+) s", metadata["overhead-taken"]).groups()
            allowed = share * (1 + 10 / float(program))
            self.assertLess(float(taken), 1.4 * allowed + 0.5, metadata)
            if share > 0.05:  # which buys less than one burst in the longest period there is
                self.assertGreater(float(taken), 0.6 * allowed, metadata)
            self.assertGreater(int(metadata["bursts"]), 30, metadata)

    @each_jdk()
    def test_tick_or_share(self, version):
        for options, why in ((("--tick", "4ms", "--overhead", "1%"), "overhead: the tick follows from it; give one of the two"),
                             (("--overhead", "0"), "overhead: from 0.01 % to 100 %")):
            result, path = profile_of(version, *PLAIN, "-cp", self.classes, "Ratios", "10", options=options, check=False)
            self.assertIn(why, result.stderr)
            self.assertIn("sum", result.stdout)
            self.assertEqual(result.returncode, 3)
            self.assertFalse(os.path.exists(path))
        _, path = profile_of(version, *PLAIN, "-cp", self.classes, "Ratios", "10", options=("--tick", "4ms"))
        metadata = show_json(path)["metadata"]
        self.assertEqual(metadata["tick"], "4ms")
        self.assertNotIn("overhead", metadata)

    @each_jdk()
    def test_a_program_that_waits_does_not_keep_the_ticker_awake(self, version):
        result, path = profile_of(version, *PLAIN, "-cp", self.classes, "Waits", "4000")
        self.assertIn("waited", result.stdout)
        metadata = show_json(path)["metadata"]
        # It is a thread that ticks, and it wakes up whether or not the program runs.
        self.assertEqual(metadata["ticker"], "remote")
        self.assertLess(int(metadata["ticks"]), 2000)  # of 4000 at the period that it began with

    @each_jdk()
    def test_probes_where_nothing_is_compiled(self, version):
        # 92 % of the looks find the interpreter, one every 50 ms: 17 of them can be 80 % by chance, 70 cannot.
        result, path = profile_of(version, "-Xint", "-cp", self.classes, "Ratios", "8")
        self.assertIn("sum", result.stdout)
        metadata = show_json(path)["metadata"]
        self.assertEqual(metadata["via"], "probe")
        self.check_ratios(path, 0.25)
        self.assertEqual(metadata["inlined-call-sites"], "0")
        self.assertGreater(interpreted_time(metadata), 80)

    @each_jdk()
    def test_what_cannot_be_seen_is_told(self, version):
        _, path = profile_of(version, "-cp", self.classes, "Ratios", "100")
        metadata = show_json(path)["metadata"]
        self.assertLess(interpreted_time(metadata), 50)
        self.assertIn("too short", metadata["inlined-call-sites"])
        _, path = profile_of(version, "-cp", self.classes, "Ratios", "100", options=("--infer", "true"))
        self.assertGreater(int(show_json(path)["metadata"]["inlined-call-sites"]), 0)
        # Long enough for the count at its end to be little.
        _, path = profile_of(version, "-cp", self.classes, "Ratios", "6000")
        counted = show_json(path)["metadata"]["inlined-call-sites"]
        if version >= 26:
            self.assertIn("this VM does not tell when it ends", counted)
        else:
            self.assertGreater(int(counted), 0)

    @each_jdk()
    def test_cpu_timers_tick_too(self, version):
        _, path = profile_of(version, *PLAIN, "-cp", self.classes, "Ratios", "100",
                             options=("--ticker", "cpu", "--tick", "1ms", "--samples", "64"))
        self.check_ratios(path, 0.5)

    @each_jdk()
    def test_the_signal_of_the_jdk_is_left_alone(self, version):
        """The JDK installs a handler for one of the real-time signals, unasked; ours used to be there."""
        result, path = profile_of(version, *PLAIN, "-cp", self.classes, "Blocked", "20000000",
                                  options=("--ticker", "cpu"))
        self.assertIn("woken", result.stdout)
        metadata = show_json(path)["metadata"]
        self.assertGreater(int(metadata["ticks"]), 20)
        self.assertTrue(metadata["tick"].startswith("4ms"), "CPU timers are not faster: " + metadata["tick"])

    @each_jdk()
    def test_threads_that_live_shorter_than_a_tick(self, version):
        for ticker in ("remote", "cpu") if version >= 20 else ("remote",):
            with self.subTest(ticker=ticker):
                self.check_short_lived(version, ticker)

    def check_short_lived(self, version, ticker):
        _, path = profile_of(version, *PLAIN, "-cp", self.classes, "ShortLived", "800", options=("--tick", "4ms", "--ticker", ticker))
        found = {}
        for edge in show_json(path)["edges"]:
            if ".leaf(" in edge["callee"]:
                name = re.match(r".*\.(\w+)\(", edge["caller"])[1]
                found[name] = found.get(name, 0) + edge["weight"]
        # About 110 of the short threads are found: 10 % of chance, and more where other programs decide who runs when.
        self.assertTrue(0.5 < found["inMany"] / found["inOne"] < 2, f"{found}")

    @each_jdk()
    def test_counting_everything(self, version):
        _, path = profile_of(version, *PLAIN, "-cp", self.classes, "Ratios", "20",
                             options=("--samples", "all"))
        found = weights(path)
        self.check_ratios(path, 0.05)
        # Not more than happened; most of what happened after the first compilations.
        self.assertLessEqual(found["main", "f"], 20_000_000)
        if version >= 20:
            self.assertGreater(found["main", "f"], 15_000_000)

    @each_jdk(versions=(25,))
    def test_counting_everything_twice_gives_the_same_when_the_program_waits_for_the_compiler(self, version):
        paths = [profile_of(version, "-Xbatch", "-cp", self.classes, "Ratios", "20", options=("--samples", "all"))[1]
                 for _ in range(2)]
        overlap = json.loads(assay("compare", "--json", *paths).stdout)["overlap"]
        self.assertGreater(overlap["call_sites"], 99.9)

    @each_jdk(versions=(25,))
    def test_the_number_of_calls_in_all_is_about_right(self, version):
        """Of a program with much code: in bursts its calls take several times as long as usual."""
        totals = []
        for options in (",samples=all", ""):
            path = tempfile.mktemp(suffix=".profile")
            run(sys.executable, ROOT / "bench/workloads/run.py", "rhino", "--jdk", version, "--iterations", "16", "--agent",
                f"{BUILD}/libassay.so=output={path}{options}", env=dict(os.environ, JAVA_TOOL_OPTIONS="-Xbatch"))
            totals.append(sum(e["weight"] for e in show_json(path)["edges"]))
        self.assertRegex(assay("show", path).stdout, r"about [\d.]+ M calls ± \d+")
        self.assertTrue(0.5 < totals[1] / totals[0] < 2, totals)

    @each_jdk()
    def test_sites_are_call_instructions(self, version):
        for via in ("auto", "probe"):
            with self.subTest(via=via):
                self.check_sites(version, "--via", via)

    @each_jdk()
    def test_sites_are_call_instructions_where_the_vm_walks_from_compiled_code(self, version):
        self.check_sites(version, "--depth", "4", flags=("-XX:CompileCommand=quiet",
                                                         "-XX:CompileCommand=exclude,Ratios::main"))

    def check_sites(self, version, *options, flags=()):
        _, path = profile_of(version, *PLAIN, *flags, "-cp", self.classes, "Ratios", "50", options=options)
        listing = run(java(version, "javap"), "-c", "-p", "-cp", self.classes, "Ratios").stdout
        source = (HERE / "Ratios.java").read_text().splitlines()
        calls, method = set(), None
        for line in listing.splitlines():
            if match := re.match(r"  \S.* (\w+)\(", line):
                method = match[1]
            elif match := re.match(r"\s+(\d+): invoke\w+ .*Method (\w+):", line):
                calls.add((method, int(match[1]), match[2]))
        seen = 0
        for edge in show_json(path)["edges"]:
            if edge["caller"].startswith("Ratios.") and edge["callee"].startswith("Ratios."):
                site = (re.sub(r"\(.*|Ratios\.", "", edge["caller"]), edge["bci"],
                        re.sub(r"\(.*|Ratios\.", "", edge["callee"]))
                self.assertIn(site, calls)
                called = site[2] + "("
                self.assertIn(called, source[edge["line"] - 1], "the line holds the call")
                seen += 1
        self.assertGreaterEqual(seen, 4)

    @each_jdk()
    def test_inlined_callers_are_the_right_ones(self, version):
        """With inlining on, whatever call remains must still be one that the bytecode has."""
        _, path = profile_of(version, "-XX:CompileCommand=quiet", "-XX:CompileCommand=dontinline,Ratios::h",
                             "-cp", self.classes, "Ratios", "200")
        inner = [e for e in show_json(path)["edges"] if e["callee"].startswith("Ratios.h(")]
        self.assertTrue(inner)
        for edge in inner:
            self.assertEqual(edge["caller"], "Ratios.g(I)I")
            self.assertEqual(edge["bci"], 7)

    @each_jdk()
    def test_deeper_contexts(self, version):
        _, path = profile_of(version, *PLAIN, "-cp", self.classes, "Ratios", "100",
                             options=("--depth", "4"))
        stacks = {tuple(re.sub(r"\(.*|Ratios\.", "", f) for f in c["stack"])
                  for c in show_json(path, by="contexts")["contexts"]}
        self.assertTrue(any(s[-4:] == ("main", "f", "g", "h") for s in stacks), stacks)
        self.check_ratios(path, 0.3)

    @each_jdk()
    def test_killed_program_leaves_a_profile(self, version):
        path = tempfile.mktemp(suffix=".profile")
        process = subprocess.Popen([ASSAY, "run", "-o", path, "--", java(version), *PLAIN, "-cp",
                                    self.classes, "Ratios", "forever"], stdout=subprocess.PIPE, text=True,
                                   start_new_session=True, stderr=subprocess.DEVNULL)
        lines = 0
        deadline = time.time() + 60
        while time.time() < deadline and lines < 3:
            lines += process.stdout.readline() != ""
        while time.time() < deadline and not (os.path.exists(path) and os.path.getsize(path) > 500):
            time.sleep(0.1)
        time.sleep(2.5)
        os.killpg(process.pid, signal.SIGKILL)
        process.stdout.close()
        process.wait()
        self.assertIn(("f", "g"), weights(path))


if __name__ == "__main__":
    unittest.main()
