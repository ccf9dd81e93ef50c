#!/usr/bin/env python3
"""Parse + rewrite throughput of the class-file library against OW2 ASM, in turns on one core.

    bench/micro/throughput.py [--seconds 4] [--rounds 3] [ARCHIVE...]

All insert a static call at the entry of every method and keep the frames; the default archive is
java.base of the oldest JDK here. Speed is per second of CPU time of the process, garbage collection
included, which other programs on the machine disturb less than the wall clock. `general` decodes
and encodes every method, `prepend` moves the bodies as they are. Exit status 1 below three times ASM.
"""
import argparse
import pathlib
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "tests"))
from assay_test import BUILD, JDKS, NEWEST, java, need  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
ASM = "/usr/share/java/asm.jar"
BAR = 3.0


def numbers(command):
    return [float(x) for x in subprocess.run(command, check=True, capture_output=True,
                                             text=True).stdout.split()]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--warmup", type=float, default=15)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("archives", nargs="*")
    arguments = parser.parse_args()
    need("rewrite_bench")
    version = NEWEST
    archives = arguments.archives or [str(JDKS[min(JDKS)] / "jmods" / "java.base.jmod")]
    with tempfile.TemporaryDirectory() as classes:
        subprocess.run([java(version, "javac"), "-cp", ASM, "-d", classes, HERE / "AsmBench.java"],
                       check=True)
        runs = {"prepend": [], "general": [], "asm": []}
        for _ in range(arguments.rounds):
            for way in ("prepend", "general"):
                runs[way].append(numbers([BUILD / "rewrite_bench", way, str(arguments.seconds),
                                          *archives]))
            runs["asm"].append(numbers([java(version), "-Xmx2g", "-cp", f"{ASM}:{classes}", "AsmBench",
                                        str(arguments.warmup), str(arguments.seconds), *archives]))
    if len({tuple(r[0][1:3]) for r in runs.values()}) != 1:
        print(f"not the same work: {[r[0][1:3] for r in runs.values()]} classes and methods")
        return 1
    print(f"{int(runs['asm'][0][1])} classes, {int(runs['asm'][0][2])} methods with code; ASM on JDK {version}")
    speed = {way: statistics.median(r[0] for r in some) for way, some in runs.items()}
    for way, some in runs.items():
        ratios = sorted(o[0] / a[0] for o, a in zip(some, runs["asm"]))
        live = f", at most {int(some[0][5])} live" if len(some[0]) > 5 else ""
        print(f"{way:8} {speed[way]:7.1f} MB/s of class bytes, {speed[way] / speed['asm']:.2f} times ASM "
              f"({ratios[0]:.2f} to {ratios[-1]:.2f}), output {int(some[0][3])} bytes, per class "
              f"{int(some[0][4])} bytes allocated{live}")
    print(f"bar: {BAR} times ASM for this transformation, by its cheapest way")
    return 0 if speed["prepend"] / speed["asm"] >= BAR else 1


if __name__ == "__main__":
    sys.exit(main())
