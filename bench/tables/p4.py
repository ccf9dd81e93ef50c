"""Partial calling context tree: precision as the correlation of successive runs and of successive segments of a run.

A run is as many iterations as fill the time, with the profile cut into segments. A whole run is the sum of its segments. The
first segment of a run holds the start-up and is not compared.
"""
import math
import pathlib
import statistics
import subprocess
import tempfile

import run as runner
from harness import accuracy, cli, configs, graph, paths, process, results
from harness.limit import LIMIT, Spent

from . import common

SEGMENTS = 4                       # complete ones in a run
# What is correlated, as `assay compare` and as the table names it.
LEVELS = {"call_sites": "call sites", "context_calls": "contexts by activations", "context_self": "contexts by own time"}
PILOT = 12                         # iterations without a profiler, to know how long one takes; the last few are asked
MARGIN = 1.25                      # they get shorter still
TRIES = 4                          # of a run that is long enough: some programs get three times as fast as the pilot was


def execute(command, workload, arguments, jdk, seconds, folder):
    result = process.run(command, 60 + 10 * seconds, cwd=folder)
    if result.ok:
        result.why = runner.check(workload, arguments.size, jdk, result.stdout) or ""
    if not result.ok:
        raise RuntimeError(result.why)
    return result


def iterations(workload, arguments, jdk, seconds, folder):
    """As many as take that long, by the wall clock."""
    command = configs.BASE.command(workload, jdk, arguments.size, PILOT, "", marks=True)
    each = execute(command, workload, arguments, jdk, seconds, folder).steady(PILOT - 4)[1]
    return max(PILOT, math.ceil(MARGIN * seconds / max(each, 1e-4)))


def profile(workload, arguments, jdk, seconds, count, folder):
    """A run's segments without the first, and the sum of all."""
    folder.mkdir()
    out = folder / "run.profile"
    options = (*configs.CONFIGS["contexts"].assay, "--segment", f"{1000 * seconds / SEGMENTS:.0f}ms", "--flush", "200ms")
    config = configs.Config("p4", "", assay=("-q", *options), kind="assay")
    execute(config.command(workload, jdk, arguments.size, count, out, marks=False), workload, arguments, jdk, seconds,
            folder)
    segments = sorted(folder.glob("run.profile.*"), key=lambda p: int(p.suffix[1:]))
    whole = folder / "whole.profile"
    subprocess.run([paths.ASSAY, "merge", *segments, out, "-o", whole], check=True, capture_output=True)
    return segments[1:], whole


def long_enough(workload, arguments, jdk, seconds, count, folder):
    """The first run, with as many iterations as give two segments to compare, and their number."""
    for number in range(TRIES):
        segments, whole = profile(workload, arguments, jdk, seconds, count, folder / f"first{number}")
        if len(segments) >= 2:
            break
        count = math.ceil(MARGIN * count * (SEGMENTS + 1) / (len(segments) + 1.5))
    return count, (segments, whole)


def samples(path):
    return round(sum(c["samples"] for c in graph.shown(path, "contexts")))


def likeness(pairs):
    """The mean of each correlation over pairs of profiles; None where there is none."""
    found = [graph.compare(*pair)["correlations"] for pair in pairs]
    values = {level: [f[level] for f in found if f.get(level) is not None] for level in LEVELS}
    return {level: statistics.fmean(v) if v else None for level, v in values.items()}


def measure(workload, arguments, jdk, seconds):
    with tempfile.TemporaryDirectory(prefix="assay-p4-") as name:
        folder = pathlib.Path(name)
        count = iterations(workload, arguments, jdk, seconds, folder)
        count, first = long_enough(workload, arguments, jdk, seconds, count, folder)
        runs = [first, profile(workload, arguments, jdk, seconds, count, folder / "second")]
        pairs = [pair for segments, _ in runs for pair in zip(segments, segments[1:])]
        return {"iterations": count, "samples": samples(runs[0][1]), "pairs": len(pairs),
                "runs": likeness([[whole for _, whole in runs]]), "segments": likeness(pairs)}


def one(run, workload, arguments, jdk, seconds):
    """A row with what was found; one that is there already is not made again, one that failed is."""
    for row in run.rows:
        if row["workload"] == workload.name and not row["why"] and row["pairs"] > 0:
            return row
    row = {"workload": workload.name, "config": "contexts", "repeat": 0, "why": ""}
    try:
        row.update(measure(workload, arguments, jdk, seconds))
    except (RuntimeError, ValueError, OSError, subprocess.CalledProcessError) as failure:
        row["why"] = str(getattr(failure, "stderr", None) or failure)[-300:]
    run._add(row)
    print(f"p4, JDK {jdk}, {workload.name}: {row['why'] or row['runs']}", flush=True)
    return row


def table_of(rows):
    def cells(row):
        return [common.number(row[what][level], 3) for what in ("runs", "segments") for level in LEVELS]
    good = [row for row in rows if not row["why"]]
    lines = [[row["workload"], f"{row['samples']:,}", *cells(row)] if not row["why"] else
             [row["workload"], "failed", *[""] * 2 * len(LEVELS)] for row in rows]
    means = []
    for what in ("runs", "segments"):
        for level in LEVELS:
            values = [row[what][level] for row in good if row[what][level] is not None]
            means.append(f"**{statistics.fmean(values):.3f}**" if values else "-")
    lines.append(["**mean**", "", *means])
    lines.append(["paper", "", "about 0.9", *[""] * (2 * len(LEVELS) - 1)])
    header = ["program", "samples"] + [f"{what}: {label}" for what in ("runs", "segments") for label in LEVELS.values()]
    return results.table(header, lines)


def precision(arguments):
    seconds = 4 if arguments.quick else 16
    text, made = "", []
    for jdk in cli.jdks(arguments):
        run = accuracy.Accuracy("p4", paths.RAW / f"p4-{jdk}.jsonl", jdk, "production", arguments.size, seconds)
        rows = []
        for workload in cli.workloads(arguments, jdk):
            try:
                rows.append(one(run, workload, arguments, jdk, seconds))
            except Spent:
                LIMIT.leave_out(f"{workload.name} (JDK {jdk})")
        made.append(run)
        run.rows = rows or run.rows          # published: what the table shows
        if rows:
            text += (f"JDK {jdk}, 1 ms ticks; correlation of two runs of about {seconds} s each, start-up included, and of successive "
                     f"segments of {seconds / SEGMENTS:g} s of the same runs:\n\n{table_of(rows)}\n")
    common.publish(arguments, "p4", "P4: precision of the context sampler", text, made[-1].info, made)
