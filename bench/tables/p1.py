"""Adaptive correction: the two bias programs, and accuracy off / density / full (Figure 7)."""
import itertools
import pathlib
import statistics
import subprocess
import tempfile

import registry
from harness import accuracy, cli, configs, graph, paths, results
from harness.limit import LIMIT, Spent

from . import common

MODES = ("off", "density", "full")
FLAGS = ("-XX:CompileCommand=quiet", "-XX:CompileCommand=dontinline,bench.CallDensityBias::compute",
         "-XX:CompileCommand=dontinline,bench.LatencyBias::compute")


def _ratio(profile, kind):
    """Weight of one site over the other; 1 is right."""
    edges = {e: w for e, w in graph.load(profile).items() if ".compute(" in e[2]}
    if kind == "call-density-bias":
        first = sum(w for e, w in edges.items() if ".sparse(" in e[0])
        second = sum(w for e, w in edges.items() if ".dense(" in e[0])
    else:
        sites = {}
        for e, w in edges.items():
            sites[e[1]] = sites.get(e[1], 0) + w
        if len(sites) != 2:
            raise RuntimeError(f"{len(sites)} call sites of compute in the profile, 2 expected")
        (_, first), (_, second) = sorted(sites.items())
    if not second:
        raise RuntimeError("one of the two edges was never sampled")
    return first / second


def _measure(run, workload, config, number):
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "bias.profile"
        row = {"workload": workload.name, "config": config.name, "repeat": number, "why": ""}
        try:
            result = run.profile(workload, config, out)
            if not result.ok:
                raise RuntimeError(result.why)
            row["ratio"] = _ratio(out, workload.name)
        except (RuntimeError, subprocess.CalledProcessError) as failure:
            row["why"] = str(failure)
        run._add(row)


def _cell(run, program, config):
    rows = [r for r in run.rows if (r["workload"], r["config"]) == (program, config)]
    ratios = [r["ratio"] for r in rows if not r["why"]]
    if not ratios:
        return f"failed: {rows[-1]['why'][-60:]}" if rows else "-"
    return f"{statistics.median(ratios):.3f} [{min(ratios):.3f}, {max(ratios):.3f}]"


ITERATIONS = 8                       # two leave 0.94 to 1.10 to chance


def bias(arguments):
    """After correction the two edges of each program must come out equal."""
    text, runs, repeats = "", [], 2 if arguments.quick else 3
    programs = ["call-density-bias", "latency-bias-2", "latency-bias-8", "latency-bias-32"][:2 if arguments.quick else 4]
    chosen = {mode: configs.calls(f"p1-{mode}", mode, "--correct", mode) for mode in MODES}
    for jdk in cli.jdks(arguments):
        accuracy.FLAGS["bias"] = FLAGS
        run = accuracy.Accuracy("p1-bias", paths.RAW / f"p1-bias-{jdk}.jsonl", jdk, "bias", "large", ITERATIONS)
        runs.append(run)
        for name, number in itertools.product(programs, range(repeats)):
            workload = registry.WORKLOADS[name]
            try:
                for config in chosen.values():
                    if not run.done(workload, config, number):
                        _measure(run, workload, config, number)
            except Spent:
                LIMIT.leave_out(f"{name} on JDK {jdk}")
        rows = [[name, *(_cell(run, name, c.name) for c in chosen.values()),
                 "2.0 -> 1.0" if "density" in name else "A above B -> 1.0"] for name in programs]
        text += (f"JDK {jdk}; ratio of the weights of two edges that are called equally often (sparse/dense, A/B), "
                 f"median [range] of {repeats} runs; right is 1, the bar is 0.95 to 1.05.\n\n"
                 + results.table(["program", *(f"correct {m}" for m in MODES), "paper"], rows) + "\n")
    common.publish(arguments, "p1", "P1: the bias programs", text, run.info, runs)


def correction(arguments):
    """Accuracy off / density / full on all programs."""
    chosen = configs.pick(["calls-off", "calls-density", "calls"])
    text, runs = "", []
    for setting in ("paper",) if arguments.quick else ("paper", "production"):
        for jdk in cli.jdks(arguments):
            work = common.small_set(arguments, jdk, 3 if arguments.quick else 12, setting == "paper")
            run = common.accuracies("p1-correction", arguments, jdk, setting, work, chosen,
                                    1 if arguments.quick else 3)
            rows = [[w.name] + [common.number(run.value(w.name, c.name)) for c in chosen] for w in work]
            rows.append(["**mean**"] + [common.number(run.mean(work, c.name)) for c in chosen])
            rows.append(["paper", "61", "71", "72"])
            text += (f"{setting.capitalize()} setting, JDK {jdk}, accuracy %:\n\n"
                     + results.table(["program"] + [c.label for c in chosen], rows) + "\n")
            runs.append(run)
    common.publish(arguments, "p1-correction", "P1 Figure 7: accuracy with correction", text, runs[-1].info, runs)
