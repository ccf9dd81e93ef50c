#!/usr/bin/env python3
"""Builds the workloads once into build/workloads and runs one of them, checking what it computed.

  bench/workloads/run.py --list
  bench/workloads/run.py javac --jdk 25 --size large --iterations 5
  bench/workloads/run.py h2 --agent build/libassay.so=collect=calls,output=h2.profile
  bench/workloads/run.py h2 --assay "--collect exact -o h2.profile" -- -XX:TieredStopAtLevel=1

Exit status: 0 done, 1 a wrong checksum, 2 usage, 3 cannot run here, else the program's own.
"""
import argparse
import fcntl
import functools
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(ROOT / "tests"))
import registry  # noqa: E402
from assay_test import ASSAY, BUILD, JDKS, need  # noqa: E402

CLASSES = BUILD / "workloads"
EXPECTED = HERE / "expected.json"


@functools.cache
def build():
    """Compiles every source whose libraries are here; does nothing when up to date."""
    sources = sorted(HERE.glob("java/bench/*"))
    available, jars = set(), set()
    for workload in registry.WORKLOADS.values():
        if not workload.missing():
            available.add(workload.main)
            jars.update(workload.class_path())
    optional = {w.main for w in registry.WORKLOADS.values()} - available
    wanted = [s for s in sources if s.suffix == ".java" and s.stem not in optional]
    stamp = CLASSES / "built"
    key = "\n".join(str(s.relative_to(HERE)) for s in wanted)
    CLASSES.mkdir(parents=True, exist_ok=True)
    with open(CLASSES / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        newest = max(s.stat().st_mtime for s in sources)
        if stamp.exists() and stamp.stat().st_mtime >= newest and stamp.read_text() == key:
            return CLASSES
        javac = JDKS[min(JDKS)] / "bin" / "javac"
        subprocess.run([javac, "--release", "17", "-nowarn", "-Xlint:none", "-proc:none", "-g",
                        "-cp", ":".join(sorted(jars)), "-d", CLASSES, *wanted], check=True)
        for resource in sources:
            if resource.suffix != ".java":
                (CLASSES / "bench" / resource.name).write_bytes(resource.read_bytes())
        stamp.write_text(key)
    return CLASSES


def program(workload, size="small", iterations=1, flags=(), more=()):
    """What follows `java` on the command line."""
    params = [word for p in workload.params for word in ("--param", p)]
    path = ":".join([str(build()), *workload.class_path()])
    return [*workload.jvm, *flags, "-cp", path, f"bench.{workload.main}", "--size", size,
            "--iterations", str(iterations), *params, *more]


def java(jdk):
    return str(JDKS[jdk] / "bin" / "java")


def expected(workload, size, jdk):
    """The recorded checksum, or None where none is known for this JDK."""
    known = json.loads(EXPECTED.read_text()) if EXPECTED.exists() else {}
    return known.get(f"{workload.name} {size} {jdk}", known.get(f"{workload.name} {size}"))


def checksum(stdout):
    found = re.findall(r"^checksum ([0-9a-f]+)$", stdout, re.MULTILINE)
    return found[-1] if found else None


def check(workload, size, jdk, stdout):
    """None when the output is right, otherwise what is wrong."""
    got, want = checksum(stdout), expected(workload, size, jdk)
    if got is None:
        return "printed no checksum"
    if want is not None and got != want:
        return f"computed {got} instead of {want}"
    return None


def record(names, size):
    """Runs on every JDK here and writes the checksums down; one entry where all JDKs agree."""
    known = json.loads(EXPECTED.read_text()) if EXPECTED.exists() else {}
    for workload in registry.select(names)[0]:
        sums = {}
        for jdk in sorted(JDKS):
            if workload.min_jdk <= jdk <= workload.max_jdk:
                out = subprocess.run([java(jdk), *program(workload, size, 2)], capture_output=True,
                                     text=True, check=True).stdout
                sums[jdk] = checksum(out)
        for key in [k for k in known if k.split()[:2] == [workload.name, size]]:
            del known[key]
        if len(set(sums.values())) == 1:
            known[f"{workload.name} {size}"] = next(iter(sums.values()))
        else:
            known.update({f"{workload.name} {size} {jdk}": s for jdk, s in sums.items()})
        print(workload.name, size, sums, flush=True)
        EXPECTED.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n")


def list_all():
    print(f"{'name':24} {'group':12} {'threads':>7}  about")
    for w in registry.WORKLOADS.values():
        why = f"  (skipped: package {w.package} is missing)" if w.missing() else ""
        print(f"{w.name:24} {w.group:12} {w.threads:7}  {w.about}{why}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", nargs="?")
    parser.add_argument("--list", action="store_true", help="all workloads")
    parser.add_argument("--build", action="store_true", help="only compile; prints the class folder")
    parser.add_argument("--jdk", type=int, default=min(JDKS))
    parser.add_argument("--size", choices=("small", "large"), default="small")
    parser.add_argument("--iterations", type=int, default=1)
    parser.add_argument("--times", action="store_true", help="wall and CPU time of each iteration on stderr")
    parser.add_argument("--agent", help="-agentpath value")
    parser.add_argument("--assay", metavar="OPTIONS", help="run under `assay run OPTIONS`")
    parser.add_argument("--print-command", action="store_true", help="print the command, do not run it")
    parser.add_argument("--record", nargs="*", metavar="NAME", help="record checksums (all without names)")
    parser.epilog = "JVM flags follow --"
    words = sys.argv[1:]
    own = words[:words.index("--")] if "--" in words else words
    arguments = parser.parse_args(own)
    arguments.flags = words[len(own) + 1:]
    if arguments.list:
        return list_all()
    if arguments.assay is not None:
        need()
    build()
    if arguments.build:
        return print(CLASSES)
    if arguments.record is not None:
        return record(arguments.record, arguments.size)
    if not arguments.name:
        parser.error("which workload? --list shows them")
    sys.exit(run_one(arguments))


def run_one(arguments):
    if arguments.jdk not in JDKS:
        print(f"no JDK {arguments.jdk} here (set JAVA_HOME_{arguments.jdk})", file=sys.stderr)
        return 3
    chosen, skipped = registry.select([arguments.name], arguments.jdk)
    if skipped:
        print(f"{skipped[0][0]} skipped: {skipped[0][1]}", file=sys.stderr)
        return 3
    flags = list(arguments.flags)
    if arguments.agent:
        flags.append(f"-agentpath:{arguments.agent}")
    with tempfile.TemporaryDirectory() as folder:
        times = pathlib.Path(folder) / "times"
        more = ["--times", str(times)] if arguments.times else []
        command = [java(arguments.jdk),
                   *program(chosen[0], arguments.size, arguments.iterations, flags, more)]
        if arguments.assay is not None:
            command = [str(ASSAY), "run", *shlex.split(arguments.assay), "--", *command]
        if arguments.print_command:
            print(shlex.join(command))
            return 0
        result = subprocess.run(command, stdout=subprocess.PIPE, text=True)
        sys.stdout.write(result.stdout)
        if times.exists():
            sys.stderr.write(times.read_text())
    if result.returncode:
        return result.returncode
    wrong = check(chosen[0], arguments.size, arguments.jdk, result.stdout)
    if wrong:
        print(f"{arguments.name}: {wrong}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    main()
