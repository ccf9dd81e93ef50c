"""Instrumentation sampling, the paper's Tables 1 to 5: exhaustive overhead (1), the framework alone with its parts,
code size and compile time (2, 3), intervals with overhead and accuracy (4), counter against timer (5)."""
import re
import tempfile

from harness import cli, configs, papers, process, results
from harness.limit import LIMIT, Spent

from . import common, p2_counts

NEVER = "1000000000"
BOTH = p2_counts.BOTH
TIMER = ("--duplication", "full", "--trigger", "timer", "--tick", "1ms")


def sampled(name, *options, instrument=BOTH):
    return configs.Config(name, name, assay=("--collect", "sampled", "--instrument", instrument, *options), kind="assay")


def framework(name, *options, instrument=BOTH):
    return sampled(name, "--interval", NEVER, *options, instrument=instrument)


# name -> (configuration, the paper's mean overhead in percent)
EXHAUSTIVE = {
    "call-edge": (sampled("exhaustive-call-edge", "--interval", "1", instrument="call-edge"), "88.3"),
    "field-access": (sampled("exhaustive-field-access", "--interval", "1", instrument="field-access"), "60.4"),
}
FRAMEWORK = {
    "full": (framework("framework-full", "--checks-only", "all"), "4.9"),
    "full, checks on entry only": (framework("framework-entries", "--checks-only", "entries"), "1.3"),
    "full, checks on back edges only": (framework("framework-back-edges", "--checks-only", "back-edges"), "3.5"),
    "partial": (framework("framework-partial", "--checks-only", "all", "--duplication", "partial"), "-"),
    "none, call-edge": (framework("framework-none-call-edge", "--duplication", "none", instrument="call-edge"), "1.3"),
    "none, field-access": (framework("framework-none-field-access", "--duplication", "none",
                                     instrument="field-access"), "51.1"),
}


def compiled(workload, jdk, config, iterations):
    """(bytes of machine code, seconds) of C2 in one run, as -XX:+CITime prints them."""
    with tempfile.TemporaryDirectory() as folder:
        out = configs.output(folder, config, 0)
        command = config.command(workload, jdk, "small", iterations, out, ("-XX:+CITime",), marks=False)
        printed = process.run(command, 300, cwd=folder).stdout
    line = re.search(r"^\s*C2 \{.*?standard:\s*([\d.]+) s.*?osr:\s*([\d.]+) s.*?nmethods_code_size: (\d+)", printed, re.M)
    return (int(line[3]), float(line[1]) + float(line[2])) if line else None


def growth(work, jdk, chosen, iterations):
    """Per configuration, the means of code size and compile time against no agent."""
    base = {w.name: compiled(w, jdk, configs.BASE, iterations) for w in work}
    found = {}
    for config in chosen:
        pairs = [(base[w.name], compiled(w, jdk, config, iterations)) for w in work]
        pairs = [(b, c) for b, c in pairs if b and c]
        found[config.name] = [f"{sum(c[i] / b[i] for b, c in pairs) / len(pairs):.2f}" if pairs else "-" for i in (0, 1)]
    return found


def overhead_rows(cost, work, named):
    return {name: [*common.both_costs(cost, work, config.name), paper]
            for name, (config, paper) in named.items()}


def intervals(arguments):
    steps = (100, 1000) if arguments.quick else (1, 10, 100, 1000, 10000, 100000)
    iterations = 8 if arguments.quick else 60
    text, runs = "", []
    for jdk in cli.jdks(arguments):
        work = common.small_set(arguments, jdk, 1 if arguments.quick else 4)
        grid = {i: sampled(f"full-{i}", "--duplication", "full", "--interval", str(i)) for i in steps}
        timer = sampled("timer", *TIMER)
        named = EXHAUSTIVE | FRAMEWORK
        raw = p2_counts.Raw("p2-overlap", jdk)
        chosen = {f"full-{i}": grid[i].assay[4:] for i in steps if i != 1} | {"timer": TIMER}
        sizes = {}
        try:
            for workload in work:
                raw.rows += p2_counts.overlaps(workload, jdk, chosen)
            sizes = growth(work[:1] if arguments.quick else work, jdk,
                           [c for n, (c, _) in FRAMEWORK.items() if n in ("full", "partial")], iterations)
        except Spent:
            LIMIT.leave_out("accuracy and compile time")
        cost = common.overheads("p2", arguments, jdk, (), work,
                                [configs.BASE, configs.NULL, *(c for c, _ in named.values()), *grid.values(), timer],
                                (1, 1) if arguments.quick else (2, 5), arguments.budget or (120 if arguments.quick else 3600),
                                iterations=iterations)
        text += tables(jdk, work, cost, raw.rows, sizes, grid, iterations)
        runs += [cost, raw]
    common.publish(arguments, "p2", "P2 Tables 1 to 5: sampled instrumentation", text, runs[-1].info, runs)


def tables(jdk, work, cost, found, sizes, grid, iterations):
    text = (f"JDK {jdk}, mean of {', '.join(w.name for w in work)}. Overhead: CPU time of the process, and of all its threads "
            f"but the JIT compiler's, in the second half of {iterations} iterations, in percent. Null control: "
            f"{' and '.join(common.both_costs(cost, work, 'null'))}.\n\nTable 1, exhaustive (interval 1):\n\n")
    text += results.table(["", *common.BOTH_COSTS, "paper"], [[n, *r] for n, r in overhead_rows(cost, work, EXHAUSTIVE).items()])
    rows = [[n, *r, *sizes.get(FRAMEWORK[n][0].name, ("-", "-"))] for n, r in overhead_rows(cost, work, FRAMEWORK).items()]
    text += ("\nTables 2 and 3, the framework alone: checks, no samples. Code size and compile time are C2's, as a multiple of the "
             "run without agent (paper: compile time 1.34, full).\n\n"
             + results.table(["duplication", *common.BOTH_COSTS, "paper", "code size", "compile time"], rows))
    rows = []
    for i, config in grid.items():
        cells = ["100", "100"] if i == 1 else [p2_counts.mean_and_range(found, config.name, k) for k in ("call-edge", "field-access")]
        rows.append([f"{i:,}", *common.both_costs(cost, work, config.name), *cells,
                     " / ".join(map(str, papers.P2_TABLE4[i]))])
    text += ("\nTable 4, full duplication, call edges and fields together; accuracy is the overlap with interval 1 over 8 iterations, "
             "mean (range).\n\n"
             + results.table(["interval", *common.BOTH_COSTS, "call-edge %", "field-access %", "paper"], rows))
    rows = [[label, *common.both_costs(cost, work, name),
             *(p2_counts.mean_and_range(found, name, k) for k in ("call-edge", "field-access")), paper]
            for label, name, paper in (("counter, 1,000", "full-1000", "84"), ("timer of 1 ms", "timer", "63"))]
    return (text + "\nTable 5, counter against timer:\n\n"
            + results.table(["trigger", *common.BOTH_COSTS, "call-edge %", "field-access %", "paper: field-access"], rows) + "\n")
