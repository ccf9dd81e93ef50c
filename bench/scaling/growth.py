"""From rows of runs to what grows: differences against the plain run of the same round, and rates. Pure functions but `read`."""
import json
import statistics
import subprocess

from harness import paths, stats

MB = 1024
OWN_TIME = ("hook-ms", "walk-ms", "assay-cpu-ms")     # what the collectors say of themselves, where they do


def read(result, out):
    """More columns of a row: memory at the last mark, and what the profile says of itself."""
    found = {name: result.resident.get(key) for name, key in
             (("last_kb", "VmRSS"), ("last_anon_kb", "RssAnon"), ("last_file_kb", "RssFile"))}
    if out.suffix != ".profile":
        return found
    shown = subprocess.run([paths.ASSAY, "show", out, "--by", "edges", "--json", "--top", "0"], capture_output=True, text=True)
    if shown.returncode:
        return {**found, "why": f"unreadable profile: {shown.stderr.strip()[-200:]}"}
    return {**found, **profile_columns(json.loads(shown.stdout))}


def profile_columns(profile):
    said = profile["metadata"]
    return {"edges": len(profile["edges"]), "samples": sum(e["samples"] for e in profile["edges"]),
            "ticks": int(said.get("ticks", 0)), "lost": sum(profile.get("lost", {}).values()),
            "own_ms": sum(float(said.get(name, 0)) for name in OWN_TIME)}


class Step:
    """One configuration at one place of an axis: the good rows, paired by round with those of the plain run."""

    def __init__(self, rows, workload, config):
        def of(name):
            return {r["round"]: r for r in rows if r["workload"] == workload and r["config"] == name and not r["why"]}
        self.rows, base = of(config), of("base")
        self.pairs = [(self.rows[n], base[n]) for n in sorted(self.rows.keys() & base.keys())]

    def overhead(self):
        """Percent of CPU time in the second half of the run, or None."""
        ratios = [mine["steady_cpu"] / plain["steady_cpu"] for mine, plain in self.pairs
                  if mine["steady_cpu"] and plain["steady_cpu"]]
        return stats.median_interval(ratios).scaled(lambda r: 100 * (r - 1)) if ratios else None

    def more(self, column):
        """Megabytes more than the plain run, or None."""
        found = [(mine[column] - plain[column]) / MB for mine, plain in self.pairs if mine.get(column) and plain.get(column)]
        return stats.median_interval(found) if found else None

    def median(self, column):
        found = [r[column] for r in self.rows.values() if r.get(column) is not None]
        return statistics.median(found) if found else None

    def own_share(self):
        """Percent of the run's CPU time that the collector itself accounts for."""
        found = [100 * r["own_ms"] / 1000 / r["cpu"] for r in self.rows.values() if r.get("own_ms") is not None and r["cpu"]]
        return statistics.median(found) if found else None


def per_unit(values, counts):
    """What one more of the counted takes, from (first, last) pairs; None where that cannot be said."""
    if None in (*values, *counts) or counts[1] <= counts[0]:
        return None
    return (values[1] - values[0]) / (counts[1] - counts[0])


def memory(steps, controls, column):
    """((bytes at the first step, at the last), whether they differ by more than the controls scatter), or None."""
    found = [step.more(column) for step in steps]
    if None in found:
        return None
    noise = [max(abs(e.low), abs(e.high)) for e in (c.more(column) for c in controls) if e]
    sizes = [e.value * 1024 * MB for e in found]
    return sizes, abs(found[1].value - found[0].value) > max(noise, default=0)


def size(count):
    """Bytes for reading: 12 B, 3.4 KB, -1.2 MB."""
    for unit, scale in (("MB", 1 << 20), ("KB", 1 << 10)):
        if abs(count) >= scale:
            return f"{count / scale:.1f} {unit}"
    return f"{count:.0f} B"
