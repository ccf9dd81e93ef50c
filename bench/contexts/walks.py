#!/usr/bin/env python3
"""What a context sample costs by depth of stack, against the VM's own walker in the same run; and the
precision that P4 reports: correlation between two runs and between segments of one.

  bench/contexts/walks.py [--jdk 17 --jdk 25] [--seconds 4] [--programs h2,xalan]
One JSON line per measurement on standard output.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from assay_test import ASSAY, compile_java, java, need  # noqa: E402


def run(folder, options, command):
    path = f"{folder}/out.profile"
    subprocess.run([ASSAY, "run", "-q", "-o", path, "--collect", "contexts", *options, "--", *command], check=True,
                   stdout=subprocess.DEVNULL)
    shown = subprocess.run([ASSAY, "show", path, "--by", "metadata", "--json"], check=True, capture_output=True)
    return path, json.loads(shown.stdout)["metadata"]


def walk_costs(arguments, folder, jdk, classes):
    for depth in (10, 100, 1000, 5000):
        command = [java(jdk), "-Xss64m", "-cp", classes, "Shapes", "deep", str(arguments.seconds), str(depth)]
        _, ours = run(folder, (), command)
        _, whole = run(folder, ("--watermark", "false"), command)
        _, asked = run(folder, ("--verify-walks", "true"), command)
        each = lambda m: round(float(m["walk-median-ns"]))  # medians: others may run here too
        yield {"what": "walk", "jdk": jdk, "depth": depth, "samples": int(ours["samples-taken"]),
               "frames_per_sample": round(int(ours["frames-walked"]) / int(ours["samples-taken"]), 1),
               "to_the_mark": int(ours["walks-to-the-mark"]), "ns_per_sample": each(ours),
               "ns_whole_walk": each(whole),
               "ns_asgct": round(float(asked["oracle-median-ns"]))}


def likeness(a, b):
    shown = subprocess.run([ASSAY, "compare", a, b, "--json"], check=True, capture_output=True)
    found = json.loads(shown.stdout)
    return {"contexts_overlap": round(found["overlap"]["contexts"], 1),
            "correlations": {k: v and round(v, 3) for k, v in found["correlations"].items()}}


def precision(arguments, folder, jdk):
    for name in arguments.programs.split(","):
        paths = [f"{folder}/{name}-{i}.profile" for i in range(2)]
        for path in paths:
            subprocess.run([sys.executable, ROOT / "bench/workloads/run.py", name, "--jdk", str(jdk), "--size",
                            "small", "--iterations", str(arguments.iterations), "--assay",
                            f"-q --collect contexts -o {path}"], check=True, stdout=subprocess.DEVNULL)
        shown = subprocess.run([ASSAY, "show", paths[0], "--by", "metadata", "--json"], check=True,
                               capture_output=True)
        metadata = json.loads(shown.stdout)["metadata"]
        yield {"what": "runs", "jdk": jdk, "program": name, "samples": int(metadata["samples-taken"]),
               "to_the_mark": int(metadata["walks-to-the-mark"]), "whole": int(metadata["walks-whole"]),
               "frames_per_sample": round(int(metadata["frames-walked"]) / int(metadata["samples-taken"]), 1),
               "us_per_sample": round(1e3 * float(metadata["walk-ms"]) / int(metadata["samples-taken"]), 2),
               **likeness(*paths)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jdk", type=int, action="append")
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--iterations", type=int, default=5)
    parser.add_argument("--programs", default="h2,xalan,rhino,lucene,jython,javac")
    parser.add_argument("--only", choices=("walk", "runs"))
    arguments = parser.parse_args()
    need()
    classes = compile_java([ROOT / "tests/jvm/contexts/Shapes.java"])
    with tempfile.TemporaryDirectory(prefix="assay-walks-") as folder:
        for jdk in arguments.jdk or (17, 25):
            for part, name in ((walk_costs(arguments, folder, jdk, classes), "walk"),
                               (precision(arguments, folder, jdk), "runs")):
                if arguments.only in (None, name):
                    for line in part:
                        print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
