#!/usr/bin/env python3
"""Memory of a long session: how native memory and the profile grow with bursts and samples once everything has been seen.

  bench/scaling/long.py --jdk 25 --minutes 5 --publish

The plain program and the collectors run at the same time, with ticks of 1 ms: `calls` then takes 64 bursts where a session
of hours takes one, so minutes stand for an hour. What the program's own memory does is the plain run's column.
"""
import dataclasses
import json
import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from harness import cli, configs, machine, paths, process, results
import registry

import growth

HEAP = ("-Xms192m", "-Xmx192m", "-XX:+AlwaysPreTouch")
PROGRAM, WITHOUT_PACKAGE = "xalan", "collections"
EVERY = 2                                       # seconds between two looks
TICK = ("--tick", "1ms")
USUAL_MS = {"calls": 64, "contexts": 4}          # milliseconds between the ticks of a long session


def slope(points):
    """Least squares: (units of y for one of x, standard error); None for fewer than three points."""
    count = len(points)
    if count < 3:
        return None
    mean_x, mean_y = (sum(p[i] for p in points) / count for i in (0, 1))
    square = sum((x - mean_x) ** 2 for x, _ in points)
    if not square:
        return None
    rate = sum((x - mean_x) * (y - mean_y) for x, y in points) / square
    rest = sum((y - mean_y - rate * (x - mean_x)) ** 2 for x, y in points)
    return rate, (rest / (count - 2) / square) ** 0.5


class Session:
    """One JVM that runs until it is ended, and what was seen of it."""

    def __init__(self, config, workload, jdk, folder):
        self.config, self.out = config, pathlib.Path(folder) / f"{config.name}.profile"
        self.seen = []                          # (CPU seconds, kilobytes of anonymous memory, bytes of the profile)
        self.process = subprocess.Popen(config.command(workload, jdk, "small", 10_000_000, self.out, HEAP, marks=False),
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def look(self):
        if self.process.poll() is not None:
            raise RuntimeError(f"{self.config.name} ended by itself with {self.process.returncode}")
        memory = process.resident_kb(self.process.pid).get("RssAnon")
        if memory:
            self.seen.append((process.cpu_clock(self.process.pid), memory, self.out.stat().st_size if self.out.exists() else 0))

    def row(self):
        return {"config": self.config.name, "seen": self.seen}


def sessions():
    """The plain program and the collectors, as agents: the process is then the JVM itself."""
    def agent(name):
        config = dataclasses.replace(configs.CONFIGS[name], assay=("--collect", name, *TICK))
        options = ",".join(f"{a.removeprefix('--')}={b}" for a, b in zip(config.assay[::2], config.assay[1::2]))
        return dataclasses.replace(config, assay=None, flags=(f"-agentpath:{paths.AGENT}={options},output={{out}}",))
    return [configs.BASE, agent("calls"), agent("contexts")]


def measure(workload, jdk, minutes):
    with tempfile.TemporaryDirectory() as folder:
        running = [Session(config, workload, jdk, folder) for config in sessions()]
        try:
            end = time.monotonic() + 60 * minutes
            while time.monotonic() < end:
                time.sleep(EVERY)
                for session in running:
                    session.look()
        finally:
            for session in running:
                session.process.terminate()
                session.process.wait()
    return [session.row() for session in running]


def cells(row):
    """By the second half of the session's CPU time, when the program has warmed up."""
    seen = row["seen"]
    late = [s for s in seen if s[0] >= seen[-1][0] / 2]
    memory, written = (slope([(s[0], s[i]) for s in late]) for i in (1, 2))
    usual = USUAL_MS.get(row["config"])
    ticks = seen[-1][0] * 1000

    def hour(rate, scale):
        return "-" if rate is None else f"{growth.size(rate[0] * scale * 3600 / (usual or 1))} ± {growth.size(2 * rate[1] * scale * 3600 / (usual or 1))}"
    return [row["config"], f"{seen[-1][0]:.0f}", f"{ticks:,.0f}" if usual else "-", f"{late[0][1] / 1024:.1f} -> {late[-1][1] / 1024:.1f}",
            hour(memory, 1024), f"{late[0][2] / 1024:,.0f} -> {late[-1][2] / 1024:,.0f}" if usual else "-", hour(written, 1) if usual else "-"]


def main():
    arguments = cli.parse(cli.parser(__doc__))
    minutes = arguments.minutes or (1 if arguments.quick else 5)
    workload = registry.WORKLOADS[arguments.workload[0] if arguments.workload else PROGRAM]
    workload = registry.WORKLOADS[WITHOUT_PACKAGE] if workload.missing() else workload
    text, kept = "", []
    for jdk in cli.jdks(arguments):
        info = machine.describe(jdk)
        rows = [{**row, "jdk": jdk, "workload": workload.name, "info": info} for row in measure(workload, jdk, minutes / len(cli.jdks(arguments)))]
        kept += rows
        text += (f"JDK {jdk}, {workload.name}, all at the same time, ticks of 1 ms; growth over the second half of the CPU time, and what follows for an hour of CPU time at the "
                 f"ticks of a long session ({', '.join(f'{name} {ms} ms' for name, ms in USUAL_MS.items())}; without a collector an hour as it is):\n\n"
                 + results.table(["", "CPU time, s", "ticks", "anonymous memory, MB", "in an hour, ± 2 standard errors", "profile, KB", "in an hour"],
                                 [cells(row) for row in rows]) + "\n")
    print(text)
    if arguments.publish:
        raw = paths.RAW / "scaling-long.jsonl"
        raw.write_text("".join(json.dumps(row) + "\n" for row in kept))
        results.publish(raw, kept)
        results.section("scaling-long", "Memory of a long session", text, info, "bench/scaling/long.py")


if __name__ == "__main__":
    main()
