#!/usr/bin/env python3
"""Steady-state overhead of the collectors that change no bytecode, switched on and off in one JVM.

  make bench-steady
  bench/overhead/steady.py --collector calls --workload h2 --jdk 25
"""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from harness import cli, experiment, machine, paths, results, stats, toggle
from harness.limit import LIMIT, Spent


def collectors():
    """By name: how each is switched on and off."""
    calls, contexts, switch = ("--collect", "calls"), ("--collect", "contexts"), toggle.Switch
    return {
        "null": switch(None),
        "idle": switch((*calls, "--tick", "1h")),
        "calls": switch(calls, ("--tick", "4ms")),
        "calls 16 ms": switch(calls, ("--tick", "16ms")),
        "calls 32 ms": switch(calls, ("--tick", "32ms")),
        "calls 64 ms": switch(calls, ("--tick", "64ms")),  # a long session
        "attached calls": switch(calls),
        "timer": switch(calls, ("--tick", "4ms", "--samples", "1", "--stride", "1", "--correct", "off")),
        "contexts": switch(contexts, ("--tick", "1ms")),
        "contexts 4 ms": switch(contexts, ("--tick", "4ms")),
        "contexts 10 ms": switch(contexts, ("--tick", "10ms")),
    }


KINDS = {"work": "CPU time of the program's threads and Assay's", "cpu": "CPU time of the process, JVM's compilers and collectors included"}


def stretch_length(workload, jdk, size, seconds):
    """(iterations of a stretch of about `seconds`, of the warm-up, to settle), from a short run."""
    steady = experiment.iteration_seconds(workload, jdk, size)
    return max(1, round(seconds / steady)), max(10, round(3 / steady)), max(1, round(seconds / steady / 4))


def main():
    parser = cli.parser(__doc__)
    parser.add_argument("--collector", action="append", choices=sorted(collectors()))
    parser.add_argument("--calls", action="append", default=[], metavar="OPTIONS",
                        help='another column: calls with these options, such as "--tick 1ms --samples 64"')
    parser.add_argument("--blocks", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=0.5, help="length of a stretch")
    parser.add_argument("--each", type=float, default=60, help="seconds for a program with a collector, at most")
    arguments = cli.parse(parser)
    names = arguments.collector or ([] if arguments.calls else ["calls"] if arguments.quick else ["null", "idle", "calls", "calls 64 ms", "contexts", "contexts 4 ms", "contexts 10 ms"])
    names += [f"calls {options}" for options in arguments.calls]
    blocks = arguments.blocks or (24 if arguments.quick else 40)
    text = ""
    for jdk in cli.jdks(arguments):
        chosen = collectors()
        chosen.update({f"calls {o}": toggle.Switch(("--collect", "calls"), tuple(o.split())) for o in arguments.calls})
        raw = paths.RAW / f"steady-{jdk}.jsonl"
        raw.parent.mkdir(parents=True, exist_ok=True)
        info, kept = machine.describe(jdk), []
        tables = {kind: [] for kind in KINDS}
        groups = {(n, kind): [] for n in names for kind in KINDS}
        for workload in cli.workloads(arguments, jdk):
            cells = {kind: [workload.name] for kind in KINDS}
            for name in names:
                row = {"workload": workload.name, "collector": name, "jdk": jdk, "info": info, "why": ""}
                try:
                    block, warmup, settle = stretch_length(workload, jdk, arguments.size, arguments.seconds)
                    row.update(toggle.measure(workload, jdk, chosen[name], arguments.size, blocks, block,
                                              warmup, settle, arguments.each))
                    for kind in KINDS:
                        groups[name, kind].append(row[kind])
                        cells[kind].append(results.percent(stats.median_interval(row[kind])))
                except Spent:
                    LIMIT.leave_out(f"{workload.name} {name}")
                    for kind in KINDS:
                        cells[kind].append("-")
                    continue
                except (toggle.Failed, experiment.Failed, OSError, ValueError) as failure:
                    row["why"] = str(failure)
                    for kind in KINDS:
                        cells[kind].append("failed")
                kept.append(row)
                with open(raw, "a") as file:
                    file.write(json.dumps(row) + "\n")
            print(f"JDK {jdk} " + "; ".join(cells["work"]) + "".join(
                f" ({r['why'][-100:]})" for r in kept[-len(names):] if r["why"]), file=sys.stderr, flush=True)
            for kind in KINDS:
                tables[kind].append(cells[kind])
        for kind, title in KINDS.items():
            mean = [results.percent(stats.mean_interval(groups[n, kind])) if any(groups[n, kind]) else "-" for n in names]
            text += f"JDK {jdk}, {title}:\n\n" + results.table(["program"] + names,
                                                               tables[kind] + [["**geometric mean**"] + mean]) + "\n"
        if arguments.publish:
            results.publish(raw, kept)
    text += LIMIT.sentence()
    print(text)
    if arguments.publish:
        results.section("steady", "Steady-state overhead, switched on and off in one JVM", text, info,
                        "make bench-steady")


if __name__ == "__main__":
    main()
