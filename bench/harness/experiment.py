"""Interleaves configurations over rounds and keeps the raw data in a file that a later run resumes.

One round runs every configuration once; odd rounds in the opposite order (A B B A), so that drift of
the machine hits all alike. A configuration that fails is recorded with its reason and left out after
three failures. Rounds go on until every ratio's interval is tight, or the budget or the command's time limit is spent.
"""
import json
import pathlib
import sys
import tempfile
import time

import run as runner

from . import configs, machine, process, stats
from .limit import LIMIT, Spent


class Failed(Exception):
    """Why a program could not be timed."""


def iteration_seconds(workload, jdk, size="small"):
    """Wall time of an iteration once the program is a little warm, from a short run."""
    result = process.run(configs.BASE.command(workload, jdk, size, 12, "none"), 120)
    if not result.ok or runner.check(workload, size, jdk, result.stdout):
        raise Failed(result.why or "wrong output")
    return result.steady(8)[1]


def iterations_for(workload, jdk, seconds, folder, size="small"):
    """As many as take so long, 12 at least; remembered in `folder`, so that a run that goes on later does the same."""
    file = folder / f"iterations-{size}-{seconds:g}.json"
    known = json.loads(file.read_text()) if file.exists() else {}
    if workload.name not in known:
        known[workload.name] = max(12, round(seconds / iteration_seconds(workload, jdk, size)))
        file.write_text(json.dumps(known))
    return known[workload.name]


class Experiment:
    def __init__(self, name, raw, jdk, size="small", iterations=5, skip=None, flags=(), rounds=(10, 30),
                 budget=600, target=0.005, warmup=1, timeout=300, read=None):
        self.name, self.jdk, self.size = name, jdk, size
        self.iterations, self.flags = iterations, tuple(flags)
        self.skip = iterations // 2 if skip is None else skip
        self.rounds, self.budget, self.target = rounds, budget, target
        self.warmup, self.timeout = warmup, timeout
        self.read = read                 # from a process.Run and its output file to more columns of the row
        self.raw = pathlib.Path(raw)
        self.raw.parent.mkdir(parents=True, exist_ok=True)
        self.info = machine.describe(jdk)
        self.rows = self._resume()

    def key(self):
        """Only rows of the same build, JVM and settings are resumed."""
        return [self.name, self.jdk, self.info["jvm"], self.size, self.iterations, self.skip,
                list(self.flags), self.info["build"], self.info["cpu"]]

    def _resume(self):
        rows = []
        if self.raw.exists():
            for line in self.raw.read_text().splitlines():
                try:
                    row = json.loads(line)
                except ValueError:
                    continue             # the line that was being written when the run was killed
                if row.get("key") == self.key():
                    rows.append(row)
        return rows

    def _add(self, row):
        row["key"] = self.key()
        row["info"] = self.info
        self.rows.append(row)
        with open(self.raw, "a") as file:
            file.write(json.dumps(row) + "\n")

    def measure(self, workload, config, number, order):
        """Runs one configuration once and records it; returns the row."""
        with tempfile.TemporaryDirectory() as folder:
            out = configs.output(folder, config, number)
            command = config.command(workload, self.jdk, self.size, self.iterations, out, self.flags)
            result = process.run(command, self.timeout, cwd=folder)
            size = out.stat().st_size if out.exists() else 0
            if result.ok:
                result.why = runner.check(workload, self.size, self.jdk, result.stdout) or ""
            more = self.read(result, out) if self.read and not result.why else {}
        steady = result.steady(self.skip) or (None, None, None)
        row = {"workload": workload.name, "config": config.name, "round": number, "order": order,
               "cpu": result.cpu, "wall": result.wall, "steady_cpu": steady[0], "steady_wall": steady[1],
               "steady_program": steady[2],
               "rss_kb": result.rss_kb, "profile_bytes": size, "why": result.why, **more}
        self._add(row)
        return row

    def done(self, workload, config, number):
        return any(r["workload"] == workload.name and r["config"] == config.name
                   and r["round"] == number for r in self.rows)

    def failures(self, workload, config):
        return [r for r in self.rows if r["workload"] == workload.name and r["config"] == config.name
                and r["why"]]

    def ratios(self, workload, config, base="base", metric="cpu"):
        def values(name):
            return {r["round"]: r[metric] for r in self.rows
                    if r["workload"] == workload and r["config"] == name and r["round"] >= 0
                    and not r["why"] and r.get(metric)}
        return stats.pair_ratios(values(base), values(config))

    def run(self, workload, chosen, log=sys.stderr, what=None):
        """All rounds of one workload within the budget (seconds) and the command's time limit, which calls it `what`."""
        try:
            self._rounds(workload, chosen)
        except Spent:
            LIMIT.leave_out(what or workload.name)
        self.progress(workload, chosen, log)

    def _rounds(self, workload, chosen):
        usable = [c for c in chosen if self.jdk >= c.min_jdk]
        start = time.monotonic()
        for number in range(-self.warmup, self.rounds[1]):
            usable = [c for c in usable if len(self.failures(workload, c)) < 3]
            if len(usable) < 2:
                break
            if number >= self.rounds[0] and self.tight(workload, usable):
                break
            if number > 0 and time.monotonic() - start > self.budget:
                break
            ordered = usable if number % 2 == 0 else usable[::-1]
            for order, config in enumerate(ordered):
                if not self.done(workload, config, number):
                    self.measure(workload, config, number, order)

    def tight(self, workload, chosen):
        for config in chosen:
            if config.name == "base":
                continue
            ratios = self.ratios(workload.name, config.name, metric="cpu")
            if len(ratios) < 6 or not stats.decisive(stats.median_interval(ratios), self.target):
                return False
        return True

    def progress(self, workload, chosen, log):
        parts = []
        for config in chosen:
            if config.name == "base" or self.jdk < config.min_jdk:
                continue
            ratios = self.ratios(workload.name, config.name)
            failed = self.failures(workload, config)
            if ratios:
                e = stats.median_interval(ratios)
                parts.append(f"{config.name} {e.value:.3f} [{e.low:.3f}, {e.high:.3f}]")
            elif failed:
                parts.append(f"{config.name} failed: {failed[-1]['why'][-80:]}")
        print(f"{workload.name}: " + "; ".join(parts), file=log, flush=True)
