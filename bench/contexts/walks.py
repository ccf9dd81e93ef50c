#!/usr/bin/env python3
"""What a context sample costs by depth of stack, against the VM's own walker in the same run and JFR in one of its own.

  bench/contexts/walks.py [--jdk 17 --jdk 25] [--seconds 4]
One JSON line per depth on standard output, then the table. Precision, the other figure of P4: bench/tables/run.py p4.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "bench")]
from assay_test import ASSAY, JDKS, compile_java, java, need  # noqa: E402
from harness import configs, results  # noqa: E402

DEPTHS = (10, 100, 1000, 5000)
JFR_DEPTH = 2048                   # the most that its option stackdepth takes
CAVEAT = f"""The column of AsyncGetCallTrace is its call alone. JFR does not tell what a sample costs: its column is the CPU time of its sampler
thread, as the scheduler counts it, by jdk.ExecutionSample events. What it spends on finding and stopping threads and on ticks without a sample
is included; what the sampled thread loses is not. Stacks deeper than {JFR_DEPTH:,} frames are cut there. On JDK 25 the sampler only notes where a thread
is, and the thread walks its own stack at its next safepoint poll (JEP 518): the walk is not in that figure at all.
"""


def run(folder, options, command):
    path = f"{folder}/out.profile"
    subprocess.run([ASSAY, "run", "-q", "-o", path, "--collect", "contexts", "--tick", "1ms", *options, "--", *command], check=True,
                   stdout=subprocess.DEVNULL)
    shown = subprocess.run([ASSAY, "show", path, "--by", "metadata", "--json"], check=True, capture_output=True)
    return path, json.loads(shown.stdout)["metadata"]


def cpu_ns(pid, thread):
    """What a thread of another process has run for, as its scheduler counts it."""
    return int(pathlib.Path(f"/proc/{pid}/task/{thread}/schedstat").read_text().split()[0])


def sampler_thread(pid):
    """JFR's sampler, by its name as the kernel cuts it; None before it is there."""
    for task in pathlib.Path(f"/proc/{pid}/task").glob("*"):
        try:
            if (task / "comm").read_text().startswith(("JFR Thread Samp", "JFR Sampler Thr")):
                return int(task.name)
        except OSError:
            continue
    return None


def run_jfr(folder, jdk, command):
    """(CPU time of JFR's sampler thread in ns, events it made) of a run with nothing but execution samples, every ms."""
    recording = f"{folder}/out.jfr"
    child = subprocess.Popen(
        [command[0], f"-XX:StartFlightRecording=filename={recording},settings={configs.jfc_folder()}/1ms.jfc",
         f"-XX:FlightRecorderOptions:stackdepth={JFR_DEPTH}", "-Xlog:jfr*=off", "-Xlog:jfr+startup=off", *command[1:]],
        stdout=subprocess.DEVNULL)
    thread, spent = None, 0
    while child.poll() is None:
        thread = thread or sampler_thread(child.pid)
        try:
            spent = cpu_ns(child.pid, thread) if thread else 0
        except (OSError, IndexError):  # gone with the JVM: the last reading stands
            pass
        time.sleep(0.02)
    if child.returncode or not spent:
        raise SystemExit(f"JFR on JDK {jdk}: exit status {child.returncode}, sampler thread {thread}")
    summary = subprocess.run([JDKS[jdk] / "bin" / "jfr", "summary", recording], check=True, capture_output=True, text=True)
    return spent, int(re.search(r"jdk\.ExecutionSample\s+(\d+)", summary.stdout)[1])


def walk_costs(arguments, folder, jdk, classes):
    for depth in DEPTHS:
        command = [java(jdk), "-Xss64m", "-cp", classes, "Shapes", "deep", str(arguments.seconds), str(depth)]
        _, ours = run(folder, (), command)
        _, whole = run(folder, ("--watermark", "false"), command)
        _, asked = run(folder, ("--verify-walks", "true"), command)
        jfr_ns, jfr_events = run_jfr(folder, jdk, command)
        each = lambda m: round(float(m["walk-median-ns"]))  # medians: others may run here too
        yield {"what": "walk", "jdk": jdk, "depth": depth, "samples": int(ours["samples-taken"]),
               "frames_per_sample": round(int(ours["frames-walked"]) / int(ours["samples-taken"]), 1),
               "to_the_mark": int(ours["walks-to-the-mark"]), "ns_per_sample": each(ours),
               "ns_whole_walk": each(whole), "ns_asgct": round(float(asked["oracle-median-ns"])),
               "jfr_events": jfr_events, "ns_jfr_sampler": round(jfr_ns / max(1, jfr_events))}


def table(lines):
    columns = (("to the mark", "ns_per_sample"), ("whole walk", "ns_whole_walk"), ("AsyncGetCallTrace", "ns_asgct"),
               ("JFR's sampler thread", "ns_jfr_sampler"))
    jdks = list(dict.fromkeys(line["jdk"] for line in lines))
    found = {(line["jdk"], line["depth"]): line for line in lines}
    rows = [[f"{depth:,}", *(f"{found[jdk, depth][key]:,}" for jdk in jdks for _, key in columns)] for depth in DEPTHS]
    return results.table(["depth", *(f"{jdk}: {label}" for jdk in jdks for label, _ in columns)], rows, left=0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jdk", type=int, action="append")
    parser.add_argument("--seconds", type=float, default=4)
    arguments = parser.parse_args()
    need()
    classes = compile_java([ROOT / "tests/jvm/contexts/Shapes.java"])
    lines = []
    with tempfile.TemporaryDirectory(prefix="assay-walks-") as folder:
        for jdk in arguments.jdk or (17, 25):
            for line in walk_costs(arguments, folder, jdk, classes):
                print(json.dumps(line), flush=True)
                lines.append(line)
    print(f"\nNanoseconds per sample:\n\n{table(lines)}\n{CAVEAT}")


if __name__ == "__main__":
    main()
