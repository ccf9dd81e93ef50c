"""Runs one command and measures it: CPU (user + system) and wall time of the whole run, and of the
steady state between two marks of the driver (see Driver.java), peak memory, and what it printed."""
import math
import os
import signal
import subprocess
import tempfile
import threading
import time

from .limit import LIMIT, Spent


def cpu_clock(pid):
    """The process's CPU time in seconds, read from outside: clock_getcpuclockid(3)."""
    return time.clock_gettime((~pid << 3) | 2)


def resident_kb(pid):
    """What of the process is in memory, in kilobytes; the kernel keeps these counts, reading them is cheap."""
    try:
        with open(f"/proc/{pid}/status") as file:
            words = [line.split() for line in file if line.startswith(("VmHWM:", "VmRSS:", "RssAnon:", "RssFile:"))]
        return {name.rstrip(":"): int(value) for name, value, *_ in words}
    except OSError:
        return {}


def _compilers(pid, seen):
    """CPU seconds of the JIT compiler's threads, also of those that ended, as far as `seen` has them. The kernel keeps hundredths."""
    for task in os.listdir(f"/proc/{pid}/task"):
        try:
            with open(f"/proc/{pid}/task/{task}/stat") as file:
                name, rest = file.read().split("(", 1)[1].rsplit(")", 1)
        except OSError:
            continue                 # it ended just now
        if name.startswith(("C1 Compiler", "C2 Compiler")):
            user, system = rest.split()[11:13]
            seen[task] = (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")
    return sum(seen.values())


class Run:
    def __init__(self):
        self.cpu = self.wall = 0.0
        self.rss_kb = 0              # at most; until the last mark where there are marks
        self.resident = {}           # kilobytes at the last mark: VmHWM, VmRSS, RssAnon, RssFile
        self.status = None
        self.why = ""
        self.stdout = ""
        self.marks = []              # (cpu, wall, cpu without the JIT compiler's threads) at each mark
        self.compilers = {}
        self.start = 0.0

    def steady(self, skip):
        """(cpu, wall, cpu without the JIT compiler's threads) per iteration after the first `skip` iterations, or None."""
        if len(self.marks) < skip + 2:
            return None
        count = len(self.marks) - 1 - skip
        first, last = self.marks[skip], self.marks[-1]
        return tuple((after - before) / count for before, after in zip(first, last))

    def startup(self):
        """(cpu, wall) from the start of the process to the end of the first iteration, or None."""
        if len(self.marks) < 2:
            return None
        return self.marks[1][0], self.marks[1][1] - self.start

    @property
    def ok(self):
        return self.status == 0 and not self.why


def run(command, timeout=300, cwd=None, env=None):
    """Raises limit.Spent, and ends the program, where the command's time limit does not allow for it."""
    LIMIT.check()
    allowed = LIMIT.remaining()
    result = Run()
    with tempfile.TemporaryFile() as errors:
        result.start = start = time.monotonic()
        child = subprocess.Popen([str(c) for c in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                 stderr=errors, cwd=cwd, env=env, start_new_session=True)
        expired = threading.Event()

        def kill():
            expired.set()
            os.killpg(child.pid, signal.SIGKILL)

        timer = threading.Timer(min(timeout, allowed), kill)
        timer.start()
        try:
            _follow(child, result)
            _, status, usage = os.wait4(child.pid, 0)
        finally:
            timer.cancel()
        child.returncode = result.status = os.waitstatus_to_exitcode(status)
        child.stdout.close()
        result.wall = time.monotonic() - start
        result.cpu = usage.ru_utime + usage.ru_stime
        # The kernel starts ru_maxrss of a new program with the size of the one that forked it: ours, not seldom larger.
        result.rss_kb = result.resident.get("VmHWM", usage.ru_maxrss)
        errors.seek(0)
        text = errors.read().decode(errors="replace")
    if expired.is_set() and allowed < timeout:
        raise Spent
    if expired.is_set():
        result.why = f"no end after {timeout} s"
    elif result.status:
        result.why = f"exit status {result.status}: {text.strip()[-400:]}"
    return result


def capture(command, timeout=math.inf):
    """A finished process with what it printed; ended with its children by the command's time limit, as `run` is."""
    LIMIT.check()
    allowed = min(timeout, LIMIT.remaining())
    words = [str(c) for c in command]
    child = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True,
                             start_new_session=True)
    try:
        out, errors = child.communicate(timeout=None if allowed == math.inf else allowed)
        return subprocess.CompletedProcess(words, child.returncode, out, errors)
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        child.communicate()
        if allowed < timeout:
            raise Spent from None
        raise


def _follow(child, result):
    lines = []
    for raw in child.stdout:
        line = raw.decode(errors="replace")
        if line.startswith("mark "):
            pid = int(line.split()[1])
            cpu = cpu_clock(pid)
            result.marks.append((cpu, time.monotonic(), cpu - _compilers(pid, result.compilers)))
            result.resident = resident_kb(pid) or result.resident
            try:
                child.stdin.write(b"\n")
                child.stdin.flush()
            except BrokenPipeError:
                pass
        else:
            lines.append(line)
    try:
        child.stdin.close()
    except BrokenPipeError:
        pass
    result.stdout = "".join(lines)
