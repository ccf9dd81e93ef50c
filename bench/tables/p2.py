"""Instrumentation sampling: exhaustive and framework overhead (Tables 1-3), intervals (Table 4), triggers
(Table 5)."""
from harness import cli, configs, papers, results

from . import common

NEVER = "1000000000"


def sampled(name, *options):
    return configs.Config(name, name, assay=("--collect", "sampled", *options), kind="assay")


def intervals(arguments):
    steps = (100, 1000) if arguments.quick else (1, 10, 100, 1000, 10000, 100000)
    text, runs = "", []
    for jdk in cli.jdks(arguments):
        work = common.small_set(arguments, jdk, 2 if arguments.quick else 6)
        grid = {(d, i): sampled(f"sampled-{d}-{i}", "--duplication", d, "--interval", str(i))
                for d in ("full", "none") for i in steps}
        timer = sampled("sampled-timer", "--duplication", "full", "--trigger", "timer")
        frame = {d: sampled(f"framework-{d}", "--duplication", d, "--interval", NEVER) for d in ("full", "partial", "none")}
        seen = common.accuracies("p2", arguments, jdk, "paper", work, [*grid.values(), timer], 1)
        cost = common.overheads("p2", arguments, jdk, (), work,
                                [configs.BASE, configs.NULL, configs.CONFIGS["exact"], *frame.values(), *grid.values()],
                                (2, 2) if arguments.quick else (3, 5), arguments.budget or (120 if arguments.quick else 900))
        rows = []
        for i in steps:
            for d, paper in (("full", papers.P2_TABLE4), ("none", papers.P2_TABLE4_NONE)):
                c = grid[d, i].name
                rows.append([f"{d}, {i}", common.interval(common.mean_percent(cost, work, c, "steady_cpu")),
                             common.number(seen.mean(work, c)), f"{paper[i][0]}", f"{paper[i][1]}"])
        text += (f"JDK {jdk}, mean of {', '.join(w.name for w in work)}; overhead in steady state, accuracy of call "
                 "edges in the paper setting.\n\n"
                 + results.table(["duplication, interval", "total overhead %", "accuracy %", "paper: overhead %",
                                  "paper: accuracy %"], rows) + "\n")
        rows = [["exhaustive", common.interval(common.mean_percent(cost, work, "exact", "steady_cpu")), "88.3 (call edges)"]]
        rows += [[f"framework only, {d}", common.interval(common.mean_percent(cost, work, frame[d].name, "steady_cpu")), p]
                 for d, p in (("full", "4.9"), ("partial", "-"), ("none", "1.3 (call edges)"))]
        rows.append(["null control", common.interval(common.mean_percent(cost, work, "null", "steady_cpu")), ""])
        text += results.table(["", "overhead %", "paper"], rows) + "\n"
        text += (f"Timer trigger instead of the counter: accuracy {common.number(seen.mean(work, 'sampled-timer'))} % "
                 "(paper, field access: 63 % against 84 %).\n\n")
        runs += [seen, cost]
    common.publish(arguments, "p2", "P2 Tables 1 to 5: sampled instrumentation", text, runs[-1].info, runs)
