#!/usr/bin/env python3
"""How overhead and memory grow: with threads (1 to 1,000), distinct edges (10^3 to 10^6), stack depth, run length.

  make bench-scaling                                   all four on JDK 17 and 25, at most an hour
  QUICK=1 make bench-scaling                           the ends of each, one or two rounds, the newest JDK
  bench/scaling/run.py --axis edges --jdk 25 --budget 600

Round after round over all steps, so that a limit that ends early leaves none out; a later run goes on there.
"""
import dataclasses
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from harness import cli, configs, experiment, paths, plots, results
from harness.limit import LIMIT
import registry

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import growth

FULL = 3600
LONG_ENOUGH = 60                                # seconds of a run that an hour is extrapolated from
# All of the heap in memory from the start, so that differences are of native memory.
HEAP = ("-Xms192m", "-Xmx192m", "-XX:+AlwaysPreTouch")
LENGTH = "h2"                                   # or, without its package, a program of the JDK alone
WITHOUT_PACKAGE = "collections"


@dataclasses.dataclass(frozen=True)
class Axis:
    unit: str
    iterations: dict                            # step -> iterations of a run
    quick: dict
    about: str
    by: object                                  # what growth is divided by: from a growth.Step and its place
    flags: tuple = ()


AXES = {
    "threads": Axis("thread", {1: 16, 10: 16, 100: 16, 1000: 12}, {1: 8, 1000: 6},
                    "the same work divided among threads, none of which begins before all have started",
                    lambda step, place: place),
    "edges": Axis("call site", {1000: 40, 10_000: 12, 100_000: 8, 1_000_000: 8}, {1000: 20, 1_000_000: 4},
                  "the same number of calls over so many call sites; without inlining (`-XX:-Inline`, the plain run too), which would "
                  "leave no call", lambda step, place: place, ("-XX:-Inline",)),
    "depth": Axis("frame", {10: 16, 100: 16, 1000: 16, 2000: 16}, {10: 8, 2000: 8},
                  "most of the time is spent at the bottom of a recursion", lambda step, place: place),
    "length": Axis("second", {10: 10, 40: 40, 160: 160, 640: 640}, {10: 10, 80: 80},
                   "iterations of one program, overhead in the second half of the run", lambda step, place: step.median("wall")),
}


def program(axis, place):
    if axis != "length":
        return registry.WORKLOADS[f"{axis}-{place}"]
    chosen = registry.WORKLOADS[LENGTH]
    return registry.WORKLOADS[WITHOUT_PACKAGE] if chosen.missing() else chosen


class Bench:
    """All axes on one JVM."""

    def __init__(self, arguments, jdk, chosen):
        self.jdk, self.chosen, self.runs = jdk, chosen, {}
        self.rounds = (1, 2) if arguments.quick else (1, 2, 3, 5, 8)
        self.raw = paths.RAW / f"scaling-{jdk}.jsonl"
        for axis in arguments.axis or AXES:
            steps = AXES[axis].quick if arguments.quick else AXES[axis].iterations
            for place, iterations in steps.items():
                self.runs[axis, place] = experiment.Experiment(
                    "scaling", self.raw, jdk, "small", iterations, flags=HEAP + AXES[axis].flags, budget=FULL, warmup=0, timeout=240,
                    read=growth.read)

    def measure(self):
        for limit in self.rounds:
            for (axis, place), run in self.runs.items():
                run.rounds = (self.rounds[-1], limit)
                run.run(program(axis, place), self.chosen, what=f"{axis} {place:,}, round {limit}")
                if LIMIT.remaining() <= 0:
                    return

    def step(self, axis, place, config):
        return growth.Step(self.runs[axis, place].rows, program(axis, place).name, config.name)

    def places(self, axis):
        return [place for name, place in self.runs if name == axis]

    def rows(self):
        return [row for run in self.runs.values() for row in run.rows]

    def table(self, axis):
        rows = [self.cells(axis, place, config) for place in self.places(axis) for config in self.chosen[1:]]
        return results.table([axis, "", "overhead, % CPU", "memory, MB", "of it anonymous", "memory at most, MB", "profile, KB", "edges",
                              "samples", "ticks", "lost", "time in hooks, walks and own thread, % CPU", "pairs"], rows, 2)

    def cells(self, axis, place, config):
        step = self.step(axis, place, config)
        first = [f"{place:,}", config.label]
        failed = self.runs[axis, place].failures(program(axis, place), config)
        if not step.pairs:
            return first + ["failed" if failed else "-"] + ["-"] * 9 + ["0"]
        counts = [step.median(c) for c in ("edges", "samples", "ticks", "lost")] if config.kind == "assay" else [None] * 4
        written = step.median("profile_bytes")
        return first + [interval(step.overhead()), *(interval(step.more(c)) for c in ("last_kb", "last_anon_kb", "rss_kb")),
                        f"{written / 1024:,.0f}" if written else "-", *(number(c) for c in counts), number(step.own_share(), ".2f"),
                        len(step.pairs)]

    def explained(self, axis):
        """What one more of the axis's unit takes, over the last two thirds of the steps: the first has the start-up in it."""
        places = self.places(axis)
        lines = ""
        for config in (c for c in self.chosen if c.kind):
            seen = [p for p in places[len(places) // 3:] if self.step(axis, p, config).pairs]
            if len(seen) > 1:
                ends = seen[-2 if axis == "length" else 0], seen[-1]     # a run's length: what comes after warming up
                lines += f"- {config.name}: {self.growth(axis, ends, config)}.\n"
        return lines and lines + "\n"

    def growth(self, axis, ends, config):
        steps = [self.step(axis, p, config) for p in ends]
        controls = [self.step(axis, p, configs.NULL) for p in ends]
        counts = [AXES[axis].by(s, p) for s, p in zip(steps, ends)]
        words = []
        for column, what in (("rss_kb", "memory at most"), ("last_kb", "memory at the end")):
            found = growth.memory(steps, controls, column)
            if found:
                sizes, beyond = found
                one = growth.per_unit(sizes, counts)
                words.append(f"{what} {growth.size(sizes[0])} to {growth.size(sizes[1])}"
                             + (", a difference as in the null control" if not beyond else
                                self.rate(axis, one, counts) if one is not None and one > 0 else ""))
        one = growth.per_unit([s.median("profile_bytes") for s in steps], counts)
        return "; ".join(words + ([f"profile{self.rate(axis, one, counts)}"] if one is not None else []))

    def rate(self, axis, one, counts):
        text = f", {growth.size(one)} for one more {AXES[axis].unit} ({counts[0]:,.0f} to {counts[1]:,.0f})"
        return text + (f", {growth.size(3600 * one)} in an hour, extrapolated"
                       if axis == "length" and counts[1] >= LONG_ENOUGH else "")

    def failures(self):
        found = {(axis, place, c.name): run.failures(program(axis, place), c) for (axis, place), run in self.runs.items() for c in self.chosen}
        found = {k: rows[-1]["why"] for k, rows in found.items() if rows}
        return "Failures:\n\n" + "".join(f"- {axis} {place:,}, {name}: `{' '.join(why.split())[-200:]}`\n"
                                         for (axis, place, name), why in found.items()) + "\n" if found else ""

    def plots(self, axis, folder):
        """Two pictures; their lines of Markdown."""
        text = ""
        for kind, label, value in (("overhead", "overhead, % CPU", lambda s: s.overhead()),
                                   ("memory", "memory at most, MB more than without", lambda s: s.more("rss_kb"))):
            series = {}
            for config in self.chosen[1:]:
                seen = [(place, value(self.step(axis, place, config))) for place in self.places(axis)]
                if any(e for _, e in seen):
                    series[config.label] = [(place, e.value, e.low, e.high) for place, e in seen if e]
            name = f"scaling-{axis}-{kind}-{self.jdk}"
            if plots.lines(name, f"{kind.capitalize()} against {axis}, JDK {self.jdk}", axis, label, series, folder):
                text += f"![{kind} against {axis}, JDK {self.jdk}](results/{name}.svg)\n"
        return text

    def text(self, folder):
        text = ""
        for axis in dict.fromkeys(axis for axis, _ in self.runs):
            name = f" ({program(axis, 0).name})" if axis == "length" else ""
            text += (f"JDK {self.jdk}, {axis}{name}: {AXES[axis].about}.\n\n" + self.table(axis) + "\n"
                     + self.explained(axis) + self.plots(axis, folder) + "\n")
        return text + self.failures()


def interval(estimate):
    return "-" if estimate is None else f"{estimate.value:+.1f} [{estimate.low:.1f}, {estimate.high:.1f}]"


def number(value, form=",.0f"):
    return "-" if value is None else f"{value:{form}}"


NOTE = """Each figure is the median over rounds of the difference to (memory) or the ratio with (CPU) the plain run of the same round, with its
range or interval. "memory" is what is resident at the end of the last iteration, "at most" the peak until then; anonymous memory is what
was allocated, the rest are pages of files (the agent's library among them). What the agent takes before it samples anything, records of
compiled code among it, is in the rows of the agent with nothing armed. All runs have `-Xms192m -Xmx192m -XX:+AlwaysPreTouch`, so that
differences are of native memory.

"""


def main():
    parser = cli.parser(__doc__)
    parser.add_argument("--config", action="append", metavar="NAME", help=f"idle, calls and contexts without; {', '.join(configs.CONFIGS)}")
    parser.add_argument("--axis", action="append", choices=AXES, help="all without")
    arguments = cli.parse(parser, FULL)
    chosen, left_out = configs.available(configs.pick(["base", "null"] + (arguments.config or ["idle", "calls", "contexts"])))
    text, jdks = "", cli.jdks(arguments)
    folder = paths.PUBLISHED if arguments.publish else paths.RAW
    for number_, jdk in enumerate(jdks):
        bench = Bench(arguments, jdk, chosen)
        with LIMIT.share(len(jdks) - number_):
            bench.measure()
        text += bench.text(folder)
        if arguments.publish:
            results.publish(bench.raw, bench.rows())
    text += NOTE + configs.skipped(left_out) + LIMIT.sentence()
    print(text)
    if arguments.publish:
        info = next(iter(bench.runs.values())).info
        results.section("scaling", "Scaling", text, info, "make bench-scaling")


if __name__ == "__main__":
    main()
