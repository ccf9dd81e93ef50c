"""Accuracy against overhead as one plot, from raw data that exists: nothing is run, and nothing is made up.

One point for each collector and peer, the papers' own points beside them. A configuration without an overhead stands
in a column of its own, and what is missing is said in the legend. Raw data comes from the build's folder and from
docs/results; of each configuration the rows of the newest build count.
"""
import dataclasses
import json
import statistics

from . import configs, papers, paths, plots, results, stats, svg

# Controls and truths.
NOT_COMPARED = {"base", "null", "idle", "extra-1", "calls-all", "exact", "probe-idle", "probe-volatile", "probe-limits"}
SECTION = "accuracy-overhead"
# The first with a figure counts: where compilation is in the foreground two truths agree, with stock flags they do not.
SETTINGS = ("foreground", "production", "paper")
# Without the JIT's threads where the rows have it: when compilation ends is chance.
METRICS = ("steady_program", "steady_cpu")


@dataclasses.dataclass
class Point:
    label: str
    accuracy: float = None
    setting: str = ""                # the first of SETTINGS with a figure, or "contexts"
    accuracy_of: str = ""            # programs, date
    overhead: stats.Estimate = None  # percent
    overhead_of: str = ""

    def sentence(self):
        seen = "accuracy not measured" if self.accuracy is None else f"{self.accuracy:.1f} %"
        seen += {"contexts": " (contexts, against exact counts)", "paper": " (paper setting)",
                 "production": " (production setting)"}.get(self.setting, "")
        cost = "overhead not measured" if self.overhead is None else f"at {self.overhead.value:+.1f} %"
        if self.accuracy is None and self.overhead is None:
            return f"{self.label}: not measured"
        return f"{self.label}: {seen}, {cost}" if None in (self.accuracy, self.overhead) else f"{self.label}: {seen} {cost}"


def rows(name):
    """The good rows of a raw file, from the build and from the published results, each once."""
    lines = {}
    for folder in (paths.RAW, paths.PUBLISHED):
        file = folder / name
        lines.update(dict.fromkeys(file.read_text().splitlines() if file.exists() else ()))
    found = []
    for line in lines:
        try:
            row = json.loads(line)
        except ValueError:
            continue                     # the line that was being written when a run was killed
        if not row.get("why"):
            found.append(row)
    return found


def newest(data):
    """Of each program only the rows of its newest build: a run of a few programs replaces those of them, not of all."""
    builds = {r["workload"]: r["info"]["build"] for r in sorted(data, key=lambda r: r["info"]["date"])}
    return [r for r in data if r["info"]["build"] == builds[r["workload"]]]


def day(data):
    return max(r["info"]["date"] for r in data)[:10]


def origin(data):
    count = len({r["workload"] for r in data})
    return f"{count} program{'s' if count != 1 else ''}, {day(data)}"


def accuracy(data, config):
    """(mean over programs of the medians, where it is from), or None."""
    mine = newest([r for r in data if r["config"] == config and r.get("call_sites") is not None])
    programs = {}
    for row in mine:
        programs.setdefault(row["workload"], []).append(row["call_sites"])
    return (statistics.fmean(map(statistics.median, programs.values())), origin(mine)) if programs else None


def _percent(groups):
    groups = [g for g in groups if g]
    return stats.mean_interval(groups).scaled(lambda r: 100 * (r - 1)) if groups else None


def between_jvms(data, config):
    """(overhead against the base of the same rounds, where it is from, its day), or None."""
    data = [r for r in data if r["round"] >= 0]
    mine = newest([r for r in data if r["config"] == config])
    metric = next((m for m in METRICS if any(r.get(m) for r in mine)), None)
    data, mine = ([r for r in some if r.get(metric)] for some in (data, mine))
    groups = []
    for workload, key in {(r["workload"], json.dumps(r["key"])) for r in mine}:
        both = [{r["round"]: r[metric] for r in data if r["config"] == name and r["workload"] == workload
                 and json.dumps(r["key"]) == key} for name in ("base", config)]
        groups.append(stats.pair_ratios(*both))
    estimate = _percent(groups)
    return (estimate, origin(mine), day(mine)) if estimate else None


def within_one_jvm(data, collector):
    mine = newest([r for r in data if r["collector"] == collector])
    estimate = _percent({r["workload"]: r["work"] for r in mine}.values())
    return (estimate, origin(mine) + ", on and off in one JVM", day(mine)) if estimate else None


def counted(jdk):
    """Rows of P3's table at the granularity of the configuration: its accuracy is the overlap of contexts by bytecodes."""
    return [{**r, "config": "bytecodes", "call_sites": r["overlap"]} for r in rows(f"p3-contexts-{jdk}.jsonl")
            if (r["granularity"], r["jitter"]) == (10000, 0)]


def points(jdk):
    seen = {setting: rows(f"accuracy-{setting}-{jdk}.jsonl") for setting in SETTINGS}
    cost, steady = rows(f"overhead-{jdk}.jsonl"), rows(f"steady-{jdk}.jsonl")
    result = []
    for config in configs.ALL:
        if config.name in NOT_COMPARED or config.min_jdk > jdk:
            continue
        point = Point(config.label)
        for setting, data in seen.items() if config.name != "bytecodes" else [("contexts", counted(jdk))]:
            found = accuracy(data, config.name)
            if found and point.accuracy is None and not (config.sees_inlined and setting in ("foreground", "production")):
                point.accuracy, point.accuracy_of, point.setting = *found, setting
        found = [f for f in (between_jvms(cost, config.name), within_one_jvm(steady, config.name)) if f]
        if found:                        # of the same day the tighter one, else the newer
            point.overhead, point.overhead_of, _ = max(found, key=lambda f: (f[2], -f[0].half_width))
        result.append(point)
    return result, next(filter(None, (accuracy(seen[setting], "ceiling") for setting in SETTINGS)), None)


def chart(found, ceiling, jdk):
    costs = [p.overhead for p in found if p.overhead] + [stats.Estimate(x, x, x, 1) for _, x, _ in papers.POINTS]
    x = svg.Scale(min(-1, *(c.low for c in costs)), max(100, *(c.high for c in costs)), "symlog")
    picture = svg.Chart(f"Accuracy against overhead, JDK {jdk}", "overhead, CPU time in steady state without the JIT's, % (linear to 1, then logarithmic)",
                        "overlap of call-site edges with the truth, %", x, svg.Scale(0, 100), 480, "overhead not measured")
    if ceiling:
        picture.level(ceiling[0], f"ceiling {ceiling[0]:.0f} (two truths)")
    for number, (label, cost, seen) in enumerate(papers.POINTS):
        picture.mark(cost, seen, chr(ord("a") + number), svg.GRAY, hollow=True)
    picture.note("collectors and peers, measured here (hollow: of the paper setting, or of contexts)")
    for number, point in enumerate(found, 1):
        color = svg.COLORS[number % len(svg.COLORS)]
        if point.accuracy is not None:
            low, high = (point.overhead.low, point.overhead.high) if point.overhead else (None, None)
            picture.mark(point.overhead.value if point.overhead else None, point.accuracy, number, color, low, high,
                         point.setting in ("paper", "contexts"))
        picture.note(point.sentence(), color, number)
    picture.note("")
    picture.note("the papers' own figures")
    for number, (label, cost, seen) in enumerate(papers.POINTS):
        picture.note(f"{label}: {seen} % at {cost:+.1f} %", svg.GRAY, chr(ord("a") + number))
    return picture


def body(found, name):
    table = [[p.label, "not measured" if p.accuracy is None else f"{p.accuracy:.1f} ({p.setting}; {p.accuracy_of})",
              "not measured" if p.overhead is None else
              f"{p.overhead.value:+.1f} [{p.overhead.low:.1f}, {p.overhead.high:.1f}] ({p.overhead_of})"] for p in found]
    return (f"![accuracy against overhead](results/{name}.svg)\n\n" +
            results.table(["collector or peer", "accuracy, % (setting; programs)", "overhead, % (programs)"], table) +
            "\nDrawn from the raw data in `docs/results/` and of the last runs; accuracy of the foreground setting where there\n"
            "is one, else of the production setting, except what sees inlined calls, whose truth is that of the paper setting. Figures of different days and sets of programs stand side by side, so small differences say nothing;\n"
            "default options are those of the build that was measured.\n")


def draw(folder, jdk=None):
    """Writes the picture; (its path, the section's text)."""
    jdk = jdk or paths.NEWEST
    found, ceiling = points(jdk)
    name = f"{SECTION}-{jdk}"
    return plots.save(chart(found, ceiling, jdk), name, folder), body(found, name)


def publish(jdk=None):
    _, text = draw(paths.PUBLISHED, jdk)
    results.section(SECTION, "Accuracy against overhead", text, None, f"bench/tables/run.py {SECTION} --publish")


def command(arguments):
    jdk = arguments.jdk[-1] if arguments.jdk else None
    file, text = draw(paths.RAW, jdk)
    print(f"{text}\nwritten to {file}", flush=True)
    if arguments.publish:
        publish(jdk)
