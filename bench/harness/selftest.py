#!/usr/bin/env python3
"""The harness tested with known perturbations: it must see 1 % more work and an accuracy loss of
5 points, and must see nothing in the null control. Exit status 1 when it does not.

  make bench-selftest
"""
import pathlib
import random
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from harness import cli, configs, experiment, graph, paths, results, stats
from harness.limit import LIMIT
import profile_file
import registry


# A 95 % interval misses 1 once in twenty runs of the null control; it does not miss it by this much.
TOLERANCE = 0.002


def judge(ratios, slower):
    """(cells of the table, is it right) for the ratios of one perturbation; `slower`: 1 % was added."""
    if not ratios:
        return ["-", 0, "nothing: the time limit came first", "**no**"], False
    estimate = stats.median_interval(ratios)
    seen = estimate.low > 1 + TOLERANCE or estimate.high < 1 - TOLERANCE
    right = seen == slower and (not slower or estimate.low <= 1.01 <= estimate.high + 0.004)
    return [results.percent(estimate), estimate.pairs, "a difference" if seen else "no difference",
            "yes" if right else "**no**"], right


def slowdown(arguments, jdk):
    run = experiment.Experiment("selftest", paths.RAW / f"selftest-{jdk}.jsonl", jdk, "large", iterations=3,
                                skip=1, rounds=(10, 60), budget=arguments.budget or 200, target=0.0025)
    run.run(registry.WORKLOADS["knob"], configs.pick(["base", "null", "extra-1"]))
    rows, good = [], True
    for name, slower in (("null", False), ("extra-1", True)):
        cells, right = judge(run.ratios("knob", name, metric="steady_cpu"), slower)
        rows.append([configs.CONFIGS[name].label] + cells)
        good &= right
    return run, rows, good


def sampled_graph():
    """(a skewed graph, the same with sampling noise)."""
    rng = random.Random(9)
    truth = {("A.m()V", i, f"B.n{i}()V"): rng.paretovariate(1.1) for i in range(5000)}
    total = sum(truth.values())
    sampled = {e: sum(rng.random() < 0.5 for _ in range(int(1 + 4e4 * w / total))) for e, w in truth.items()}
    return truth, {e: w for e, w in sampled.items() if w}


def write(edges, path):
    profile = profile_file.ProfileFile()
    for edge, weight in edges.items():
        profile.edge(*edge, weight)
    return profile.write(path)


def loss():
    """Five points taken away, and nothing taken; compared as every table compares, from files by `assay compare`."""
    truth, sampled = sampled_graph()
    rows, good = [], True
    with tempfile.TemporaryDirectory() as folder:
        def overlap(edges):
            return graph.compare(exact, write(edges, f"{folder}/other.profile"))["overlap"]["call_sites"]

        exact = write(truth, f"{folder}/truth.profile")
        before = overlap(sampled)
        for points in (0, 5):
            after = overlap(graph.perturb(sampled, truth, points))
            right = abs(before - after - points) < 0.01
            good &= right
            rows.append([f"accuracy lowered by {points} points", f"{before:.2f} % -> {after:.2f} %", 1,
                         f"{before - after:.2f} points", "yes" if right else "**no**"])
    return rows, good


def main():
    arguments = cli.parse(cli.parser(__doc__))
    jdk = cli.jdks(arguments)[-1]
    lost, found = loss()
    run, rows, seen = slowdown(arguments, jdk)
    text = results.table(["perturbation", "measured", "pairs", "the harness says", "right"], rows + lost)
    text += LIMIT.sentence() and "\n" + LIMIT.sentence()
    print(text)
    if arguments.publish:
        results.publish(run.raw, run.rows)
        results.section("selftest", "The harness tested with known perturbations", text, run.info,
                        "make bench-selftest")
    sys.exit(0 if seen and found else 1)


if __name__ == "__main__":
    main()
