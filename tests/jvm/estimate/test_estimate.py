"""The accuracy that Assay claims for its own profiles, and profiling until it is reached."""
import math
import pathlib
import re
import subprocess
import tempfile
import unittest

from assay_test import AGENT, ASSAY, NEWEST, assay, compile_java, each_jdk, java, run, show_json

RATIOS = pathlib.Path(__file__).parent.parent / "calls" / "Ratios.java"
PLAIN = ("-XX:TieredStopAtLevel=1", "-XX:-Inline")


def start_forever(version, classes):
    child = subprocess.Popen([java(version), *PLAIN, "-cp", classes, "Ratios", "forever"],
                             stdout=subprocess.PIPE, text=True)
    child.stdout.readline()
    return child


class Estimate(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.classes = compile_java([RATIOS, RATIOS.parent.parent / "estimate" / "Flow.java"])

    def setUp(self):
        self.path = tempfile.mktemp(suffix=".profile")

    @each_jdk()
    def test_every_profile_states_its_accuracy(self, version):
        result = assay("run", "-o", self.path, "--", java(version), *PLAIN, "-cp", self.classes, "Ratios", "100")
        self.assertIn("accuracy about", result.stderr)
        self.assertIn("accuracy about", assay("show", self.path).stdout)
        metadata = show_json(self.path)["metadata"]
        claimed, error = float(metadata["accuracy"]), float(metadata["accuracy-error"])
        # Four edges and hundreds of bursts: little is left to chance, and the error of the method stays, which is larger without correction.
        limit = float(metadata["accuracy-limit"])
        of_method = float(metadata.get("method-error", 15)) / 100  # a standard deviation; the overlap lacks half of its mean
        self.assertAlmostEqual(limit, 100 - 50 * math.sqrt(2 / math.pi) * of_method, delta=0.1)
        self.assertLessEqual(limit, 94.02)
        if metadata["correct"] != "off":
            # Marks that were put back tell of calls that were missed: hardly any here.
            self.assertGreaterEqual(limit, 94.02 if version >= 20 else 92)
        self.assertGreater(claimed, limit - 3)
        self.assertLess(claimed, limit + 0.01)
        # The method may err by nothing; where that is computed from the profile itself it is known to half.
        self.assertGreater(error, min(100 - limit, 5.98 + (100 - limit) / 2) - 0.1)
        edges = show_json(self.path)["edges"]
        self.assertTrue(all(0 < edge["error"] for edge in edges if edge["samples"] > 0), edges)

    @each_jdk()
    def test_exact_profiles_claim_nothing(self, version):
        result = assay("run", "--collect", "exact", "-o", self.path, "--", java(version), "-cp", self.classes, "Ratios", "1")
        self.assertNotIn("accuracy", result.stderr)
        self.assertNotIn("accuracy", show_json(self.path)["metadata"])

    @each_jdk()
    def test_counting_every_call_claims_nothing(self, version):
        assay("run", "--samples", "all", "-o", self.path, "--", java(version), *PLAIN, "-cp", self.classes, "Ratios", "5")
        metadata = show_json(self.path)["metadata"]
        self.assertNotIn("accuracy", metadata)
        self.assertNotIn("method-error", metadata)

    @each_jdk()
    def test_run_until_accuracy_leaves_the_program_running(self, version):
        result = assay("run", "--until-accuracy", "60", "--flush", "100ms", "-o", self.path, "--",
                       java(version), *PLAIN, "-cp", self.classes, "Ratios", "300")
        self.assertIn("profiling ends, the program goes on", result.stderr)
        self.assertIn("sum", result.stdout)
        self.assertIn("enough for 60 %", result.stderr)
        metadata = show_json(self.path)["metadata"]
        self.assertGreaterEqual(float(metadata["accuracy"]), 60)
        self.assertNotEqual(metadata.get("ended"), "unfinished")

    @each_jdk()
    def test_attach_until_accuracy_returns_when_reached(self, version):
        child = start_forever(version, self.classes)
        try:
            result = assay("attach", child.pid, "--until-accuracy", "60", "--flush", "100ms", "-o", self.path)
            self.assertIn("enough for 60 %", result.stderr)
            status = subprocess.run([ASSAY, "detach", str(child.pid)], capture_output=True, text=True)
            self.assertIn("nothing is being profiled", status.stderr)
            self.assertIsNone(child.poll())
        finally:
            child.kill()
            child.communicate()

    def refused(self, pid, *options):
        result = subprocess.run([ASSAY, "attach", str(pid), "--until-accuracy", "95", *options], capture_output=True, text=True, timeout=60)
        self.assertNotEqual(result.returncode, 0)
        self.assertRegex(result.stderr, r"until-accuracy: sampling has \d\d\.\d % at most; --collect exact")

    @each_jdk()
    def test_attach_refuses_what_would_never_be_reached(self, version):
        child = start_forever(version, self.classes)
        try:
            self.refused(child.pid, "-o", self.path)
            assay("attach", child.pid, "-o", self.path)
            self.refused(child.pid)
            assay("detach", child.pid)
            self.assertIsNone(child.poll())
        finally:
            child.kill()
            child.communicate()

    @each_jdk()
    def test_out_of_reach_is_said(self, version):
        result = assay("run", "--until-accuracy", "99.99", "--tick", "20ms", "-o", self.path, "--",
                       java(version), *PLAIN, "-cp", self.classes, "Ratios", "20")
        self.assertNotIn("profiling ends", result.stderr)
        self.assertRegex(result.stderr, r"until-accuracy: sampling has \d\d\.\d % at most.*; it goes on until more samples would change little")
        self.assertRegex(result.stderr, r"99\.99 % is out of reach of sampling, which has \d\d\.\d % at most")

    def test_merging_estimates_anew(self):
        version = NEWEST
        paths = [tempfile.mktemp(suffix=".profile") for _ in range(2)]
        for seed, path in enumerate(paths):
            assay("run", "--seed", seed + 1, "-o", path, "--", java(version), *PLAIN, "-cp", self.classes, "Ratios", "30")
        assay("merge", *paths, "-o", self.path)
        merged = show_json(self.path)["metadata"]["accuracy"]
        self.assertNotIn(",", merged)
        self.assertGreater(float(merged), 50)

    @each_jdk()
    def test_inference_joins_calls_made_equally_often(self, version):
        flow = (java(version), *PLAIN, "-cp", self.classes, "Flow", "40000000")
        result = assay("run", "--infer", "true", "-o", self.path, "--", *flow)
        self.assertRegex(result.stderr, "groups of calls|nothing inferred")
        self.assertIn(show_json(self.path)["metadata"]["infer"], ("done", "left alone"))
        # The agent alone only records.
        run(flow[0], f"-agentpath:{AGENT}=collect=calls,infer=true,output={self.path}", *flow[1:])
        listing = run(java(version, "javap"), "-c", "-p", "-cp", self.classes, "Flow").stdout
        body = listing.split("static void step(int)")[1].split("return")[0]
        sites = {name: bci for bci, name in re.findall(r"(\d+): invokestatic .*Method (\w+):", body)}
        groups = {tuple(row["sites"].split()): row["entry"] for row in show_json(self.path, "flow")["flow"]
                  if row["method"] == "Flow.step(I)V"}
        self.assertEqual(groups, {(sites["before"], sites["after"]): "entry"})

        inferred = self.path + ".inferred"
        assay("infer", self.path, "-o", inferred)
        was, now = self.flow_weights(self.path), self.flow_weights(inferred)
        self.assertAlmostEqual(now["before"] + now["after"], was["before"] + was["after"], delta=1)
        self.assertLessEqual(abs(now["before"] - now["after"]), abs(was["before"] - was["after"]) + 1)
        for name in ("odd", "even"):
            self.assertEqual(now[name], was[name])
        self.assertNotIn("flow", assay("show", inferred, "--by", "metadata").stdout)

    def flow_weights(self, path):
        return {edge["callee"].split(".")[1].split("(")[0]: edge["weight"] for edge in show_json(path)["edges"]
                if edge["caller"] == "Flow.step(I)V"}

    def test_inference_needs_to_know_the_code(self):
        assay("run", "-o", self.path, "--", java(NEWEST), "-cp", self.classes, "Flow", "1000")
        refused = assay("infer", self.path, "-o", self.path + ".inferred", check=False)
        self.assertEqual(refused.returncode, 2)
        self.assertIn("--infer true", refused.stderr)


if __name__ == "__main__":
    unittest.main()
