#!/usr/bin/env python3
"""What a profile buys: programs under a plan made from their profile, against stock HotSpot and against
its own wider type profile; steady state, start-up, code size and compile time.

  make bench-inlining                                  polymorphic, then real programs, JDK 17 and 25
  QUICK=1 make bench-inlining                          four real programs, a few rounds
  bench/inlining/run.py --group real --minutes 60      goes on where the last run stopped
  bench/inlining/run.py --group real --tune 120        also what `assay tune` keeps, 120 s for each program
  bench/inlining/run.py --check                        every plan of every program once: is the output right?
"""
import pathlib
import re
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from harness import cli, configs, experiment, machine, paths, results, stats
import registry
from harness.limit import Spent

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import plans

WIDE = configs.Config("type-profile", "TypeProfileMajorReceiverPercent=40, TypeProfileWidth=8",
                      flags=("-XX:+UnlockDiagnosticVMOptions", "-XX:TypeProfileMajorReceiverPercent=40",
                             "-XX:TypeProfileWidth=8"))
FULL = 14400                         # seconds of the full form
QUICK_PAIRS = [("corrected", "assay"), ("corrected", "linear")]
POLYMORPHIC_PAIRS = [("corrected", "assay")]
# What the JIT did, printed at the end of each run; it costs all configurations the same.
COUNTED = ("-XX:+CITime", "-XX:-DisplayVMOutputToStderr")
METRICS = (("steady_program", "Steady state, speed-up of CPU time without the JIT's threads (1.10 = 10 % faster)"),
           ("steady_cpu", "Steady state, speed-up of CPU time"),
           ("steady_wall", "Steady state, speed-up of wall time"),
           ("startup_cpu", "Start-up, speed-up of CPU time to the end of the first iteration"),
           ("startup_wall", "Start-up, speed-up of wall time to the end of the first iteration"),
           ("code_bytes", "Compiled code, bytes relative to stock (1.10 = 10 % more)"),
           ("compile_seconds", "Compile time of the whole run relative to stock (1.10 = 10 % more)"))


def read(result, out):
    """More columns of a row: start-up, and what the JIT says about itself."""
    found = {"startup_cpu": None, "startup_wall": None}
    if result.startup():
        found["startup_cpu"], found["startup_wall"] = result.startup()
    for name, pattern in (("code_bytes", r"nmethod code size\s*:\s*(\d+)"),
                          ("compile_seconds", r"Total compilation time\s*:\s*([\d.]+)")):
        match = re.search(pattern, result.stdout)
        found[name] = float(match[1]) if match else None
    return found


class Bench:
    """One group of programs on one JVM."""

    def __init__(self, arguments, jdk, group, deadline):
        self.arguments, self.jdk, self.group, self.deadline = arguments, jdk, group, deadline
        self.notes, self.configs, self.verdicts = [], {}, {}
        names = arguments.workload or (cli.QUICK_WORKLOADS if arguments.quick else None)
        self.work = registry.select(names, jdk, None if names else (group,))[0]
        self.pairs = (plans.MATRIX if arguments.matrix else QUICK_PAIRS if arguments.quick
                      else POLYMORPHIC_PAIRS if group == "polymorphic" else plans.CHOSEN)
        self.pairs = [p for p in self.pairs if not arguments.profile or p[0] in arguments.profile]
        self.raw = paths.RAW / f"inlining-{group}-{jdk}.jsonl"
        self.info = machine.describe(jdk)
        self.runs = {}

    def experiment(self, workload):
        """That of one program; None when it cannot be run."""
        if workload.name not in self.runs:
            self.runs[workload.name] = self.open(workload)
        return self.runs[workload.name]

    def open(self, workload):
        try:
            iterations = self.arguments.iterations or experiment.iterations_for(workload, self.jdk, self.arguments.seconds, plans.folder(self.jdk))
        except experiment.Failed as why:
            self.notes.append(f"{workload.name}: {why}")
            return None
        return experiment.Experiment("inlining", self.raw, self.jdk, "small", iterations, warmup=0, flags=COUNTED,
                                     read=read, timeout=240)

    @property
    def rows(self):
        return [r for name, run in self.runs.items() if run for r in run.rows if r["workload"] == name]

    def ratios(self, workload, name, metric="cpu"):
        run = self.runs.get(workload.name)
        return run.ratios(workload.name, name, metric=metric) if run else []

    def prepare(self, workload):
        chosen = [configs.BASE, configs.NULL, WIDE]
        iterations = self.runs[workload.name].iterations
        for kind, policy in self.pairs:
            self.add(workload, chosen, lambda k=kind, p=policy: plans.config(
                workload, self.jdk, k, p, iterations), f"{kind} {policy}")
        if self.arguments.tune:
            self.add(workload, chosen, lambda: plans.tuned(workload, self.jdk, iterations, self.arguments.tune), "tuned")
        self.configs[workload.name] = chosen

    def add(self, workload, chosen, make, name):
        try:
            config = make()
        except plans.NoPlan as why:
            self.notes.append(f"{workload.name}, {name}: {why}")
            self.verdicts[workload.name, name] = "no plan"
            return
        if config:
            chosen.append(config)
        else:
            self.verdicts[workload.name, name] = "as it is"

    def measure(self):
        """Round after round over all programs, so that a budget that ends early leaves none out."""
        for limit in (1, 2) if self.arguments.quick else (1, 2, 4, 6, 8, 12, 16):
            for workload in self.work:
                if time.monotonic() > self.deadline:
                    return
                try:
                    run = self.experiment(workload)
                    if run is None:
                        continue
                    if workload.name not in self.configs:
                        self.prepare(workload)
                except Spent:
                    return
                run.rounds, run.budget = (6, limit), max(1, self.deadline - time.monotonic())
                run.run(workload, self.configs[workload.name])

    def check(self):
        """Runs each plan once; returns what went wrong."""
        wrong = []
        for workload in self.work:
            if self.experiment(workload) is None:
                continue
            self.prepare(workload)
            seen = set()
            for config in self.configs[workload.name]:
                # Equal plans differ in their paths only.
                key = tuple(re.sub(r"(apply|File)=\S*?(?=,|$)", "", f) for f in config.flags) + plan_lines(config)
                if key in seen or not config.flags or config is WIDE:
                    continue
                seen.add(key)
                row = self.runs[workload.name].measure(workload, config, -1, 0)
                print(f"JDK {self.jdk} {workload.name}, {config.name}: {row['why'] or 'right'}", flush=True)
                if row["why"]:
                    wrong.append(f"JDK {self.jdk} {workload.name}, {config.name}: {row['why']}")
        return wrong + self.notes

    def cell(self, workload, name, metric):
        ratios = self.ratios(workload, name, metric)
        if not ratios:
            failed = self.runs[workload.name].failures(workload, configs.Config(name, name))
            return "failed" if failed else self.verdicts.get((workload.name, name), "-")
        e = stats.median_interval([1 / r for r in ratios] if "/" in unit(metric) else ratios)
        return f"{e.value:.2f} [{e.low:.2f}, {e.high:.2f}]"

    def mean(self, name, metric):
        """Programs whose plan changes nothing count as 1: that is what their user gets."""
        groups = []
        for workload in self.work:
            ratios = self.ratios(workload, name, metric)
            if not ratios and self.verdicts.get((workload.name, name)) == "as it is":
                ratios = [1.0]
            groups.append([1 / r for r in ratios] if "/" in unit(metric) else ratios)
        if not any(groups):
            return "-"
        e = stats.mean_interval(groups)
        return f"{e.value:.3f} [{e.low:.3f}, {e.high:.3f}]"

    def text(self):
        names = ["null", WIDE.name] + [f"{k} {p}" for k, p in self.pairs] + (["tuned"] if self.arguments.tune else [])
        labels = ["null control", WIDE.label] + [f"{k}, {p}" for k, p in self.pairs] + (["after tune"] if self.arguments.tune else [])
        found = {r["workload"] for r in self.rows}
        measured = [w for w in self.work if w.name in found]
        text = ""
        for metric, title in METRICS[:1] if self.group == "polymorphic" else METRICS:
            rows = [[w.name] + [self.cell(w, n, metric) for n in names] for w in measured]
            rows.append(["**geometric mean**"] + [self.mean(n, metric) for n in names])
            text += f"{title}, JDK {self.jdk}:\n\n" + results.table(["program"] + labels, rows) + "\n"
        pairs = [len(self.ratios(w, "null")) for w in measured]
        lengths = ", ".join(f"{w.name} {self.runs[w.name].iterations}" for w in measured)
        text += (f"{min(pairs, default=0)} to {max(pairs, default=0)} pairs of runs; iterations, of which the second half is the steady "
                 f"state: {lengths}.\n")
        left = [w.name for w in self.work if w not in measured and self.runs.get(w.name, w)]
        if left:
            text += f"Not reached within the budget: {', '.join(left)}.\n"
        failures = [f"{w.name}, {c.name}: {self.runs[w.name].failures(w, c)[-1]['why'][-160:]}"
                    for w in measured for c in self.configs.get(w.name, []) if self.runs[w.name].failures(w, c)]
        if self.notes or failures:
            text += "\nFailures:\n\n" + "".join(f"- `{' '.join(n.split())}`\n" for n in self.notes + failures)
        return text + "\n"


def unit(metric):
    """"1/x" where less is better and the figure is a speed-up."""
    return "1/x" if metric.startswith(("steady_", "startup_")) else "x"


def plan_lines(config):
    """What the plan behind a configuration says, for comparing plans."""
    for flag in config.flags:
        if match := re.search(r"apply=([^,]*)|DirectivesFile=(.*)", flag):
            path = pathlib.Path(match[1] or match[2])
            return tuple(l for l in path.read_text().splitlines() if not l.startswith(("policy", "skip")))
    return ()


def parse():
    parser = cli.parser(__doc__)
    parser.add_argument("--iterations", type=int, default=0, help="of each run; without, as many as take --seconds")
    parser.add_argument("--seconds", type=float, default=8, help="of each run, about (8)")
    parser.add_argument("--group", choices=("polymorphic", "real"), help="both without; the quick form is real")
    parser.add_argument("--matrix", action="store_true", help="every profile with every policy")
    parser.add_argument("--profile", action="append", choices=plans.PROFILES, help="only plans from these profiles")
    parser.add_argument("--tune", type=int, default=0, metavar="SECONDS", help="also measure what tune keeps")
    parser.add_argument("--check", action="store_true", help="run every plan once and compare what was computed")
    arguments = cli.parse(parser, FULL)
    arguments.iterations = arguments.iterations or (3 if arguments.check else 8 if arguments.quick else 0)
    return arguments


def main():
    arguments = parse()
    seconds = arguments.budget or (210 if arguments.quick else FULL)
    groups = [arguments.group] if arguments.group else ["real"] if arguments.quick or arguments.check else ["polymorphic", "real"]
    todo = [(group, jdk) for group in groups for jdk in cli.jdks(arguments)]
    end, texts, wrong = time.monotonic() + seconds, {}, []
    for number, (group, jdk) in enumerate(todo):
        now = time.monotonic()
        bench = Bench(arguments, jdk, group, now + max(1, end - now) / (len(todo) - number))
        if arguments.check:
            try:
                wrong += bench.check()
            except Spent:
                wrong.append(f"JDK {jdk}: the time limit ended it")
            continue
        bench.measure()
        texts.setdefault(group, []).append(bench.text())
        print(bench.text(), flush=True)
        if arguments.publish:
            results.publish(bench.raw, bench.rows)
    if arguments.check:
        print("\n".join(wrong) or "all right")
        sys.exit(1 if wrong else 0)
    for group, text in texts.items() if arguments.publish else ():
        section, title = (("inlining", "What a profile buys: polymorphic programs") if group == "polymorphic"
                          else ("inlining-real", "What a profile buys: real programs"))
        results.section(section, title, "\n".join(text), bench.info,
                        f"bench/inlining/run.py --group {group}" + (" --quick" if arguments.quick else ""))


if __name__ == "__main__":
    main()
