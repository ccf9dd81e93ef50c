#!/usr/bin/env python3
"""How overhead and memory grow: with threads (1 to 1,000), distinct edges (10^3 to 10^6), stack depth.

  make bench-scaling
"""
import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from harness import cli, configs, experiment, paths, plots, results, stats
from harness.limit import LIMIT
import registry

AXES = {"threads": (1, 10, 100, 1000), "edges": (1000, 10_000, 100_000, 1_000_000), "depth": (10, 100, 1000, 2000)}


def memory(run, workload, config):
    def peak(name):
        found = [r["rss_kb"] for r in run.rows if r["workload"] == workload and r["config"] == name and not r["why"]]
        return statistics.median(found) if found else None
    ours, base = peak(config), peak("base")
    return None if ours is None or base is None else (ours - base) / 1024


def size(run, workload, config):
    found = [r["profile_bytes"] for r in run.rows if r["workload"] == workload and r["config"] == config
             and not r["why"]]
    return statistics.median(found) / 1024 if found else None


def main():
    parser = cli.parser(__doc__)
    parser.add_argument("--config", action="append")
    arguments = cli.parse(parser)
    chosen = configs.pick(["base", "null"] + (arguments.config or ["calls", "contexts"]))
    text = ""
    for jdk in cli.jdks(arguments)[-1:]:
        run = experiment.Experiment("scaling", paths.RAW / f"scaling-{jdk}.jsonl", jdk, "small", iterations=6, skip=3,
                                    rounds=(2, 3) if arguments.quick else (5, 10),
                                    budget=(arguments.budget or (200 if arguments.quick else 900)) / 12, warmup=0)
        for axis, steps in AXES.items():
            rows, series = [], {}
            for step in steps:
                workload = registry.WORKLOADS[f"{axis}-{step}"]
                run.run(workload, chosen)
                cells = [f"{step:,}"]
                for config in chosen[1:]:
                    ratios = run.ratios(workload.name, config.name, metric="steady_cpu")
                    if ratios:
                        e = stats.median_interval(ratios)
                        p = e.scaled(lambda r: 100 * (r - 1))
                        series.setdefault(config.label, []).append((step, p.value, p.low, p.high))
                        cells.append(results.percent(e))
                    else:
                        cells.append("failed" if run.failures(workload, config) else "-")
                for config in chosen[2:]:
                    more, bytes_ = memory(run, workload.name, config.name), size(run, workload.name, config.name)
                    cells += ["-" if more is None else f"{more:+.0f}", "-" if bytes_ is None else f"{bytes_:.0f}"]
                rows.append(cells)
            header = [axis] + [c.label for c in chosen[1:]]
            for config in chosen[2:]:
                header += [f"{config.name}: memory, MB", f"{config.name}: profile, KB"]
            text += f"JDK {jdk}, against the number of {axis}:\n\n" + results.table(header, rows) + "\n"
            if arguments.publish:
                plots.lines(f"scaling-{axis}", f"Overhead against {axis}, JDK {jdk}", axis, "overhead, % CPU", series)
        if arguments.publish:
            results.publish(run.raw, run.rows)
    text += LIMIT.sentence()
    print(text)
    if arguments.publish:
        results.section("scaling", "Scaling", text, run.info, "make bench-scaling")


if __name__ == "__main__":
    main()
