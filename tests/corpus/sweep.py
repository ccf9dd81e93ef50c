#!/usr/bin/env python3
"""Every class of the JDKs and of the jars on this machine through the library, every pass and the verifiers.

    tests/corpus/sweep.py [--passes a,b] [--only jdk17|jdk25|jars] [--report FILE] [--prefix COMMAND]

A class counts as failed when it does not come back byte-identical, or when a verifier takes the
original and refuses the rewritten one. Ends with a table and the exit status.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import verifiers  # noqa: E402
from assay_test import BUILD, JDKS, TESTED, java, need  # noqa: E402

TOOL = BUILD / "corpus_tool"
JAR_FOLDERS = ["/usr/share"]
CHUNK_BYTES = 60 << 20  # of archives, per round: bounds disk and memory


def jdk_archives(version, work):
    jmods = sorted((JDKS[version] / "jmods").glob("*.jmod"))
    if jmods:
        return [str(p) for p in jmods]
    folder = work / f"jdk{version}"
    subprocess.run([java(version, "jimage"), "extract", "--dir", folder,
                    JDKS[version] / "lib" / "modules"], check=True)
    archives = []
    for module in sorted(p for p in folder.iterdir() if p.is_dir()):
        archive = work / f"jdk{version}-{module.name}.zip"
        with zipfile.ZipFile(archive, "w") as out:
            for path in module.rglob("*.class"):
                out.write(path, path.relative_to(module))
        archives.append(str(archive))
    shutil.rmtree(folder)
    return archives


def jar_archives():
    found = {}
    for folder in JAR_FOLDERS:
        for root, _, files in os.walk(folder):
            for name in files:
                path = os.path.join(root, name)
                if name.endswith(".jar") and not os.path.islink(path) and zipfile.is_zipfile(path):
                    found[os.path.realpath(path)] = os.path.getsize(path)
    return sorted(found)


def chunks(archives):
    chunk, size = [], 0
    for archive in archives:
        chunk.append(archive)
        size += os.path.getsize(archive)
        if size > CHUNK_BYTES:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


class Report:
    def __init__(self):
        self.groups = {}
        self.failed = False

    def add(self, group, totals):
        mine = self.groups.setdefault(group, {})
        self.merge(mine, totals)

    def merge(self, into, totals):
        for key, value in totals.items():
            if isinstance(value, dict):
                self.merge(into.setdefault(key, {}), value)
            elif isinstance(value, list):
                into.setdefault(key, []).extend(value)
            else:
                into[key] = into.get(key, 0) + value


def rewrite(archives, passes, out, prefix):
    out.mkdir(parents=True, exist_ok=True)
    run = subprocess.run([*prefix, TOOL, "--passes", ",".join(passes), "--out", out, *archives],
                         capture_output=True, text=True, errors="replace")
    if run.returncode:
        raise RuntimeError(f"corpus_tool: {run.returncode}\n{run.stderr[-3000:]}")
    return json.loads(run.stdout)


def sweep(group, archives, passes, commands, work, report, prefix, others=()):
    """`others` are jars that classes may be found in, without being under test."""
    for chunk in chunks(archives):
        out = work / "rewritten"
        totals = rewrite(chunk, passes, out, prefix)
        report.add(group, totals)
        list_file = work / "list"
        lines = []
        for i, archive in enumerate(chunk):
            original = archive if group == "jars" else "jdk"
            lines.append("\t".join([original, *(str(out / f"{i}.{p}.jar") for p in passes)]))
        lines += [o for o in others if o not in chunk]
        list_file.write_text("\n".join(lines) + "\n")
        for name, command in commands.items():
            began = time.time()
            result = verifiers.run([*prefix, *command], list_file)
            report.add(group, {"verifiers": {name: result}})
            print(f"{group} {name}: {result['classes']} classes, {result['verified']} rewritten versions "
                  f"accepted, {result['rejected']} rejected, {result['not loadable']} originals not "
                  f"accepted ({time.time() - began:.0f} s)", flush=True)
            for line in result["lines"][:10]:
                print("  " + line, flush=True)
        shutil.rmtree(out)


def print_table(report):
    classes = methods = bad = 0
    print(f"\n{'':10}{'classes':>10}{'identical':>11}{'pass':>12}{'methods':>10}{'skipped':>9}")
    for group, totals in report.groups.items():
        classes += totals["classes"]
        bad += totals["not_identical"] + totals["refused"]
        print(f"{group:10}{totals['classes']:>10}"
              f"{totals['classes'] - totals['not_identical'] - totals['refused']:>11}")
        for name, one in totals["passes"].items():
            share = one["skipped"] / max(1, one["methods"])
            print(f"{'':31}{name:>12}{one['methods']:>10}{one['skipped']:>9} ({share:.4%}) "
                  f"{json.dumps(one['reasons']) if one['reasons'] else ''}")
            methods += one["methods"]
        for name, one in totals.get("verifiers", {}).items():
            bad += one["rejected"]
            print(f"{'':12}{name}: {one['verified']} accepted, {one['rejected']} rejected, "
                  f"{one['not loadable']} originals not accepted")
    print(f"{classes} distinct classes, {bad} failed")
    return bad


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--passes", default="", help="separated by commas; nearly all without")
    parser.add_argument("--only", default="", choices=("", "jdk17", "jdk25", "jars"), metavar="GROUP")
    parser.add_argument("--jars", type=int, default=0, help="at most that many jars")
    parser.add_argument("--report", default="", metavar="FILE", help="write the totals as JSON")
    parser.add_argument("--work", default="", metavar="FOLDER", help="keep what is made there")
    parser.add_argument("--prefix", default="", metavar="COMMAND", help="run every step under this command")
    arguments = parser.parse_args()
    need(TOOL.name)
    return arguments


def default_passes():
    names = subprocess.run([TOOL, "--list"], capture_output=True, text=True, check=True).stdout.split()
    # `spread` makes classes of up to 64 KB per method, for the tests of a few classes.
    return [n for n in names if n not in ("spread", "entry")]


def main():
    arguments = parse()
    work = pathlib.Path(arguments.work or tempfile.mkdtemp(prefix="assay-corpus-"))
    work.mkdir(parents=True, exist_ok=True)
    passes = arguments.passes.split(",") if arguments.passes else default_passes()
    prefix = arguments.prefix.split()
    versions = [v for v in TESTED if v in JDKS]
    commands = verifiers.build(work, versions)
    report = Report()
    try:
        for version in versions:
            if arguments.only in ("", f"jdk{version}"):
                mine = {n: c for n, c in commands.items() if n.endswith(str(version))}
                sweep(f"jdk{version}", jdk_archives(version, work), passes, mine, work, report,
                      prefix)
        if arguments.only in ("", "jars"):
            jars = jar_archives()
            if arguments.jars:
                jars = jars[:: max(1, len(jars) // arguments.jars)]
            sweep("jars", jars, passes, commands, work, report, prefix, others=jars)
    finally:
        if not arguments.work:
            shutil.rmtree(work, ignore_errors=True)
    bad = print_table(report)
    if arguments.report:
        pathlib.Path(arguments.report).write_text(json.dumps(report.groups, indent=1))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
