"""What the tables share: accuracy and overhead of a list of configurations, averaged over programs."""
import json

from harness import accuracy, cli, experiment, machine, paths, results, stats
from harness.limit import LIMIT


def small_set(arguments, jdk, count, deterministic=True):
    """A few programs of different character unless the user named some; without a count all, these first."""
    chosen = cli.workloads(arguments, jdk, deterministic=deterministic)
    if arguments.workload:
        return chosen
    preferred = ["h2", "rhino", "xalan", "javac", "lucene", "jython", "antlr", "jackson"]
    ranked = sorted(chosen, key=lambda w: preferred.index(w.name) if w.name in preferred else 99)
    return ranked[:count]


def accuracies(name, arguments, jdk, setting, work, chosen, repeats, iterations=8, size=None):
    run = accuracy.Accuracy(name, paths.RAW / f"{name}-{setting}-{jdk}.jsonl", jdk, setting,
                            size or arguments.size, iterations)
    # Repeat after repeat over all programs, so that a time limit leaves none out.
    for number in range(1, repeats + 1):
        for workload in work:
            run.run(workload, chosen, number, with_ceiling=accuracy.has_ceiling(setting))
    return run


def overheads(name, arguments, jdk, flags, work, chosen, rounds, budget, iterations=8, size=None):
    run = experiment.Experiment(name, paths.RAW / f"{name}-overhead-{jdk}.jsonl", jdk, size or arguments.size,
                                iterations, flags=flags, rounds=rounds, budget=budget / max(1, len(work)),
                                warmup=0)
    for workload in work:
        run.run(workload, chosen)
    return run


class Raw:
    """The rows of one table, as publish wants them; those that this build has measured before are there already."""

    def __init__(self, name, jdk):
        self.raw, self.info = paths.RAW / f"{name}-{jdk}.jsonl", machine.describe(jdk)
        lines = self.raw.read_text().splitlines() if self.raw.exists() else []
        self.rows = [row for row in map(json.loads, lines) if row.get("build") == self.info["build"]]

    def add(self, found):
        found = [{**row, "build": self.info["build"]} for row in found]
        self.rows += found
        self.raw.parent.mkdir(parents=True, exist_ok=True)
        with open(self.raw, "a") as file:
            file.write("".join(json.dumps(row) + "\n" for row in found))


def mean_percent(run, work, config, metric="cpu"):
    groups = [g for g in (run.ratios(w.name, config, metric=metric) for w in work) if g]
    return None if not groups else stats.mean_interval(groups).scaled(lambda r: 100 * (r - 1))


def number(value, digits=1):
    return "-" if value is None else f"{value:.{digits}f}"


def interval(estimate):
    return "-" if estimate is None else f"{estimate.value:+.1f} [{estimate.low:.1f}, {estimate.high:.1f}]"


BOTH_COSTS = ["overhead %", "without the compiler's threads %"]


def both_costs(run, work, config):
    """Cells of BOTH_COSTS: in steady state, all of the process and all but the JIT compiler's threads."""
    return [interval(mean_percent(run, work, config, metric)) for metric in ("steady_cpu", "steady_program")]


def publish(arguments, name, title, text, info, runs, command=None):
    text += LIMIT.sentence() and "\n" + LIMIT.sentence()
    print(f"## {title}\n\n{text}", flush=True)
    if all(row.get("why") for run in runs for row in run.rows):
        raise RuntimeError(f"{name}: nothing could be measured")
    if arguments.publish:
        for run in runs:
            results.publish(run.raw, run.rows)
        results.section(name, title, text, info, command or f"bench/tables/run.py {name}")
