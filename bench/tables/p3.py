"""Bytecode counting: accuracy, profile size and overhead for granularities (Figures 10 to 15).

Accuracy and size are those of application classes, against exact counts of the same run: what the JVM
does for its own reasons is counted by `exact` only. Overhead is that of the defaults, JDK included.
"""
import json
import pathlib
import statistics
import subprocess
import tempfile
import time

from harness import cli, configs, graph, machine, paths, results
from harness.limit import LIMIT, Spent

from . import common, p3_same

PAPER = {500: ("> 96 (jittered)", "67-96"), 10000: ("> 90", "47-56")}
ITERATIONS = 8


class Contexts:
    """Overlap of contexts and size of the file, by program, granularity and jitter."""

    def __init__(self, arguments, jdk, name="p3-contexts"):
        self.size, self.jdk = arguments.size, jdk
        self.raw = paths.RAW / f"{name}-{jdk}.jsonl"
        self.raw.parent.mkdir(parents=True, exist_ok=True)
        self.info = machine.describe(jdk)
        self.rows = []

    def measure(self, workload, grid, iterations=ITERATIONS):
        with tempfile.TemporaryDirectory() as folder:
            truth, out = pathlib.Path(folder) / "exact", pathlib.Path(folder) / "counted"
            scope = p3_same.scope(workload)
            self._profile(workload, ("--collect", "exact", *scope), truth, iterations)
            for granularity, jitter in grid:
                options = ("--collect", "bytecodes", "--granularity", str(granularity), "--jitter", str(jitter), *scope)
                self._profile(workload, options, out, iterations)
                compared = json.loads(subprocess.run([paths.ASSAY, "compare", truth, out, "--json"], check=True,
                                                     capture_output=True, text=True).stdout)
                self._add({"workload": workload.name, "jdk": self.jdk, "granularity": granularity, "jitter": jitter,
                           "iterations": iterations, "bytecodes": int(graph.profile(out, "methods")["metadata"]["bytecodes"]),
                           "overlap": compared["overlap"]["contexts"], "bytes": out.stat().st_size,
                           "exact_bytes": truth.stat().st_size, "info": self.info})

    def _profile(self, workload, options, out, iterations):
        p3_same.profile(workload, self.jdk, options, (), out, self.size, iterations)

    def _add(self, row):
        self.rows.append(row)
        with open(self.raw, "a") as file:
            file.write(json.dumps(row) + "\n")

    def values(self, granularity, jitter):
        return [r for r in self.rows if (r["granularity"], r["jitter"]) == (granularity, jitter)]

    def overlap(self, granularity, jitter):
        found = [r["overlap"] for r in self.values(granularity, jitter)]
        return f"{statistics.mean(found):.1f} ({min(found):.1f})" if found else "-"

    def share(self, granularity):
        found = self.values(granularity, 0)
        return 100 * sum(r["bytes"] for r in found) / sum(r["exact_bytes"] for r in found) if found else None


def accuracy(arguments, jdk, work, steps, until):
    seen = Contexts(arguments, jdk)
    for workload in work:
        if time.monotonic() > until:
            print(f"{workload.name} and the following skipped: the budget is spent", flush=True)
            break
        try:
            seen.measure(workload, [(g, j) for g in steps for j in (0, 100)])
        except Spent:
            LIMIT.leave_out(workload.name)
        except (RuntimeError, subprocess.CalledProcessError) as failure:
            print(f"{workload.name} skipped: {failure}", flush=True)
    return seen


def granularities(arguments):
    steps = (500, 10000) if arguments.quick else (500, 1000, 5000, 10000, 100000, 1000000)
    budget = (arguments.budget or (200 if arguments.quick else 3600)) / len(cli.jdks(arguments))
    text, runs = "", []
    for jdk in cli.jdks(arguments):
        work = common.small_set(arguments, jdk, 2 if arguments.quick else 8)
        seen = accuracy(arguments, jdk, work, steps, time.monotonic() + budget / 2)
        done = [w for w in work if any(r["workload"] == w.name for r in seen.rows)]
        costly = [configs.Config(f"bytecodes-{g}", f"{g}", kind="assay",
                                 assay=("--collect", "bytecodes", "--granularity", str(g), "--jitter", "0"))
                  for g in steps]
        cost = common.overheads("p3", arguments, jdk, (), done, [configs.BASE, configs.NULL, *costly],
                                (1, 2) if arguments.quick else (3, 5), budget / 2,
                                iterations=8 if arguments.quick else 40)
        rows = []
        for g, config in zip(steps, costly):
            rows.append([f"{g:,}", seen.overlap(g, 0), seen.overlap(g, 100), common.number(seen.share(g)),
                         *common.both_costs(cost, done, config.name),
                         *PAPER.get(g, ("-", "-"))])
        text += (f"JDK {jdk}, mean (least) of {', '.join(w.name for w in done)}; {ITERATIONS} iterations for accuracy. "
                 f"Overhead: CPU time in the second half of the run. Null control: {' and '.join(common.both_costs(cost, done, 'null'))}.\n\n"
                 + results.table(["granularity", "context overlap %", "with jitter 100", "size, % of exact",
                                  *common.BOTH_COSTS, "paper: overlap %", "paper: overhead %"], rows) + "\n")
        runs += [seen, cost]
    common.publish(arguments, "p3", "P3 Figures 10 to 15: bytecode counting", text, runs[-1].info, runs)


def lengths(arguments):
    """The default granularity in runs of several lengths: how many samples it takes to know the contexts."""
    steps = (1, 2) if arguments.quick else (4, 8, 16, 24)
    text, runs = "", []
    for jdk in cli.jdks(arguments):
        work = common.small_set(arguments, jdk, 2 if arguments.quick else 4)
        seen = Contexts(arguments, jdk, "p3-length")
        for iterations in steps:
            for workload in work:
                try:
                    seen.measure(workload, [(10000, 100)], iterations)
                except Spent:
                    LIMIT.leave_out(f"{workload.name}, {iterations} iterations")
        text += (f"JDK {jdk}, granularity 10,000, jitter 100: overlap of contexts with exact counts in % (bytecodes executed).\n\n"
                 + results.table(["iterations", *(w.name for w in work), "mean"], [length_row(seen.rows, n, work) for n in steps]) + "\n")
        runs.append(seen)
    common.publish(arguments, "p3-length", "P3: accuracy of contexts by length of the run", text, runs[-1].info, runs)


def length_row(rows, iterations, work):
    of = {r["workload"]: r for r in rows if r["iterations"] == iterations}
    cells = [f"{of[w.name]['overlap']:.1f} ({of[w.name]['bytecodes'] / 1e9:.2f} G)" if w.name in of else "-" for w in work]
    mean = f"{statistics.mean(r['overlap'] for r in of.values()):.1f}" if len(of) == len(work) else "-"
    return [iterations, *cells, mean]
