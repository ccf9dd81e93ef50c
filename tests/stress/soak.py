#!/usr/bin/env python3
"""Hard use for a long time: programs that strain the machinery run while agents attach, change options and
detach, beside JFR or another agent that retransforms classes, with a small code cache, under every collector. Any
crash, hang, wrong output or growing memory fails.

  tests/stress/soak.py --minutes 30          (make soak)
  tests/stress/soak.py --minutes 1 --seed 7  (the slice in make test)
"""
import argparse
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from assay_test import ASSAY, BUILD, JDKS, ROOT, TESTED, compile_java, need  # noqa: E402

PROGRAMS = ("collections", "javac", "server", "class-storm", "exceptions", "threads-100", "virtual-threads",
            "h2", "xalan", "rhino", "lucene", "ecj")
COLLECTORS = ("Serial", "Parallel", "G1", "Z", "Shenandoah")
STRAINS = ((), ("-XX:ReservedCodeCacheSize=12m", "-XX:-TieredCompilation"), ("-XX:ReservedCodeCacheSize=16m",),
           ("-XX:StartFlightRecording:settings=profile",), ("-Xmx96m",), ("-XX:+UseStringDeduplication",),
           ("-XX:TieredStopAtLevel=1",), ("-Xcomp",), ("-javaagent:RETRANSFORMER",))
OPTIONS = (("--tick", "100us"), ("--tick", "1ms", "--samples", "64"), ("--ticker", "cpu"), ("--via", "return"),
           ("--depth", "8"), ("--samples", "all"), ("--samples", "1", "--stride", "1"),
           ("--collect", "exact"), ("--collect", "sampled"), ("--collect", "bytecodes"), ("--correct", "off"), ("--via", "probe"),
           ("--collect", "contexts", "--tick", "1ms"), ("--collect", "contexts", "--ticker", "cpu"), ("--overhead", "20%"))
CHANGES = (("--samples", "128"), ("--stride", "31"), ("--tick", "150us"), ("--depth", "3"), ("--samples", "4"))


class Failure(Exception):
    pass


def rss(pid):
    try:
        for line in open(f"/proc/{pid}/status"):
            if line.startswith("VmRSS"):
                return int(line.split()[1])
    except OSError:
        pass
    return 0


def retransformer():
    """The jar of an agent that retransforms classes all the time."""
    classes = pathlib.Path(compile_java([ROOT / "tests/stress/Retransformer.java"]))
    (classes / "manifest").write_text("Premain-Class: Retransformer\nCan-Retransform-Classes: true\n")
    subprocess.run([str(JDKS[min(JDKS)] / "bin/jar"), "-cfm", "agent.jar", "manifest", "Retransformer.class",
                    "Retransformer$1.class"], cwd=classes, check=True)
    return classes / "agent.jar"


class Trial:
    """One JVM: a program under some strain, with agents coming and going until it ends."""

    def __init__(self, rng, folder, log, agent):
        self.rng, self.folder, self.log = rng, folder, log
        self.version = rng.choice([v for v in JDKS if v in TESTED])
        programs = [p for p in PROGRAMS if self.version >= 21 or p != "virtual-threads"]
        self.program = rng.choice(programs)
        strain = [flag.replace("RETRANSFORMER", str(agent)) for flag in rng.choice(STRAINS)]
        if self.program == "virtual-threads":  # runs out of memory on its own with less
            strain = [flag.replace("-Xmx96m", "-Xmx256m") for flag in strain]
        self.flags = [f"-XX:+Use{rng.choice(COLLECTORS)}GC", *strain]
        if self.version >= 21:
            self.flags.append("-XX:+EnableDynamicAgentLoading")
        self.early = rng.random() < 0.5
        # Threads are then taken off the processor in the middle of hooks and handlers, for long.
        self.hogs = rng.choice((0, 0, 0, 12))
        self.attached = 0

    def describe(self):
        return f"JDK {self.version} {self.program} {' '.join(self.flags)}{' agent' if self.early else ''}" + \
            (f" beside {self.hogs} others" if self.hogs else "")

    def java_pid(self, process):
        deadline = time.time() + 20
        while time.time() < deadline and process.poll() is None:
            children = subprocess.run(["pgrep", "-P", str(process.pid)], capture_output=True, text=True).stdout.split()
            if children:
                return int(children[0])
            time.sleep(0.05)
        return 0

    def assay(self, *arguments):
        try:
            return subprocess.run([str(ASSAY), *map(str, arguments)], capture_output=True, timeout=60).returncode
        except subprocess.TimeoutExpired:
            raise Failure(f"assay {' '.join(map(str, arguments))} does not come back") from None

    def run(self, seconds):
        command = [sys.executable, str(ROOT / "bench/workloads/run.py"), self.program, "--jdk", str(self.version),
                   "--iterations", "3"]
        if self.early:
            command += ["--agent", f"{BUILD}/libassay.so=output={self.folder}/early.profile,tick=300us"]
        environment = dict(os.environ, JAVA_TOOL_OPTIONS=" ".join(self.flags))
        out = open(f"{self.folder}/out", "w")
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, cwd=self.folder,
                                   env=environment, start_new_session=True)
        hogs = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(self.hogs)]
        deadline = time.time() + seconds
        try:
            pid = self.java_pid(process)
            time.sleep(0.5)
            while process.poll() is None and time.time() < deadline:
                self.disturb(pid)
                time.sleep(self.rng.random() * 0.5)
            self.end(hogs)
            hang = time.time() + 240
            while process.poll() is None and time.time() < hang:
                time.sleep(0.2)
            if process.poll() is None:
                raise Failure("hangs")
        finally:
            self.end(hogs)
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            out.close()
        text = open(f"{self.folder}/out", errors="replace").read()
        crashed = list(pathlib.Path(self.folder).glob("hs_err*"))
        if crashed or process.returncode not in (0, 3):
            raise Failure(f"status {process.returncode} {crashed}\n{text[-3000:]}")

    @staticmethod
    def end(processes):
        for process in processes:
            process.kill()
            process.wait()

    def disturb(self, pid):
        if pid == 0 or not os.path.exists(f"/proc/{pid}"):
            time.sleep(0.1)
            return
        choice = self.rng.random()
        if choice < 0.4:
            if self.assay("attach", pid, "-o", f"{self.folder}/{self.attached}.profile",
                          *self.rng.choice(OPTIONS)) == 0:
                self.attached += 1
        elif choice < 0.6:
            self.assay("attach", pid, *self.rng.choice(CHANGES))
        elif choice < 0.9:
            self.assay("detach", pid)
        else:
            self.assay("doctor", "--pid", pid)


def flat_memory(folder, rounds, log):
    """One long-lived JVM with attach and detach in a loop: what it holds must level off."""
    version = max(v for v in JDKS if v in TESTED)
    classes = compile_java([ROOT / "tests/stress/Steady.java"])
    process = subprocess.Popen([str(JDKS[version] / "bin/java"), "-Xmx64m", "-Xms64m", "-XX:+AlwaysPreTouch",
                                "-XX:+EnableDynamicAgentLoading", "-cp", classes, "Steady"],
                               cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        time.sleep(4)
        sizes = []
        for _ in range(rounds):
            if process.poll() is not None:
                break
            for command in (["attach", str(process.pid), "-o", f"{folder}/flat.profile", "--tick", "200us"],
                            ["attach", str(process.pid), "--samples", "64"], ["detach", str(process.pid)]):
                subprocess.run([str(ASSAY), *command], capture_output=True, timeout=60)
                time.sleep(0.3)
            sizes.append(rss(process.pid))
        if process.poll() is not None:
            raise Failure(f"memory trial: the JVM ended with status {process.returncode}")
        third = max(1, len(sizes) // 3)
        early, late = min(sizes[third:2 * third] or sizes), min(sizes[-third:])
        log(f"memory after {rounds} attach/detach rounds: {early // 1024} MB, then {late // 1024} MB")
        if late > early * 1.05 + 4096:
            raise Failure(f"memory grows: {sizes}")
    finally:
        process.kill()
        process.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    arguments = parser.parse_args()
    need()
    log = lambda text: print(time.strftime("%H:%M:%S"), text, flush=True)  # noqa: E731
    rng = random.Random(arguments.seed)
    log(f"seed {arguments.seed}")
    end = time.time() + arguments.minutes * 60
    trials = attached = 0
    agent = retransformer()
    try:
        with tempfile.TemporaryDirectory(prefix="assay-soak-") as folder:
            flat_memory(folder, max(9, int(arguments.minutes * 2)), log)
        while time.time() < end:
            with tempfile.TemporaryDirectory(prefix="assay-soak-") as folder:
                trial = Trial(rng, folder, log, agent)
                log(trial.describe())
                trial.run(min(60, max(5, end - time.time())))
                trials += 1
                attached += trial.attached
    except Failure as failure:
        log(f"FAILED: {failure}")
        return 1
    log(f"passed: {trials} programs, {attached} attachments, no crash, no hang")
    return 0


if __name__ == "__main__":
    sys.exit(main())
