"""Counter-based sampling: Table 2 (samples x stride) and Table 3 (per program, small and large)."""
from harness import accuracy, cli, configs, papers, results
from harness.limit import LIMIT

from . import common

GRID = {False: ((1, 8, 16, 32, 128, 512), (1, 3, 7, 31)), True: ((1, 32), (1, 7))}


def cbs(samples, stride, *options):
    return configs.calls(f"cbs-{samples}-{stride}", f"samples {samples}, stride {stride}",
                         "--samples", str(samples), "--stride", str(stride), *options)


PAPER_TICK = ("--tick", "10ms", "--correct", "off")


def table2(arguments):
    """Overhead / accuracy for every cell, mean over programs, with the papers' cells below ours."""
    samples, strides = GRID[arguments.quick]
    text, runs = "", []
    for jdk in cli.jdks(arguments):
        work = common.small_set(arguments, jdk, 2 if arguments.quick else 6)
        cells = [cbs(s, t, *PAPER_TICK) for s in samples for t in strides]
        seen = common.accuracies("p0-table2", arguments, jdk, "paper", work, cells, 1)
        cost = common.overheads("p0-table2", arguments, jdk, accuracy.FLAGS["paper"], work,
                                [configs.BASE, configs.NULL, *cells], (2, 2) if arguments.quick else (3, 5),
                                arguments.budget or (120 if arguments.quick else 900))
        rows = []
        for s in samples:
            ours = [f"{_value(cost, work, s, t)}/{common.number(seen.mean(work, f'cbs-{s}-{t}'), 0)}" for t in strides]
            rows.append([f"{s}"] + ours)
            rows.append([f"{s}, paper: Jikes RVM"] + [papers.TABLE2_JIKES[s][t] for t in strides])
            rows.append([f"{s}, paper: J9"] + [papers.TABLE2_J9[s][t] for t in strides])
        null = common.mean_percent(cost, work, "null")
        text += (f"JDK {jdk}, paper setting, tick 10 ms as there, mean of {', '.join(w.name for w in work)}; "
                 f"overhead % (whole run) / accuracy %. Null control {common.interval(null)} %.\n\n"
                 + results.table(["samples"] + [f"stride {t}" for t in strides], rows) + "\n")
        runs += [seen, cost]
    common.publish(arguments, "p0-table2", "P0 Table 2: samples and stride", text, runs[-1].info, runs)


def _value(cost, work, samples, stride):
    estimate = common.mean_percent(cost, work, f"cbs-{samples}-{stride}")
    return "-" if estimate is None else f"{estimate.value:.1f}"


SWEPT = 4                            # iterations: all programs at 24 cells each are worth more than long runs of a few
SWEPT_TICK = ("--tick", "4ms")       # one for the whole run: bursts are compared, not how many there are


def sweep(arguments):
    """Accuracy for every cell at one tick and the default correction, in both settings: where the defaults come from."""
    samples, strides = GRID[arguments.quick]
    cells = [cbs(s, t, *SWEPT_TICK) for s in samples for t in strides]
    peers = configs.pick(["timer", "jfr-10ms", "jfr-1ms"])
    settings = arguments.setting or ("paper", "production")
    for number, setting in enumerate(settings):
        text, runs, jdks = "", [], cli.jdks(arguments)
        with LIMIT.share(len(settings) - number):
            for place, jdk in enumerate(jdks):
                work = common.small_set(arguments, jdk, 2 if arguments.quick else None)
                with LIMIT.share(len(jdks) - place):
                    runs.append(common.accuracies("p0-sweep", arguments, jdk, setting, work, cells + peers, 1, SWEPT))
                text += _swept(runs[-1], jdk, setting, work, samples, strides, peers)
        common.publish(arguments, f"p0-sweep-{setting}", f"Samples and stride at a tick of 4 ms, {setting} setting", text, runs[-1].info, runs,
                       f"bench/tables/run.py p0-sweep --setting {setting}")


def _swept(run, jdk, setting, work, samples, strides, peers):
    """Over the programs for which every cell was measured."""
    names = [f"cbs-{s}-{t}" for s in samples for t in strides] + [c.name for c in peers]
    whole = [w for w in work if all(run.mean([w], name) is not None for name in names)]
    rows = [[f"{s}"] + [common.number(run.mean(whole, f"cbs-{s}-{t}")) for t in strides] for s in samples]
    others = "; ".join(f"{c.label} {common.number(run.mean(whole, c.name))}" for c in peers)
    ceiling = f"; ceiling {common.number(run.mean(whole, 'ceiling'))}" if accuracy.has_ceiling(setting) else ""
    return (f"JDK {jdk}, {setting} setting, overlap of call sites in %, one run of {SWEPT} iterations from a cold start, mean of {len(whole)} programs "
            f"({', '.join(w.name for w in whole)}):\n\n" + results.table(["samples"] + [f"stride {t}" for t in strides], rows)
            + f"\nIn the same table: {others}{ceiling}.\n\n")


RUN = {"small": 8, "large": 2}       # iterations, so that a run takes seconds as the paper's: loading the agent is not the point


def table3(arguments):
    """Per program and size, overhead / accuracy as in the paper: timer only, the paper's parameters, our default."""
    chosen = configs.pick(["timer-10ms", "p0-jikes", "p0-j9", "calls"])
    sizes = ("small",) if arguments.quick else ("small", "large")
    parts = [(jdk, size) for jdk in cli.jdks(arguments) for size in sizes]
    rows, runs = {}, []
    for number, (jdk, size) in enumerate(parts):
        with LIMIT.share(len(parts) - number):
            found, used = _table3_part(arguments, jdk, size, chosen)
        rows.setdefault(jdk, []).extend(found)
        runs += used
    text = ""
    for jdk, found in rows.items():
        text += (f"JDK {jdk}, paper setting, overhead % / accuracy %: overhead by the CPU time of whole runs of {RUN['small']} (small) or "
                 f"{RUN['large']} (large) iterations, accuracy of one iteration from a cold start, as in the paper; the paper's columns are Jikes RVM's and J9's timers, Jikes RVM, J9:\n\n"
                 + results.table(["program", "null control"] + [c.label for c in chosen], found + papers.TABLE3) + "\n")
    common.publish(arguments, "p0-table3", "P0 Table 3: program by program", text, runs[-1].info, runs)


def _table3_part(arguments, jdk, size, chosen):
    """(rows of the table, runs) of one size on one JVM; half of the time is for accuracy."""
    work = common.small_set(arguments, jdk, 2 if arguments.quick else 8)
    with LIMIT.share(2):
        seen = common.accuracies(f"p0-table3-{size}", arguments, jdk, "paper", work, chosen, 1 if arguments.quick else 3, iterations=1,
                                 size=size)
    cost = common.overheads(f"p0-table3-{size}", arguments, jdk, accuracy.FLAGS["paper"], work, [configs.BASE, configs.NULL, *chosen],
                            (2, 3) if arguments.quick else (5, 10), min(LIMIT.remaining(), 1800),
                            iterations=RUN[size], size=size)

    def cell(works, name):
        overhead = common.mean_percent(cost, works, name)
        return f"{common.number(overhead and overhead.value)}/{common.number(seen.mean(works, name), 0)}"

    rows = [[f"{w.name}-{size}", common.interval(common.mean_percent(cost, [w], "null"))] + [cell([w], c.name) for c in chosen]
            for w in work]
    rows.append([f"**average {size}**", common.interval(common.mean_percent(cost, work, "null"))] + [cell(work, c.name) for c in chosen])
    return rows, [seen, cost]
