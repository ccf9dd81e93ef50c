"""The configurations that are compared: nothing, ours, and the peers.

A configuration turns a Java command into the command that measures it. `kind` says what it leaves
behind: "" nothing, "assay" a profile of ours, "jfr" a recording for the converter, "async" a recording
by async-profiler.
"""
import dataclasses
import pathlib

import run as runner
from peers import async_profiler

from . import paths


@dataclasses.dataclass(frozen=True)
class Config:
    name: str
    label: str
    assay: tuple = None          # options of `assay run`
    flags: tuple = ()            # JVM flags; {out} stands for the output file, {jfc} and {async_profiler} for the peers' files
    params: tuple = ()           # "key=value" for the driver
    kind: str = ""
    min_jdk: int = 17
    entry_bytes: int = 0         # what a peer's instrumentation puts before a method's code
    sees_inlined: bool = False   # counts what the JIT inlined too: the truth of the production setting is not its truth
    infer_of: str = ""           # the configuration that this one is with inference; one run can serve both

    @property
    def missing(self):
        """Why it cannot run here, or ""."""
        return f"{async_profiler.VARIABLE} is not set" if self.kind == "async" and not async_profiler.given() else ""

    def command(self, workload, jdk, size, iterations, out, flags=(), marks=True):
        peer = async_profiler.library(async_profiler.given()) if self.kind == "async" else ""
        own = [flag.format(out=out, jfc=jfc_folder(), async_profiler=peer) for flag in self.flags]
        more = [word for p in self.params for word in ("--param", p)] + (["--marks"] if marks else [])
        java = [runner.java(jdk), *runner.program(workload, size, iterations, [*flags, *own], more)]
        if self.assay is None:
            return java
        return [str(paths.ASSAY), "run", *self.assay, "-o", str(out), "--", *java]


def jfc_folder():
    """Writes the JFR settings: one sampling event and nothing else."""
    folder = paths.BUILD / "bench" / "jfc"
    folder.mkdir(parents=True, exist_ok=True)
    for name, event, key, value in (("10ms", "jdk.ExecutionSample", "period", "10 ms"),
                                    ("1ms", "jdk.ExecutionSample", "period", "1 ms"),
                                    ("cpu", "jdk.CPUTimeSample", "throttle", "1 ms")):
        text = (f'<?xml version="1.0"?>\n<configuration version="2.0" label="{name}">\n<event name="{event}">'
                f'<setting name="enabled">true</setting><setting name="{key}">{value}</setting>'
                "</event>\n</configuration>\n")
        file = folder / f"{name}.jfc"
        if not file.exists() or file.read_text() != text:
            file.write_text(text)
    return folder


def calls(name, label, *options):
    return Config(name, label, assay=("--collect", "calls", *options), kind="assay")


def _inferred(of, label, *options):
    return dataclasses.replace(calls(f"{of}-infer", label, *options, "--infer", "true"), infer_of=of)


def for_inference(config):
    """The same collector without the tool: its profile is as it was taken, and `assay infer` can be applied to a copy."""
    words = [*config.assay, "--infer", "true"]
    options = ",".join(f"{name.removeprefix('--')}={value}" for name, value in zip(words[::2], words[1::2]))
    return dataclasses.replace(config, assay=None, flags=(*config.flags, f"-agentpath:{paths.AGENT}={options},output={{out}}"))


def _jfr(name, label, settings, min_jdk=17):
    flags = (f"-XX:StartFlightRecording=filename={{out}},settings={{jfc}}/{settings}.jfc",
             "-Xlog:jfr*=off", "-Xlog:jfr+startup=off")
    return Config(name, label, flags=flags, kind="jfr", min_jdk=min_jdk)


def _async(name, label, options, entry_bytes=0):
    return Config(name, label, flags=(async_profiler.flag(options),), kind="async", entry_bytes=entry_bytes)


BASE = Config("base", "no profiler")
NULL = Config("null", "null control (base again)")

ALL = [
    BASE, NULL,
    calls("idle", "agent loaded, nothing armed (a tick of an hour)", "--tick", "1h"),
    calls("calls", "calls, default options"),
    calls("calls-sparse", "calls, --overhead 0.2%", "--overhead", "0.2%"),
    calls("calls-dense", "calls, --overhead 10%", "--overhead", "10%"),
    calls("calls-off", "calls, no correction", "--correct", "off"),
    calls("calls-density", "calls, density correction", "--correct", "density"),
    calls("calls-full", "calls, full correction", "--correct", "full"),
    _inferred("calls", "calls, default options, with inference"),
    _inferred("calls-full", "calls, full correction, with inference", "--correct", "full"),
    calls("timer", "timer only (samples 1, stride 1)", "--samples", "1", "--stride", "1", "--correct", "off"),
    calls("timer-10ms", "timer only at 10 ms, as in P0", "--tick", "10ms", "--samples", "1", "--stride", "1", "--correct", "off"),
    calls("p0-jikes", "P0 parameters (16, 3)", "--tick", "10ms", "--samples", "16", "--stride", "3",
          "--correct", "off"),
    calls("p0-j9", "P0 parameters (16, 7)", "--tick", "10ms", "--samples", "16", "--stride", "7",
          "--correct", "off"),
    calls("p1", "P1 parameters (8, 2), density + latency", "--tick", "4ms", "--samples", "8", "--stride", "2",
          "--correct", "full"),
    calls("calls-all", "calls, every yieldpoint", "--samples", "all"),
    dataclasses.replace(calls("calls-probe", "calls via probe", "--via", "probe"), sees_inlined=True),
    calls("probe-idle", "probes that are never armed", "--via", "probe", "--tick", "1h"),
    calls("probe-volatile", "the same, read as volatile", "--via", "probe", "--tick", "1h", "--probe-read", "volatile"),
    dataclasses.replace(calls("probe-limits", "the same, inlining limits raised", "--via", "probe", "--tick", "1h"),
                        flags=("-XX:MaxInlineSize=42", "-XX:FreqInlineSize=340")),
    calls("calls-return", "calls via return", "--via", "return"),
    dataclasses.replace(calls("calls-entry", "calls via entry", "--via", "entry"), min_jdk=20),
    Config("contexts", "contexts at 1 ms", assay=("--collect", "contexts", "--tick", "1ms"), kind="assay"),
    Config("exact", "exact", assay=("--collect", "exact"), kind="assay"),
    Config("sampled", "sampled, full duplication, interval 1,000",
           assay=("--collect", "sampled", "--duplication", "full", "--interval", "1000"), kind="assay", sees_inlined=True),
    Config("bytecodes", "bytecodes, granularity 10,000",
           assay=("--collect", "bytecodes", "--granularity", "10000"), kind="assay", sees_inlined=True),
    _jfr("jfr-10ms", "JFR at 10 ms", "10ms"),
    _jfr("jfr-1ms", "JFR at its fastest (1 ms)", "1ms"),
    dataclasses.replace(_jfr("jfr-cpu", "JFR CPU-time samples at 1 ms", "cpu", 25)),
    _async("async-10ms", "async-profiler, CPU at 10 ms", "event=cpu,interval=10ms"),
    _async("async-1ms", "async-profiler, CPU at 1 ms", "event=cpu,interval=1ms"),
    _async("async-calls", "async-profiler, every 1,000th call", "event=*.*,interval=1000", async_profiler.ENTRY_BYTES),
    Config("extra-1", "base with 1 % more work", params=("extra=1",)),
]

CONFIGS = {c.name: c for c in ALL}

_PEERS = ["jfr-10ms", "jfr-1ms", "jfr-cpu", "async-10ms", "async-1ms", "async-calls"]
# Named for the command line. "plot": all that the plot of accuracy against overhead has a place for.
SETS = {"few": ["calls", "calls-infer", "calls-off", "calls-density", "calls-full", "calls-full-infer", "timer", "jfr-10ms", "jfr-1ms"],
        "plot": ["calls", "calls-infer", "calls-off", "calls-density", "calls-full", "timer", "timer-10ms", "p0-jikes", "p0-j9", "p1", "calls-entry",
                 "calls-return", "calls-probe", "contexts", "sampled", "bytecodes", *_PEERS]}


def pick(names):
    unknown = [n for n in names if n not in CONFIGS]
    if unknown:
        raise SystemExit(f"unknown configuration {', '.join(unknown)}; known: {', '.join(CONFIGS)}")
    return [CONFIGS[n] for n in names]


def available(chosen):
    """(those that can run here, those that cannot); ends the command where a peer was asked for with a wrong path."""
    if async_profiler.given() and any(c.kind == "async" for c in chosen):
        try:
            async_profiler.library(async_profiler.given())
        except async_profiler.WrongPath as failure:
            raise SystemExit(str(failure)) from None
    return [c for c in chosen if not c.missing], [c for c in chosen if c.missing]


def skipped(left_out):
    """What a table says about configurations that could not run."""
    return "".join(f"Skipped: {c.label} ({c.missing}).\n" for c in left_out) + ("\n" if left_out else "")


def suffix(config):
    return {"assay": ".profile", "jfr": ".jfr", "async": ".jfr"}.get(config.kind, ".none")


def output(folder, config, tag):
    return pathlib.Path(folder) / f"{config.name}-{tag}{suffix(config)}"
