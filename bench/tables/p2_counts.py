"""Instrumentation sampling without a clock: Property 1 by counting, and accuracy against interval 1 (the
paper's perfect profile) for call edges and fields. Neither needs a quiet machine."""
import json
import pathlib
import subprocess
import tempfile

import run as runner
from harness import cli, configs, graph, papers, paths, process, results
from harness.limit import LIMIT, Spent

from . import common

BOTH = "call-edge,field-access"
MIXES = ("call-edge", "field-access", BOTH)
MODES = ("full", "partial", "none", "auto")


def profile(workload, jdk, iterations, out, *options):
    config = configs.Config("sampled", "", assay=("--collect", "sampled", *options), kind="assay")
    command = config.command(workload, jdk, "small", iterations, out, marks=False)
    result = process.run(command, 600, cwd=out.parent)
    wrong = result.why or runner.check(workload, "small", jdk, result.stdout)
    if wrong:
        raise RuntimeError(f"{workload.name} {' '.join(options)}: {wrong}")
    return out


def rows(path, table):
    shown = subprocess.run([str(paths.ASSAY), "show", str(path), "--by", table, "--json", "--top", "1000000000"],
                           capture_output=True, text=True, check=True)
    return json.loads(shown.stdout)[table]


def fields(path):
    return {(r["field"], r["access"]): r["weight"] for r in rows(path, "fields")}


def count_checks(workload, jdk, mix, mode):
    with tempfile.TemporaryDirectory() as folder:
        out = profile(workload, jdk, 2, pathlib.Path(folder) / "p.profile", "--instrument", mix,
                      "--duplication", mode, "--count-checks", "true")
        return {r["executed"]: r["weight"] for r in rows(out, "checks")}


def share(counts):
    """Checks per entry or back edge. Runs are compared by this, as the JVM's own threads differ a little."""
    return counts["checks"] / (counts["entries"] + counts["back edges"])


def violations(counts):
    """What Property 1 does not allow, by mode."""
    wrong = [m for m in ("full", "partial") if share(counts[m]) > 1]
    return wrong + (["partial above full"] if share(counts["partial"]) > share(counts["full"]) + 0.001 else [])


def check_row(raw, workload, jdk, mix, broken):
    """The cells of one program and mix, measured where `raw` has none; what does not hold goes to `broken`."""
    counts = {r["mode"]: r for r in raw.rows if (r["workload"], r["mix"]) == (workload.name, mix)}
    if not counts:
        counts = {mode: count_checks(workload, jdk, mix, mode) for mode in MODES}
        raw.add([{"workload": workload.name, "mix": mix, "mode": m, **counts[m]} for m in MODES])
    broken += [(workload.name, mix, what) for what in violations(counts)]
    full = counts["full"]
    return [f"{workload.name}, {mix}", f"{full['entries'] / 1e6:.2f}", f"{full['back edges'] / 1e6:.2f}",
            *(f"{counts[m]['checks'] / 1e6:.2f}" for m in MODES)]


def checks(arguments):
    """Property 1: checks executed never exceed entries and back edges executed, and partial has no more than
    full. Fails where it does not hold."""
    text, raws, broken = "", [], []
    for jdk in cli.jdks(arguments):
        raw = common.Raw("p2-checks", jdk)
        table = []
        work = cli.workloads(arguments, jdk)
        for workload in work[:2] if arguments.quick else work:
            try:
                table += [check_row(raw, workload, jdk, mix, broken) for mix in MIXES]
            except Spent:
                LIMIT.leave_out(f"{workload.name} on JDK {jdk}")
        text += (f"JDK {jdk}, two iterations from the start of the JVM, interval 1,000; millions executed. Runs "
                 "differ by what the JVM's own threads do. Methods that are counted by their callers' edges have "
                 f"neither entries nor checks here. Property 1 broken: {broken or 'nowhere'}.\n\n"
                 + results.table(["program, instrumentation", "entries", "back edges",
                                  *(f"checks, {m}" for m in MODES)], table) + "\n")
        raws.append(raw)
    common.publish(arguments, "p2-checks", "P2: Property 1 by counting", text, raws[-1].info, raws)
    if broken:
        raise RuntimeError(f"Property 1 does not hold: {broken}")


def overlaps(workload, jdk, chosen, iterations=8):
    """A row per configuration: overlap with the profile at interval 1."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        more = ("--instrument", BOTH)
        truth = profile(workload, jdk, iterations, folder / "truth.profile", "--interval", "1", *more)
        exact = fields(truth)
        for name, options in chosen.items():
            out = profile(workload, jdk, iterations, folder / "p.profile", *options, *more)
            found.append({"workload": workload.name, "config": name,
                          "call-edge": graph.compare(truth, out)["overlap"]["call_sites"],
                          "field-access": graph.overlap(exact, fields(out))})
            out.unlink()
    return found


def mean_and_range(found, name, kind):
    values = [r[kind] for r in found if r["config"] == name]
    return f"{sum(values) / len(values):.1f} ({min(values):.1f} to {max(values):.1f})" if values else "-"


def accuracy(arguments):
    """Tables 4 and 5, the accuracy columns."""
    steps = (100, 1000) if arguments.quick else (10, 100, 1000, 10000, 100000)
    chosen = {f"full, {i:,}": ("--duplication", "full", "--interval", str(i)) for i in steps}
    chosen |= {f"{d}, 1,000": ("--duplication", d, "--interval", "1000") for d in ("partial", "none", "auto")}
    chosen["full, timer of 1 ms"] = ("--duplication", "full", "--trigger", "timer", "--tick", "1ms")
    text, raws = "", []
    for jdk in cli.jdks(arguments):
        raw = common.Raw("p2-accuracy", jdk)
        work = common.small_set(arguments, jdk, 2 if arguments.quick else 4)
        for workload in work:
            raw.rows += overlaps(workload, jdk, chosen)
        paper = {f"full, {i:,}": papers.P2_TABLE4[i][1:] for i in steps}
        paper |= {"none, 1,000": papers.P2_TABLE4_NONE[1000][1:], "full, timer of 1 ms": ("-", "63")}
        table = [[name, *(mean_and_range(raw.rows, name, kind) for kind in ("call-edge", "field-access")),
                  *paper.get(name, ("-", "-"))] for name in chosen]
        text += (f"JDK {jdk}, mean (range) of {', '.join(w.name for w in work)}; 8 iterations from the start of the "
                 "JVM, counter trigger unless said otherwise.\n\n"
                 + results.table(["duplication, interval", "call-edge %", "field-access %", "paper: call-edge",
                                  "paper: field-access"], table) + "\n")
        raws.append(raw)
    common.publish(arguments, "p2-accuracy", "P2 Tables 4 and 5: accuracy", text, raws[-1].info, raws)
