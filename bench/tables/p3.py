"""Bytecode counting: accuracy, profile size and overhead for granularities (Figures 10 to 15)."""
from harness import cli, configs, results

from . import common

PAPER = {500: ("> 96 (jittered)", "67-96"), 10000: ("> 90", "47-56")}


def granularities(arguments):
    steps = (10000,) if arguments.quick else (500, 1000, 5000, 10000, 100000, 1000000)
    text, runs = "", []
    for jdk in cli.jdks(arguments):
        work = common.small_set(arguments, jdk, 2 if arguments.quick else 6)
        grid = {(g, j): configs.Config(f"bytecodes-{g}-{j}", f"{g}, jitter {j}", kind="assay",
                                       assay=("--collect", "bytecodes", "--granularity", str(g), "--jitter", str(j)))
                for g in steps for j in (0, 100)}
        seen = common.accuracies("p3", arguments, jdk, "paper", work, list(grid.values()), 1, iterations=3)
        costly = [c for (g, j), c in grid.items() if j == 0]
        cost = common.overheads("p3", arguments, jdk, (), work, [configs.BASE, configs.NULL, *costly],
                                (2, 2) if arguments.quick else (3, 5), arguments.budget or (120 if arguments.quick else 900))
        rows = []
        for g in steps:
            name = grid[g, 0].name
            sizes = [seen.value(w.name, name, "profile_bytes") for w in work]
            truths = [seen.truth(w).stat().st_size for w, s in zip(work, sizes) if s]
            share = 100 * sum(s for s in sizes if s) / sum(truths) if truths else None
            paper = PAPER.get(g, ("-", "-"))
            rows.append([f"{g:,}", common.number(seen.mean(work, name, "contexts")),
                         common.number(seen.mean(work, grid[g, 100].name, "contexts")), common.number(share),
                         common.interval(common.mean_percent(cost, work, name, "steady_cpu")), *paper])
        text += (f"JDK {jdk}, mean of {', '.join(w.name for w in work)}.\n\n"
                 + results.table(["granularity", "context overlap %", "with jitter 100", "size, % of exact",
                                  "overhead %", "paper: overlap %", "paper: overhead %"], rows) + "\n")
        runs += [seen, cost]
    common.publish(arguments, "p3", "P3 Figures 10 to 15: bytecode counting", text, runs[-1].info, runs)
