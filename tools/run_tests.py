#!/usr/bin/env python3
"""Runs every test of the project and ends with one line 'N passed, N failed, N skipped'.

Three kinds: GoogleTest programs (build/tests/*_test), Python unittest files (tests/**/test_*.py), and
checks (tools/check_*.py). Arguments filter by substring: tools/run_tests.py profile jvm/exact
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(os.environ.get("ASSAY_BUILD", ROOT / "build"))


class Totals:
    def __init__(self):
        self.passed = self.failed = self.skipped = 0
        self.failures = []
        self.reasons = {}

    def fail(self, name, detail=""):
        self.failed += 1
        self.failures.append(name)
        print(f"FAILED {name}\n{detail}", flush=True)

    def skip(self, name, reason):
        self.skipped += 1
        self.reasons[reason] = self.reasons.get(reason, 0) + 1


def run_gtest(program, totals):
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        run = subprocess.run([program, "--gtest_brief=1", f"--gtest_output=json:{out.name}"],
                             cwd=ROOT, capture_output=True, text=True, errors="replace")
        try:
            report = json.load(open(out.name))
        except ValueError:
            totals.fail(program.name, f"died with status {run.returncode}\n{run.stdout}{run.stderr}")
            return
    for suite in report["testsuites"]:
        for case in suite["testsuite"]:
            name = f'{program.name}: {suite["name"]}.{case["name"]}'
            if case.get("failures"):
                totals.fail(name, "\n".join(f["failure"] for f in case["failures"]))
            elif case["result"] == "SKIPPED":
                totals.skip(name, (case.get("skipped") or [{"message": "skipped"}])[0]["message"])
            elif case["result"] == "COMPLETED":
                totals.passed += 1


class Counter(unittest.TestResult):
    def __init__(self, totals):
        super().__init__()
        self.totals = totals

    def startTest(self, test):
        super().startTest(test)
        self.began = time.time()

    def stopTest(self, test):
        super().stopTest(test)
        spent = time.time() - self.began
        if spent > 20:
            print(f"  {test.id()}: {spent:.0f} s", flush=True)

    def addSuccess(self, test):
        self.totals.passed += 1

    def addSkip(self, test, reason):
        self.totals.skip(test.id(), reason)

    def addFailure(self, test, err):
        self.totals.fail(test.id(), self._exc_info_to_string(err, test))

    addError = addFailure

    def addSubTest(self, test, subtest, err):
        if err:
            self.totals.fail(subtest.id(), self._exc_info_to_string(err, test))
        else:
            self.totals.passed += 1


def run_python(path, totals):
    name = str(path.relative_to(ROOT))
    sys.path.insert(0, str(ROOT / "tests"))
    sys.path.insert(0, str(path.parent))
    try:
        import importlib.util
        spec = importlib.util.spec_from_file_location(name.replace("/", ".")[:-3], path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        unittest.defaultTestLoader.loadTestsFromModule(module).run(Counter(totals))
    except Exception as error:  # a test file that cannot be loaded is a failure, not silence
        totals.fail(name, repr(error))
    finally:
        sys.path.remove(str(path.parent))


def run_check(path, totals):
    for arguments in (["--self-test"], []):
        run = subprocess.run([sys.executable, path, *arguments], cwd=ROOT, capture_output=True,
                             text=True)
        if run.returncode:
            totals.fail(f"{path.name} {' '.join(arguments)}", run.stdout + run.stderr)
        else:
            totals.passed += 1


def main():
    wanted = sys.argv[1:]
    if {"-h", "--help"} & set(wanted):
        print(__doc__.strip())
        return 0
    totals = Totals()
    os.environ.setdefault("ASSAY_BUILD", str(BUILD))
    work = [(run_check, p) for p in sorted((ROOT / "tools").glob("check_*.py"))]
    work += [(run_gtest, p) for p in sorted((BUILD / "tests").glob("*_test"))]
    work += [(run_python, p) for p in sorted((ROOT / "tests").rglob("test_*.py"))]
    for run, path in work:
        if wanted and not any(w in str(path) for w in wanted):
            continue
        began = time.time()
        before = (totals.passed, totals.failed)
        run(path, totals)
        shown = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
        print(f"{shown}: {totals.passed - before[0]} passed, {totals.failed - before[1]} failed "
              f"({time.time() - began:.1f} s)", flush=True)
    for reason, count in sorted(totals.reasons.items()):
        print(f"skipped {count}: {reason}")
    for name in totals.failures:
        print(f"failed: {name}")
    if totals.passed + totals.failed == 0:
        print("no test ran")
        return 1
    print(f"{totals.passed} passed, {totals.failed} failed, {totals.skipped} skipped")
    return 1 if totals.failed else 0


if __name__ == "__main__":
    sys.exit(main())
