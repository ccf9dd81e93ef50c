#!/usr/bin/env python3
"""What Assay's own threads take of a core while a program runs that does nothing but call.

  bench/overhead/threads.py [--jdk 25] [--seconds 8] ["--tick 1ms" ...]

Processor time by thread, so another program on the machine disturbs it little. What the hooks take is not in it;
`hook-ms` in a profile's metadata says that.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests"))
from assay_test import ASSAY, JDKS, NEWEST, ROOT, compile_java, need  # noqa: E402


def thread_times(pid):
    """{thread id: (name, nanoseconds of processor time)}"""
    found = {}
    for thread in os.listdir(f"/proc/{pid}/task"):
        try:
            folder = pathlib.Path(f"/proc/{pid}/task/{thread}")
            found[thread] = ((folder / "comm").read_text().strip(), int((folder / "schedstat").read_text().split()[0]))
        except OSError:
            pass
    return found


def measure(jdk, options, seconds, classes, folder):
    tool = subprocess.Popen([str(ASSAY), "run", "-o", f"{folder}/p", *options.split(), "--", str(JDKS[jdk] / "bin/java"),
                             "-Xmx64m", "-cp", classes, "Steady"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        time.sleep(3)
        pid = int(subprocess.run(["pgrep", "-P", str(tool.pid)], capture_output=True, text=True).stdout.split()[0])
        before = thread_times(pid)
        time.sleep(seconds)
        after = thread_times(pid)
        os.kill(pid, 15)
    finally:
        tool.wait(30)
    share = {t: (name, (ns - before[t][1]) / seconds / 1e7) for t, (name, ns) in after.items() if t in before}
    return (sum(value for name, value in share.values() if name in ("assay-tick", "Assay")),
            sum(value for _, value in share.values()))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("options", nargs="*", default=["--tick 1h", "--tick 4ms", "--tick 1ms", "--tick 500us"])
    parser.add_argument("--jdk", type=int, default=NEWEST)
    parser.add_argument("--seconds", type=float, default=8)
    arguments = parser.parse_args()
    need()
    classes = compile_java([ROOT / "tests/stress/Steady.java"])
    with tempfile.TemporaryDirectory() as folder:
        for options in arguments.options:
            ours, total = measure(arguments.jdk, options, arguments.seconds, classes, folder)
            print(f"{options}: {ours:.2f} % of a core in Assay's threads, {total:.0f} % in all", flush=True)


if __name__ == "__main__":
    main()
