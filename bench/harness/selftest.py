#!/usr/bin/env python3
"""The harness tested with known perturbations: it must see 1 % more work and an accuracy loss of
5 points, and must see nothing in the null control. Exit status 1 when it does not.

  make bench-selftest
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from harness import cli, configs, experiment, graph, paths, results, stats
import registry


# A 95 % interval misses 1 once in twenty runs of the null control; it does not miss it by this much.
TOLERANCE = 0.002


def slowdown(arguments, jdk):
    run = experiment.Experiment("selftest", paths.RAW / f"selftest-{jdk}.jsonl", jdk, "large", iterations=3,
                                skip=1, rounds=(10, 60), budget=arguments.budget or 200, target=0.0025)
    knob = registry.WORKLOADS["knob"]
    run.run(knob, configs.pick(["base", "null", "extra-1"]))
    rows, good = [], True
    for name, slower in (("null", False), ("extra-1", True)):
        estimate = stats.median_interval(run.ratios("knob", name, metric="steady_cpu"))
        seen = estimate.low > 1 + TOLERANCE or estimate.high < 1 - TOLERANCE
        good &= seen == slower and (not slower or estimate.low <= 1.01 <= estimate.high + 0.004)
        rows.append([configs.CONFIGS[name].label, results.percent(estimate), estimate.pairs,
                     "a difference" if seen else "no difference", "yes" if seen == slower else "**no**"])
    return run, rows, good


def loss():
    """The metric on a skewed graph with sampling noise, five points taken away, and nothing taken."""
    import random
    rng = random.Random(9)
    truth = {("A.m()V", i, f"B.n{i}()V"): rng.paretovariate(1.1) for i in range(5000)}
    total = sum(truth.values())
    sampled = {e: sum(rng.random() < 0.5 for _ in range(int(1 + 4e4 * w / total))) for e, w in truth.items()}
    sampled = {e: w for e, w in sampled.items() if w}
    before = graph.overlap(truth, sampled)
    rows, good = [], True
    for points in (0, 5):
        after = graph.overlap(truth, graph.perturb(sampled, truth, points))
        good &= abs(before - after - points) < 0.01
        rows.append([f"accuracy lowered by {points} points", f"{before:.2f} % -> {after:.2f} %", 1,
                     f"{before - after:.2f} points", "yes" if abs(before - after - points) < 0.01 else "**no**"])
    return rows, good


def main():
    arguments = cli.parser(__doc__).parse_args()
    jdk = cli.jdks(arguments)[-1]
    run, rows, seen = slowdown(arguments, jdk)
    lost, found = loss()
    text = results.table(["perturbation", "measured", "pairs", "the harness says", "right"], rows + lost)
    print(text)
    if arguments.publish:
        results.publish(run.raw, run.rows)
        results.section("selftest", "The harness tested with known perturbations", text, run.info,
                        "make bench-selftest")
    sys.exit(0 if seen and found else 1)


if __name__ == "__main__":
    main()
