#!/usr/bin/env python3
"""Overhead of every collector and peer against no profiler: interleaved, with the null control.

  make bench-overhead            all real programs, JDK 17 and 25
  QUICK=1 make bench-overhead    four programs, a few rounds
  bench/overhead/run.py --config calls --config jfr-10ms --workload h2 --jdk 25
"""
import math
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from harness import cli, configs, experiment, papers, paths, results, stats, tradeoff
from harness.limit import LIMIT

DEFAULT = ["base", "null", "idle", "calls", "timer", "contexts", "sampled", "bytecodes", "jfr-10ms", "jfr-1ms",
           "jfr-cpu", "async-10ms", "async-1ms", "async-calls"]
FULL = 3600                          # seconds of the full form
QUICK = ["base", "null", "calls", "jfr-10ms"]


def measure(arguments, jdk, chosen):
    """Round after round over all programs, so that a limit that ends early leaves none out."""
    work = cli.workloads(arguments, jdk)
    run = experiment.Experiment("overhead", paths.RAW / f"overhead-{jdk}.jsonl", jdk, arguments.size, iterations=arguments.iterations,
                                budget=math.inf, target=arguments.target, warmup=0 if arguments.quick else 1)
    for limit in (1, 2, 4, 8) if arguments.quick else (1, 2, 4, 6, 10, 16, 25, 40):
        LIMIT.left_out.clear()
        for workload in work:
            run.rounds = (4 if arguments.quick else 10, limit)
            run.run(workload, chosen, what=f"JDK {jdk} {workload.name}, round {limit}")
        if LIMIT.remaining() <= 0:
            break
    return run, work


def cell(run, workload, config, metric):
    ratios = run.ratios(workload.name, config.name, metric=metric)
    if ratios:
        return results.percent(stats.median_interval(ratios))
    failed = run.failures(workload, config)
    return "failed" if failed else "-"


def summary(run, work, config, metric):
    groups = [run.ratios(w.name, config.name, metric=metric) for w in work]
    if not any(groups):
        return "-"
    return results.percent(stats.mean_interval(groups))


def body(run, work, chosen):
    shown = [c for c in chosen if c.name != "base" and run.jdk >= c.min_jdk]
    text = ""
    for metric, title in (("steady_program", "Steady state, CPU time without the JIT compiler's threads"), ("steady_cpu", "Steady state, process CPU time"),
                          ("cpu", "Whole run, process CPU time"), ("steady_wall", "Steady state, wall time")):
        rows = [[w.name] + [cell(run, w, c, metric) for c in shown] for w in work]
        rows.append(["**geometric mean**"] + [summary(run, work, c, metric) for c in shown])
        text += f"{title}, JDK {run.jdk}:\n\n" + results.table(["program"] + [c.label for c in shown], rows) + "\n"
    failed = sorted({(w.name, c.name, run.failures(w, c)[-1]["why"].splitlines()[-1][-160:])
                     for w in work for c in shown if run.failures(w, c)})
    if failed:
        text += "Failures:\n\n" + "".join(f"- {w}, {c}: `{why}`\n" for w, c, why in failed) + "\n"
    return text


def main():
    parser = cli.parser(__doc__)
    parser.add_argument("--config", action="append", metavar="NAME", help=", ".join(configs.CONFIGS))
    parser.add_argument("--set", choices=configs.SETS, help="configurations by the name of a set")
    parser.add_argument("--iterations", type=int, default=6)
    parser.add_argument("--target", type=float, default=0.004, help="stop at this half-width of the interval")
    arguments = cli.parse(parser, FULL)
    named = ["base", "null", *configs.SETS[arguments.set]] if arguments.set else QUICK if arguments.quick else DEFAULT
    chosen, left_out = configs.available(configs.pick(arguments.config or named))
    if not chosen or chosen[0].name != "base":
        chosen.insert(0, configs.BASE)
    text, start = "", time.monotonic()
    jdks = cli.jdks(arguments)
    for number, jdk in enumerate(jdks):
        with LIMIT.share(len(jdks) - number):
            run, work = measure(arguments, jdk, chosen)
        text += body(run, work, chosen)
        if arguments.publish:
            results.publish(run.raw, run.rows)
    text += configs.skipped(left_out) + LIMIT.sentence() + papers.OVERHEAD
    print(text)
    print(f"({time.monotonic() - start:.0f} s; raw data in {paths.RAW})")
    if arguments.publish:
        results.section("overhead", "Overhead", text, run.info, "make bench-overhead")
        tradeoff.publish()


if __name__ == "__main__":
    main()
