"""Configurations that run a program under a plan, in the form production would use: the agent and the
JVM flags themselves, without `assay run` in between. One profile per program and kind, kept beside the
raw data, so that a run that goes on later measures the same plans."""
import json
import shlex
import subprocess

from harness import configs, machine, paths, process

# How the profile of a plan is taken: the columns of the papers' Figures 5, 9 and 11.
PROFILES = {
    "timer": "--collect calls --samples 1 --stride 1 --correct off --depth 3",
    "cbs": "--collect calls --correct off --depth 3",
    "corrected": "--collect calls --depth 3",
    "exact": "--collect exact",
}
POLICIES = ("assay", "linear", "weak-static", "jikes-old")
# Every profile under our policy, and the paper's policy under our profile; --matrix takes all pairs.
CHOSEN = [(profile, "assay") for profile in PROFILES] + [("corrected", "linear")]
MATRIX = [(profile, policy) for profile in PROFILES for policy in POLICIES]


class NoPlan(Exception):
    """Why there is none."""


def folder(jdk):
    path = paths.RAW / f"plans-{machine.build_id()}-{jdk}"
    path.mkdir(parents=True, exist_ok=True)
    return path


def _run(command, timeout):
    try:
        return process.capture(command, timeout)
    except subprocess.TimeoutExpired:
        raise NoPlan(f"no end after {timeout} s") from None


def take_profile(workload, jdk, kind, iterations, timeout=300):
    """The profile, taken now unless it is there already."""
    path = folder(jdk) / f"{workload.name}.{kind}.profile"
    if path.exists():
        return path
    unfinished = path.with_suffix(".part")
    collect = configs.Config(kind, kind, assay=tuple(shlex.split(PROFILES[kind])), kind="assay")
    # Exact counts need no repetition, and are dear.
    done = _run(collect.command(workload, jdk, "small", 1 if kind == "exact" else iterations, unfinished, marks=False),
                timeout)
    if done.returncode or not unfinished.exists():
        raise NoPlan(f"no {kind} profile: {done.stderr[-200:]}")
    return unfinished.rename(path)


def make(profile, policy):
    plan = profile.with_suffix(f".{policy}.plan")
    done = _run([paths.ASSAY, "plan", profile, "--policy", policy, "-o", plan, "--directives", f"{plan}.json",
                 "--top", "1"], 120)
    if done.returncode:
        raise NoPlan(f"no plan by {policy}: {done.stderr[-200:]}")
    return plan


def flags(plan):
    """The JVM flags that apply a plan; () when it changes nothing."""
    lines = plan.read_text().splitlines()
    chosen = [line.split(" ", 1)[1] for line in lines if line.startswith("flag ")]
    if any(line.startswith("devirtualize ") for line in lines):
        chosen.insert(0, f"-agentpath:{paths.AGENT}=apply={plan},apply-report={plan}.report")
    if any(line.startswith(("inline ", "no-inline ")) for line in lines):
        chosen += ["-XX:+UnlockDiagnosticVMOptions", f"-XX:CompilerDirectivesFile={plan}.json"]
    return tuple(chosen)


def config(workload, jdk, kind, policy, iterations):
    """None when the plan changes nothing."""
    chosen = flags(make(take_profile(workload, jdk, kind, iterations), policy))
    # The harness fills in braces, which no path of ours needs.
    return configs.Config(f"{kind} {policy}", f"{kind} profile, {policy} policy", flags=chosen) if chosen else None


def tuned(workload, jdk, iterations, seconds):
    """What `assay tune` keeps, as a configuration; None when it says that nothing helps."""
    plan = folder(jdk) / f"{workload.name}.tuned.plan"
    verdict = plan.with_suffix(".verdict")
    if not verdict.exists():
        plain = configs.BASE.command(workload, jdk, "small", iterations, "", marks=False)
        done = _run([paths.ASSAY, "tune", "--budget", f"{seconds}s", "--pairs", "10", "-o", plan, "--", *plain],
                    4 * seconds + 120)
        if done.returncode not in (0, 1):
            raise NoPlan(f"tune ended with {done.returncode}: {done.stderr[-200:]}")
        verdict.write_text(done.stderr)
    file = plan.with_name(plan.name + ".flags")
    if not file.exists():
        return None
    # What the JIT says about itself is read from standard output.
    kept = [flag for flag in file.read_text().splitlines() if flag != "-XX:+DisplayVMOutputToStderr"]
    return configs.Config("tuned", "after tune", flags=tuple(kept))


def made(plan):
    """(sites devirtualized, calls inlined) that the plan asks for."""
    lines = plan.read_text().splitlines()
    return tuple(sum(line.startswith(word) for line in lines) for word in ("devirtualize ", "inline "))
