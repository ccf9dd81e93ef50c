#!/usr/bin/env python3
"""Whether exact counts made with inlining, as the truths of the paper setting are, equal those made without it.

  bench/accuracy/truths.py --jdk 25 --workload h2
"""
import pathlib
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from harness import accuracy, cli, configs, graph, machine, process, results
from harness.limit import LIMIT, Spent

ITERATIONS = 2
WAYS = (accuracy.FLAGS["paper"], accuracy.TRUTH_FLAGS["paper"])


def counted(workload, jdk, flags, out):
    """Seconds that it took."""
    start = time.monotonic()
    found = process.run(configs.CONFIGS["exact"].command(workload, jdk, "small", ITERATIONS, out, flags, marks=False), 600, cwd=out.parent)
    if not found.ok:
        raise RuntimeError(found.why)
    return time.monotonic() - start


def row(workload, jdk):
    with tempfile.TemporaryDirectory() as folder:
        files = [pathlib.Path(folder) / f"{number}.profile" for number in range(len(WAYS))]
        taken = [counted(workload, jdk, flags, out) for flags, out in zip(WAYS, files)]
        overlap = graph.compare(*files)["overlap"]["call_sites"]
    return [workload.name, str(jdk), f"{overlap:.3f}", *(f"{seconds:.0f}" for seconds in taken)]


def main():
    arguments = cli.parse(cli.parser(__doc__))
    rows = []
    for jdk in cli.jdks(arguments):
        info = machine.describe(jdk)
        for workload in cli.workloads(arguments, jdk, deterministic=True):
            try:
                rows.append(row(workload, jdk))
            except Spent:
                LIMIT.leave_out(f"{workload.name} on {jdk}")
                continue
            except (RuntimeError, OSError, ValueError) as failure:
                rows.append([workload.name, str(jdk), f"failed: {failure}", "", ""])
            print(" ".join(rows[-1]), file=sys.stderr, flush=True)
    text = (f"{ITERATIONS} iterations, overlap of call sites in %, and the seconds that each took:\n\n"
            + results.table(["program", "JDK", "overlap", "without inlining", "with inlining, without intrinsics that stand for calls"], rows)
            + "\n" + LIMIT.sentence())
    print(text)
    if arguments.publish:
        results.section("truths", "Truths of the paper setting", text, info, "bench/accuracy/truths.py")


if __name__ == "__main__":
    main()
