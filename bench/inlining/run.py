#!/usr/bin/env python3
"""What a profile buys: speed of the polymorphic programs, and of the real ones, under a plan made from a
profile, against stock HotSpot and against its own wider type profile.

  make bench-inlining
  QUICK=1 make bench-inlining
"""
import pathlib
import shlex
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from harness import cli, configs, experiment, paths, results, stats
import registry
import run as runner

WIDE = configs.Config("type-profile", "TypeProfileMajorReceiverPercent=40, TypeProfileWidth=8",
                      flags=("-XX:+UnlockDiagnosticVMOptions", "-XX:TypeProfileMajorReceiverPercent=40",
                             "-XX:TypeProfileWidth=8"))
QUICK = ["poly-virtual-3-60", "poly-interface-3-60", "poly-virtual-8-80"]


def has_command(name):
    done = subprocess.run([paths.ASSAY, name, "--help"], capture_output=True, text=True)
    return done.returncode == 0


def planned(workload, jdk, iterations, folder, collect):
    """A configuration that runs the program under the plan made from its own profile; None without one."""
    profile, plan = folder / f"{workload.name}.profile", folder / f"{workload.name}.plan"
    command = configs.Config("p", "p", assay=tuple(shlex.split(collect)), kind="assay").command(
        workload, jdk, "small", iterations, profile, marks=False)
    subprocess.run(command, check=True, capture_output=True, text=True)
    subprocess.run([paths.ASSAY, "plan", profile, "-o", plan], check=True, capture_output=True, text=True)
    return configs.Config("plan", "Assay's plan", assay=("--apply", str(plan)), kind="assay")


def main():
    parser = cli.parser(__doc__)
    parser.add_argument("--iterations", type=int, default=12)
    parser.add_argument("--collect", default="--collect calls --depth 3", help="how the profile of the plan is taken")
    arguments = parser.parse_args()
    text, with_plan = "", has_command("plan")
    for jdk in cli.jdks(arguments):
        names = arguments.workload or (QUICK if arguments.quick else None)
        work = registry.select(names, jdk, None if names else ("polymorphic", "real"))[0]
        run = experiment.Experiment("inlining", paths.RAW / f"inlining-{jdk}.jsonl", jdk, "small", arguments.iterations,
                                    rounds=(4, 6) if arguments.quick else (8, 16),
                                    budget=(arguments.budget or (240 if arguments.quick else 2400)) / len(work), warmup=0)
        rows = []
        with tempfile.TemporaryDirectory() as folder:
            for workload in work:
                chosen = [configs.BASE, configs.NULL, WIDE]
                if with_plan:
                    try:
                        chosen.append(planned(workload, jdk, arguments.iterations, pathlib.Path(folder), arguments.collect))
                    except subprocess.CalledProcessError as failure:
                        print(f"{workload.name}: no plan: {failure.stderr[-200:]}", file=sys.stderr)
                run.run(workload, chosen)
                rows.append([workload.name] + [speed(run, workload, c) for c in ("null", "type-profile", "plan")])
        text += (f"JDK {jdk}, steady state, speed-up over stock (1.10 = 10 % faster):\n\n"
                 + results.table(["program", "null control", WIDE.label, "Assay's plan"], rows) + "\n")
        if arguments.publish:
            results.publish(run.raw, run.rows)
    if not with_plan:
        text += "`assay plan` is not in this build, so only the JVM's own flags are compared.\n"
    print(text)
    if arguments.publish:
        results.section("inlining", "What a profile buys: inlining", text, run.info, "make bench-inlining")


def speed(run, workload, config):
    ratios = run.ratios(workload.name, config, metric="steady_cpu")
    if not ratios:
        return "-"
    e = stats.median_interval([1 / r for r in ratios])
    return f"{e.value:.2f} [{e.low:.2f}, {e.high:.2f}]"


if __name__ == "__main__":
    main()
