"""Bytecode counting: is the file the same in every run, and the total that of the exact collector? And is the program
the same, by exact counts?"""
import hashlib
import json
import subprocess
import tempfile
import pathlib

from harness import cli, configs, graph, machine, paths, process, results
from harness.limit import LIMIT, Spent

from . import common

# What must not matter.
CIRCUMSTANCES = ((), ("-XX:+UseSerialGC",), ("-XX:+UseParallelGC", "-Xmx300m"), ("-Xmx1g", "-Xmn20m"),
                 ("-XX:TieredStopAtLevel=1",), ("-XX:-TieredCompilation",), ("-XX:+UseShenandoahGC",),
                 ("-Xss4m", "-Xms600m"), ("-XX:+UseZGC", "-Xmx1g"), ("-XX:-UseCompressedOops",))
JDK_CLASSES = "java.*:javax.*:jdk.*:sun.*:com.sun.*:org.w3c.*:org.xml.*"


def scope(workload):
    """Options that choose application classes only."""
    if workload.name == "javac":
        return ("--include", "com.sun.tools.*:bench.*")
    return ("--exclude", JDK_CLASSES)


def profile(workload, jdk, options, flags, out, size, iterations=1):
    command = configs.Config("p3-same", "", assay=("-q", *options), kind="assay").command(
        workload, jdk, size, iterations, out, flags, marks=False)
    result = process.run(command, 600, cwd=out.parent)
    if not result.ok or not out.exists():
        raise RuntimeError(f"{workload.name}: {result.why or 'no profile'}")
    return hashlib.sha256(out.read_bytes()).hexdigest()[:12]


def total(path, by_metadata):
    shown = graph.profile(path, "methods")
    if by_metadata:
        return int(shown["metadata"]["bytecodes"])
    return sum(m.get("self", 0) for m in shown["methods"])


def first_difference(before, after):
    shown = subprocess.run([paths.ASSAY, "diff", before, after, "--by", "methods", "--json", "--top", "1"],
                           capture_output=True, text=True)
    for difference in json.loads(shown.stdout).get("differences", []):
        for change in difference["changes"]:
            name = change.get("method", "?").split("(")[0]
            return f"{name}: {change['before']:.0f} -> {change['after']:.0f}"
    return "unsampled rest"


def equal(workload, jdk, options, folder, runs, size):
    """(how many files are equal to the first, the first difference or "", digest of the first)."""
    files = [folder / f"{i}.profile" for i in range(runs)]
    digests = [profile(workload, jdk, ("--collect", "bytecodes", *options), flags, file, size)
               for flags, file in zip(CIRCUMSTANCES, files)]
    other = next((i for i, d in enumerate(digests) if d != digests[0]), None)
    difference = "" if other is None else f"{' '.join(CIRCUMSTANCES[other])}: {first_difference(files[0], files[other])}"
    return sum(d == digests[0] for d in digests), difference, digests[0]


def measure(workload, jdk, folder, runs, size):
    """A row: how many files are equal, of application classes and with the JDK's, and the total of the former against exact counts."""
    row = {"workload": workload.name, "jdk": jdk, "runs": runs, "info": machine.describe(jdk)}
    try:
        row["same"], row["difference"], row["app"] = equal(workload, jdk, scope(workload), folder, runs, size)
        row["counted"] = total(folder / "0.profile", True)
        row["same_all"], row["difference_all"], _ = equal(workload, jdk, (), folder, (runs + 1) // 3, size)
        exact = folder / "exact"
        profile(workload, jdk, ("--collect", "exact", *scope(workload)), (), exact, size)
        row["exact"] = total(exact, False)
    except (RuntimeError, subprocess.CalledProcessError, ValueError, KeyError) as failure:
        row["why"] = str(failure)
    return row


def cells(row, app):
    if "why" in row:
        return [row["workload"], row["jdk"], "failed", row["why"], "-", "-", "-", "-"]
    error = 100 * (row["counted"] / row["exact"] - 1)
    both = app[row["workload"]]
    return [row["workload"], row["jdk"], f"{row['same']} of {row['runs']}", row["difference"] or "-",
            "-" if len(both) < 2 else "yes" if len(set(both.values())) == 1 else "no", f"{error:+.4f}",
            f"{row['same_all']} of {(row['runs'] + 1) // 3}", row["difference_all"] or "-"]


def same(arguments):
    runs = 3 if arguments.quick else len(CIRCUMSTANCES)
    raw = paths.RAW / "p3-same.jsonl"
    raw.parent.mkdir(parents=True, exist_ok=True)
    work = {}
    for jdk in cli.jdks(arguments):
        for workload in cli.workloads(arguments, jdk, deterministic=True):
            work.setdefault(workload.name, []).append((workload, jdk))
    kept, app = [], {}
    for workload, jdk in (pair for pairs in work.values() for pair in pairs):
        with tempfile.TemporaryDirectory() as folder:
            try:
                row = measure(workload, jdk, pathlib.Path(folder), runs, arguments.size)
            except Spent:
                LIMIT.leave_out(f"{workload.name} on JDK {jdk}")
                continue
        app.setdefault(workload.name, {})[jdk] = row.get("app")
        kept.append(row)
        print(json.dumps({k: v for k, v in row.items() if k != "info"}), flush=True)
        with open(raw, "a") as file:
            file.write(json.dumps(row) + "\n")
    text = results.table(["program", "JDK", "equal files, application classes", "first difference", "the same on 17 and 25",
                          "total against exact, %", "equal files, JDK included", "first difference"], [cells(row, app) for row in kept]) + "\n" + LIMIT.sentence()
    if arguments.publish and kept:
        results.publish(raw, kept)
        results.section("p3-same", "P3: equal files and exact totals", text, kept[-1]["info"],
                        "bench/tables/run.py p3-same")
    print(text)


def bytecodes(path):
    """Bytecodes executed by method; methods of one name are one here."""
    found = {}
    for method in graph.shown(path, "methods"):
        name = method["method"]
        found[name] = found.get(name, 0) + method.get("self", 0)
    return found


def compared(first, second):
    """What two exact profiles of one program do not have in common: methods, and the largest difference."""
    apart = {m: (first.get(m, 0), second.get(m, 0)) for m in {*first, *second} if first.get(m, 0) != second.get(m, 0)}
    largest = max(apart, key=lambda m: (abs(apart[m][1] - apart[m][0]), m), default="")
    return {"methods": len({*first, *second}), "apart": len(apart), "first": sum(first.values()),
            "second": sum(second.values()), "largest": largest, "change": apart.get(largest, (0, 0))}


def counted_again(workload, jdk, folder, size, runs=4):
    """Exact counts in the first circumstance against those in others: the first that differs, or the last."""
    first, found = None, {}
    for number, flags in enumerate(CIRCUMSTANCES[:runs]):
        profile(workload, jdk, ("--collect", "exact", *scope(workload)), flags, folder / "exact", size)
        counts = bytecodes(folder / "exact")
        first = first or counts
        found = {"runs": number + 1, **compared(first, counts)}
        if found["apart"]:
            break
    return found


def itself_cells(row):
    if "why" in row:
        return [row["workload"], row["jdk"], "failed", row["why"], "-"]
    before, after = row["change"]
    return [row["workload"], row["jdk"], f"yes, {row['runs']} times" if not row["apart"] else f"no: {row['apart']} of {row['methods']} methods",
            f"{100 * (row['second'] / row['first'] - 1):+.4f}",
            f"{row['largest'].split('(')[0]}: {before:.0f} -> {after:.0f}" if row["apart"] else "-"]


def itself(arguments):
    """Which programs do the same work in every run: exact counts in up to four circumstances, nothing sampled."""
    raws, table = [], []
    for jdk in cli.jdks(arguments):
        raw = common.Raw("p3-itself", jdk)
        raws.append(raw)
        for workload in cli.workloads(arguments, jdk, deterministic=True)[:3 if arguments.quick else None]:
            if workload.name in {row["workload"] for row in raw.rows if "why" not in row}:
                continue
            with tempfile.TemporaryDirectory() as folder:
                try:
                    found = counted_again(workload, jdk, pathlib.Path(folder), arguments.size)
                except Spent:
                    LIMIT.leave_out(f"{workload.name} on JDK {jdk}")
                    continue
                except (RuntimeError, subprocess.CalledProcessError) as failure:
                    found = {"why": str(failure)}
            raw.add([{"workload": workload.name, "jdk": jdk, **found}])
            print(json.dumps(raw.rows[-1]), flush=True)
        table += map(itself_cells, raw.rows)
    text = ("Runs with `--collect exact`, application classes, one iteration, in the first circumstances of p3-same (stock, Serial, "
            "Parallel with 300 MB, young generation of 20 MB) until one differs from the first. A program that does not execute the same bytecodes twice cannot have "
            "equal files.\n\n"
            + results.table(["program", "JDK", "the same work", "total, %", "largest difference"], table) + "\n")
    common.publish(arguments, "p3-itself", "P3: programs that do the same work in every run", text, raws[-1].info, raws)
