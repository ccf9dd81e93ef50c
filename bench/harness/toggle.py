"""Steady-state overhead measured inside one JVM: a collector is switched on and off between
iterations of a warmed-up program (A B B A), and each stretch with it is divided by its neighbour.

Switched off means one of two things: detached, or attached with a tick of an hour. The second does not pay for meeting
every call for the first time again and again, which a program in steady state does not either; what it leaves out, an agent that
is attached and idle, is measured by the first.

Two runs of a JVM differ by several percent because its compilers decide differently, which hides an
overhead of one percent unless hundreds of runs are made. Within one JVM the code is the same. What this
does not see is the cost of having the agent loaded; that is measured between JVMs ("idle").

Two kinds of CPU time: of the process, and without the threads of the JVM's compilers and collectors, which work
by fits and starts and hide the rest ("work": the program's threads and Assay's).
"""
import os
import pathlib
import signal
import subprocess
import tempfile
import time

import run as runner

from . import configs, paths, process
from .limit import LIMIT


NOT_WORK = ("C1 Comp", "C2 Comp", "GC Thread", "G1 ", "VM Thread", "VM Periodic", "Shenandoah", "ZWorker", "ZDriver")


class Failed(Exception):
    pass


def work_seconds(pid):
    """CPU time of a process without the threads of the JVM's compilers and collectors. (The sum over the others would
    fall when one of them ends.)"""
    total = process.cpu_clock(pid)
    for thread in pathlib.Path(f"/proc/{pid}/task").iterdir():
        try:
            if (thread / "comm").read_text().startswith(NOT_WORK):
                total -= int((thread / "schedstat").read_text().split()[0]) / 1e9
        except OSError:
            pass
    return total


class Session:
    """A program that stops at marks, and the collector switched on and off between them."""

    def __init__(self, workload, jdk, size, blocks, block, warmup, settle, folder):
        self.block, self.settle, self.folder, self.pid = block, settle, folder, None
        iterations = warmup + (blocks + 1) * (block + settle)
        command = configs.BASE.command(workload, jdk, size, iterations, folder / "none")
        self.errors = open(folder / "stderr", "wb")
        self.child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                      stderr=self.errors, cwd=folder, start_new_session=True)
        self.mark()
        for _ in range(warmup):
            self.step()

    def mark(self):
        line = self.child.stdout.readline().decode(errors="replace")
        if not line.startswith("mark "):
            raise Failed(f"the program ended: {(self.folder / 'stderr').read_text(errors='replace')[-300:]}")
        self.pid = int(line.split()[1])

    def step(self):
        LIMIT.check()
        self.child.stdin.write(b"\n")
        self.child.stdin.flush()
        self.mark()

    def stretch(self):
        """(cpu, wall, work) of one block of iterations, after some that are not measured: a collector that was
        just attached meets every edge for the first time. The program stands still before and after."""
        for _ in range(self.settle):
            self.step()
        before = self.clocks()
        for _ in range(self.block):
            self.step()
        return [after - was for after, was in zip(self.clocks(), before)]

    def clocks(self):
        return process.cpu_clock(self.pid), time.monotonic(), work_seconds(self.pid)

    def tool(self, *arguments):
        done = subprocess.run([str(paths.ASSAY), *arguments], capture_output=True, text=True, timeout=60,
                              cwd=self.folder)
        if done.returncode:
            raise Failed(f"assay {arguments[0]}: {done.stderr.strip()[-300:] or done.returncode}")

    def finish(self):
        """Lets the program end; its stdout."""
        self.child.stdin.write(b"\n")
        self.child.stdin.close()
        out = self.child.stdout.read().decode(errors="replace")
        if self.child.wait(60):
            raise Failed(f"the program exited with {self.child.returncode}")
        return out

    def close(self):
        if self.child.poll() is None:
            os.killpg(self.child.pid, signal.SIGKILL)
            self.child.wait()
        self.child.stdout.close()
        self.errors.close()


class Switch:
    """A collector that is on or off, in any number of JVMs. `on`: options that are changed for that, None = attached and detached;
    `collect` None = nothing ever happens (the null control)."""

    def __init__(self, collect, on=None):
        self.collect, self.on, self.attached_to = collect, on, None

    def set(self, session, on):
        if self.collect is None:
            return
        where = ("attach", str(session.pid))
        if self.on is None:
            session.tool(*where, *self.collect, "-o", "on.profile") if on else session.tool("detach", str(session.pid))
            return
        off = tuple("1h" if before == "--tick" else option for before, option in zip((None, *self.on), self.on))
        if self.attached_to is not session:  # with its defaults: what is changed afterwards leaves the rest of them as it is
            session.tool(*where, *self.collect, "-o", "on.profile")
            self.attached_to = session
        session.tool(*where, *(self.on if on else off))


def measure(workload, jdk, switch, size="small", blocks=24, block=1, warmup=10, settle=1, budget=120):
    """{"cpu": [ratios], "wall": [ratios], "work": [ratios], "null": [ratios of work]}.

    Stretches come as off on | on off | ...; each pair is one ratio. "null" are ratios of two neighbouring
    stretches without the collector, from the same JVM: off off at every pair's border.
    """
    with tempfile.TemporaryDirectory() as name:
        session = Session(workload, jdk, size, blocks, block, warmup, settle, pathlib.Path(name))
        try:
            ratios = _stretches(session, switch, blocks, budget)
            if ratios.pop("complete"):
                wrong = runner.check(workload, size, jdk, session.finish())
                if wrong:
                    raise Failed(wrong)
            return ratios
        finally:
            session.close()


def _stretches(session, switch, blocks, budget):
    pairs, nulls, start, last_off = {"cpu": [], "wall": [], "work": []}, [], time.monotonic(), None
    if switch.on is not None:  # meets most calls now
        switch.set(session, True)
        session.stretch()
        switch.set(session, False)
    for number in range(blocks // 2):
        if time.monotonic() - start > budget:
            return {**pairs, "null": nulls, "complete": False}
        times = {}
        for on in ((False, True) if number % 2 == 0 else (True, False)):
            if on:
                switch.set(session, True)
            times[on] = session.stretch()
            if on:
                switch.set(session, False)
            else:
                if last_off is not None and number % 2 == 0:
                    nulls.append(times[on][2] / last_off)
                last_off = times[on][2]
        for place, kind in enumerate(("cpu", "wall", "work")):
            pairs[kind].append(times[True][place] / times[False][place])
    return {**pairs, "null": nulls, "complete": True}
