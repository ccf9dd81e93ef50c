#!/usr/bin/env python3
"""Accuracy: overlap with the exhaustive profile, in the paper setting, the production setting and with compilation in the foreground.

  make bench-accuracy            all real programs, JDK 17 and 25
  QUICK=1 make bench-accuracy    four programs, the newest JDK
  bench/accuracy/run.py --set few --minutes 20         goes on where the last run stopped
  bench/accuracy/run.py --setting paper --config calls --workload h2 --jdk 17

The exhaustive profiles are made once for each program, JVM, size and number of iterations, and kept for later builds.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from harness import accuracy, cli, configs, papers, paths, results, tradeoff
from harness.limit import LIMIT

DEFAULT = {
    "paper": ["calls", "calls-off", "calls-density", "timer", "p0-jikes", "p0-j9", "p1", "sampled", "jfr-10ms",
              "jfr-1ms", "jfr-cpu", "async-10ms", "async-1ms", "async-calls"],
    "production": ["calls", "calls-off", "calls-density", "timer", "p0-jikes", "p1", "jfr-10ms", "jfr-1ms",
                   "jfr-cpu", "async-10ms", "async-1ms", "async-calls"],
    "foreground": ["calls", "calls-off", "calls-density", "timer", "jfr-10ms", "jfr-1ms"],
}
QUICK = ["calls", "calls-off", "timer", "jfr-10ms"]


def show(value):
    return "-" if value is None else f"{value:.1f}"


def times(value):
    return "-" if value is None else f"{value:.2f}"


def cell(run, workload, config):
    value = run.value(workload, config)
    return "failed" if value is None and run.why(workload, config) else show(value)


def body(run, work, chosen):
    shown = [c for c in chosen if run.jdk >= c.min_jdk]
    header = ["program", "ceiling"] + [c.label for c in shown] + ["calls, % of the ceiling", "calls: claimed", "calls: errors that hold, by calls", "calls: total, of the truth"]
    rows = []
    for w in work:
        top, ours = run.value(w.name, "ceiling"), run.value(w.name, "calls")
        rows.append([w.name, cell(run, w.name, "ceiling")] + [cell(run, w.name, c.name) for c in shown]
                    + [show(100 * ours / top if top and ours is not None else None), show(run.value(w.name, "calls", "claimed")), show(run.value(w.name, "calls", "held")),
                       times(run.value(w.name, "calls", "total"))])
    top, ours = run.mean(work, "ceiling"), run.mean(work, "calls")
    rows.append(["**mean**", show(top)] + [show(run.mean(work, c.name)) for c in shown]
                + [show(100 * ours / top if top and ours is not None else None), show(run.mean(work, "calls", "claimed")), show(run.mean(work, "calls", "held")),
                   times(run.mean(work, "calls", "total"))])
    methods = ["mean, by method edges", show(run.mean(work, "ceiling", "methods"))]
    rows.append(methods + [show(run.mean(work, c.name, "methods")) for c in shown] + ["", "", "", ""])
    text = f"{run.setting.capitalize()} setting, JDK {run.jdk}, overlap of call-site edges in %:\n\n"
    text += results.table(header, rows) + "\n"
    failed = {(w.name, c.name): run.why(w.name, c.name) for w in work for c in shown if run.why(w.name, c.name)}
    text += older_truths(run, work)
    if failed:
        text += "Failures:\n\n" + "".join(f"- {w}, {c}: `{why.splitlines()[-1][-160:]}`\n"
                                          for (w, c), why in failed.items()) + "\n"
    return text


def older_truths(run, work):
    made = [run.truths.made(w) for w in work if any(r["workload"] == w.name for r in run.rows)]
    builds = sorted({m["build"] for m in made if m and m["build"] != run.info["build"]})
    return f"Truths kept from other builds ({', '.join(builds)}); `--fresh-truth` makes them again.\n\n" if builds else ""


def parse():
    parser = cli.parser(__doc__)
    parser.add_argument("--setting", choices=accuracy.SETTINGS, action="append")
    parser.add_argument("--config", action="append", metavar="NAME", help=", ".join(configs.CONFIGS))
    parser.add_argument("--set", choices=configs.SETS, help="configurations by the name of a set")
    parser.add_argument("--iterations", type=int, help="8 without (4 in the quick form)")
    parser.add_argument("--seconds", type=float, help="as many iterations as take so long, a table of its own: what a profile becomes with time")
    parser.add_argument("--ceiling", action="store_true",
                        help="also in the paper setting, where two exact runs of a deterministic program agree")
    parser.add_argument("--repeats", type=int, help="3 without (1 in the quick form)")
    parser.add_argument("--fresh-truth", action="store_true", help="make the truths of the chosen programs again")
    return cli.parse(parser)


def name(arguments, setting):
    return f"accuracy-{setting}" + ("-long" if arguments.seconds else "")


def title(arguments, setting):
    return f"Accuracy, {setting} setting" + (f", runs of {arguments.seconds:g} s" if arguments.seconds else "")


class Bench:
    """One setting on one JVM."""

    def __init__(self, arguments, setting, jdk):
        names = arguments.config or (configs.SETS[arguments.set] if arguments.set else QUICK if arguments.quick else DEFAULT[setting])
        # Bytecodes are no calls (bench/tables/run.py p3 compares them); what sees inlined calls has its truth in the paper setting.
        names = [n for n in names if n != "bytecodes" and not (accuracy.has_ceiling(setting) and configs.pick([n])[0].sees_inlined)]
        self.chosen, self.left_out = configs.available(configs.pick(names))
        self.setting, self.jdk = setting, jdk
        self.run = accuracy.Accuracy("accuracy", paths.RAW / f"{name(arguments, setting)}-{jdk}.jsonl", jdk, setting, arguments.size,
                                     arguments.iterations or (4 if arguments.quick else 8), fresh=arguments.fresh_truth,
                                     seconds=arguments.seconds)
        self.work = cli.workloads(arguments, jdk, deterministic=setting == "paper")
        self.with_ceiling = accuracy.has_ceiling(setting) or arguments.ceiling

    def measure(self, repeats):
        for workload in self.work:
            self.run.run(workload, self.chosen, repeats, with_ceiling=self.with_ceiling,
                         what=f"{self.setting} {self.jdk} {workload.name}")


def measure(benches, repeats):
    """Repeat after repeat over everything, the time that is left divided among what is left: a limit leaves none out."""
    for number in range(1, repeats + 1):
        LIMIT.left_out.clear()
        for place, bench in enumerate(benches):
            with LIMIT.share(len(benches) - place):
                bench.measure(number)


def main():
    arguments = parse()
    settings = arguments.setting or accuracy.SETTINGS
    benches = [Bench(arguments, setting, jdk) for setting in settings for jdk in cli.jdks(arguments)]
    measure(benches, arguments.repeats or (1 if arguments.quick else 3))
    for setting in settings:
        mine = [b for b in benches if b.setting == setting]
        text = "".join(body(b.run, b.work, b.chosen) for b in mine)
        text += configs.skipped(mine[0].left_out) + LIMIT.sentence() + papers.ACCURACY
        print(text)
        if arguments.publish:
            for bench in mine:
                results.publish(bench.run.raw, bench.run.rows)
            results.section(name(arguments, setting), title(arguments, setting), text, mine[-1].run.info,
                            f"bench/accuracy/run.py --setting {setting} --seconds {arguments.seconds:g}" if arguments.seconds else "make bench-accuracy")
    if arguments.publish and not arguments.seconds:    # the plot is of runs of the usual length
        tradeoff.publish()


if __name__ == "__main__":
    main()
