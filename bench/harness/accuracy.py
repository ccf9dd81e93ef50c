"""Overlap of profiles with the truth, in three settings.

paper:      one compiler tier, no inlining; truth = exact counts of the same deterministic run.
production: stock flags; truth = every yieldpoint counted under the same flags. Runs differ (the JIT
            decides by time), so the ceiling, the overlap of two such truths, stands beside each figure.
foreground: production but for `-Xbatch`: a method that is due for compilation is waited for, so counts of calls and not
            time decide what is inlined when. Two truths then agree (ceiling 100 % with one thread), and what a sample lacks
            is the sampler's doing alone.
"""
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

import run as runner
from peers import async_profiler, jfr

from . import configs, experiment, graph, machine, paths, process
from .limit import LIMIT, Spent
from .truth import Truths

FLAGS = {"paper": ("-XX:TieredStopAtLevel=1", "-XX:-Inline"), "production": (), "foreground": ("-Xbatch",)}
TRUTH = {"paper": "exact", "production": "calls-all", "foreground": "calls-all"}
SETTINGS = tuple(FLAGS)

# Without inlining C1 has no intrinsics either, and counting, which is done with Unsafe, takes six to nine times as long. What is called does not
# depend on inlining but on intrinsics that stand for Java code with calls; without those the counts of both are the same (docs/results.md).
REPLACED = ("vectorizedMismatch", "updateBytesCRC32C", "updateDirectByteBufferCRC32C", "Preconditions_checkIndex",
            *(f"getAnd{what}" for what in ("AddInt", "AddLong", "SetInt", "SetLong", "SetReference")),
            *(f"{way}{what}Unaligned" for way in ("get", "put") for what in ("Short", "Char", "Int", "Long")))
TRUTH_FLAGS = {**FLAGS, "paper": ("-XX:TieredStopAtLevel=1", "-XX:+UnlockDiagnosticVMOptions",
                                  "-XX:DisableIntrinsic=" + ",".join(f"_{name}" for name in REPLACED))}


def has_ceiling(setting):
    return TRUTH[setting] != "exact"


def claims(truth, profile):
    """What a profile says of itself: the number of calls as a part of those that were made, its accuracy in %, and the part of
    the calls for which the stated errors hold."""
    made = sum(truth.values())
    accuracy = profile["metadata"].get("accuracy")
    return {"total": sum(e["weight"] for e in profile["edges"]) / made if made else None,
            "claimed": None if accuracy is None else float(accuracy), "held": graph.held(truth, profile["edges"])}


class Accuracy:
    def __init__(self, name, raw, jdk, setting, size="small", iterations=8, timeout=600, fresh=False, seconds=None):
        """`seconds`: as many iterations of each program as take so long, in place of `iterations`."""
        self.name, self.jdk, self.setting, self.size = name, jdk, setting, size
        self.iterations, self.seconds, self.timeout = iterations, seconds, timeout
        self.raw = pathlib.Path(raw)
        self.raw.parent.mkdir(parents=True, exist_ok=True)
        self.info = machine.describe(jdk)
        self.truths = Truths(setting, jdk, size, self.iterations_of, fresh)
        self.rows = self._resume()
        self._loaded, self._no_truth = (None, None), {}

    def key(self):
        length = f"{self.seconds:g} s" if self.seconds else self.iterations
        return [self.name, self.setting, self.jdk, self.info["jvm"], self.size, length, self.info["build"]]

    def iterations_of(self, workload):
        if not self.seconds:
            return self.iterations
        folder = paths.RAW / "truth"
        folder.mkdir(parents=True, exist_ok=True)
        return experiment.iterations_for(workload, self.jdk, self.seconds, folder, self.size)

    def _resume(self):
        rows = []
        if self.raw.exists():
            for line in self.raw.read_text().splitlines():
                try:
                    row = json.loads(line)
                except ValueError:
                    continue
                if row.get("key") == self.key():
                    rows.append(row)
        return rows

    def _add(self, row):
        row.update(key=self.key(), info=self.info)
        self.rows.append(row)
        with open(self.raw, "a") as file:
            file.write(json.dumps(row) + "\n")

    def profile(self, workload, config, out, flags=FLAGS):
        """Runs the program under the configuration; what is wrong, or "". `out` is then a profile."""
        command = config.command(workload, self.jdk, self.size, self.iterations_of(workload), out,
                                 flags[self.setting], marks=False)
        result = process.run(command, self.timeout, cwd=out.parent)
        if result.ok:
            result.why = runner.check(workload, self.size, self.jdk, result.stdout) or ""
        if result.ok and not out.exists():
            result.why = "wrote no profile"
        return result

    def truth(self, workload, number=0):
        """The path of the exhaustive profile, made now unless it is there already."""
        def make(path):
            if workload.name not in self._no_truth:
                self._no_truth[workload.name] = self.profile(workload, configs.CONFIGS[TRUTH[self.setting]], path, TRUTH_FLAGS).why
            if why := self._no_truth[workload.name]:     # tried once: it may take its ten minutes to fail
                raise RuntimeError(f"no truth for {workload.name}: {why}")
            del self._no_truth[workload.name]
        return self.truths.get(workload, number, make)

    def _graph(self, path):
        if self._loaded[0] != path:
            self._loaded = (path, graph.load(path))
        return self._loaded[1]

    def evaluate(self, truth, config, out):
        """Overlaps of one profile with the truth."""
        if config.kind in ("jfr", "async"):
            top, stacks, samples = jfr.load(jfr.convert(out, self.jdk))
            top, stacks = (async_profiler.undo_entry(g, config.entry_bytes) for g in (top, stacks))
            if not has_ceiling(self.setting):
                top, stacks = map(graph.without_hidden, (top, stacks))
            exact = self._graph(truth)
            # Both readings of a recording are tried and the better one is shown: fair to the peer.
            best = max((top, stacks), key=lambda g: graph.overlap(exact, g))
            return {"call_sites": graph.overlap(exact, best), "samples": samples,
                    "methods": graph.overlap(graph.by_method(exact), graph.by_method(best)),
                    "reading": "top" if best is top else "stack"}
        found = graph.compare(truth, out)
        return {**found["overlap"], "correlation": found.get("correlation"), **claims(self._graph(truth), graph.profile(out))}

    def done(self, workload, config, number):
        return any(r["workload"] == workload.name and r["config"] == config.name and r["repeat"] == number
                   for r in self.rows)

    def forget_older(self, workload):
        """Rows that were compared with a truth that is no longer there do not count."""
        made = self.truths.made(workload)
        self.rows = [r for r in self.rows if r["workload"] != workload.name or r.get("truth", made) == made]

    def run(self, workload, chosen, repeats=3, log=sys.stderr, with_ceiling=True, what=None):
        """All configurations of one workload, `repeats` times, and the ceiling, within the command's time limit, which
        calls it `what`."""
        ceiling = configs.Config("ceiling", "ceiling")
        try:
            self.forget_older(workload)
            self._repeats(workload, chosen, ceiling, repeats, with_ceiling)
        except Spent:
            LIMIT.leave_out(what or workload.name)
        self.progress(workload, [ceiling, *chosen], log)

    def _repeats(self, workload, chosen, ceiling, repeats, with_ceiling):
        for number in range(repeats):
            for config in [ceiling, *(c for c in chosen if self.jdk >= c.min_jdk)]:
                if self.done(workload, config, number) or config is ceiling and (number or not with_ceiling):
                    continue
                inferred = next((c for c in chosen if c.infer_of == config.name and not self.done(workload, c, number)), None)
                try:
                    found = self._once(workload, config, config is ceiling, inferred)
                except (RuntimeError, subprocess.CalledProcessError, ValueError, OSError) as failure:
                    detail = getattr(failure, "stderr", None) or str(failure)
                    found = [(config, {"why": str(detail).strip()[-400:]})]
                for which, columns in found:
                    self._add({"workload": workload.name, "config": which.name, "repeat": number, "why": "",
                               "truth": self.truths.made(workload), **columns})

    def progress(self, workload, chosen, log):
        parts = []
        for config in chosen:
            value = self.value(workload.name, config.name)
            failed = self.why(workload.name, config.name)
            if value is not None:
                parts.append(f"{config.name} {value:.1f}")
            elif failed:
                parts.append(f"{config.name} failed ({failed.splitlines()[-1][-70:]})")
        print(f"{self.setting}, JDK {self.jdk}, {workload.name}: " + "; ".join(parts), file=log, flush=True)

    def _once(self, workload, config, is_ceiling, inferred=None):
        """[(configuration, columns of its row)] of one run; two where inference on the same profile was asked for."""
        truth = self.truth(workload)
        if is_ceiling:
            return [(config, graph.compare(truth, self.truth(workload, 1))["overlap"])]
        with tempfile.TemporaryDirectory() as folder:
            out = configs.output(folder, config, "0")
            result = self.profile(workload, configs.for_inference(config) if inferred else config, out)
            if not result.ok:
                raise RuntimeError(result.why)
            more = {"cpu": result.cpu, "profile_bytes": out.stat().st_size}
            found = [(config, {**self.evaluate(truth, config, out), **more})]
            if inferred:
                better = configs.output(folder, inferred, "0")
                subprocess.run([paths.ASSAY, "infer", out, "-o", better], check=True, capture_output=True, text=True)
                found.append((inferred, {**self.evaluate(truth, inferred, better), **more}))
            return found

    def values(self, workload, config, metric="call_sites"):
        return [r[metric] for r in self.rows if r["workload"] == workload and r["config"] == config
                and not r["why"] and r.get(metric) is not None]

    def value(self, workload, config, metric="call_sites"):
        found = self.values(workload, config, metric)
        return statistics.median(found) if found else None

    def why(self, workload, config):
        failed = [r["why"] for r in self.rows if r["workload"] == workload and r["config"] == config
                  and r["why"]]
        return failed[-1] if failed else ""

    def mean(self, workloads, config, metric="call_sites"):
        found = [self.value(w.name, config, metric) for w in workloads]
        found = [v for v in found if v is not None]
        return statistics.fmean(found) if found else None
