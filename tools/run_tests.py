#!/usr/bin/env python3
"""Runs every test of the project and ends with one line 'N passed, N failed, N skipped'.

Three kinds: GoogleTest programs (build/tests/*_test), Python unittest files (tests/**/test_*.py), and
checks (tools/check_*.py). Arguments filter by substring: tools/run_tests.py profile jvm/exact

Each runs in a process of its own, as many at a time as there are processors; those that are about time (ALONE) follow one by one.
"""
import concurrent.futures
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


# Samplers are judged by what they find in a program, a trial by how long it takes: no other test beside them.
ALONE = ("tests/bench/test_experiment", "tests/jvm/calls/test_calls", "tests/jvm/contexts/test_contexts", "tests/jvm/estimate/", "tests/jvm/live/test_live.py", "tests/jvm/plan/",
         "tests/jvm/sampled/", "tests/stress/", "sampling_test")


class Totals:
    def __init__(self):
        self.passed = self.failed = self.skipped = 0
        self.failures = []
        self.reasons = {}

    def add(self, other):
        self.passed += other["passed"]
        self.failed += other["failed"]
        self.skipped += other["skipped"]
        self.failures += other["failures"]
        for reason, count in other["reasons"].items():
            self.reasons[reason] = self.reasons.get(reason, 0) + count

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


KINDS = {"check": run_check, "gtest": run_gtest, "python": run_python}


def run_here(kind, path, result):
    """The child's part: one program or file, its totals into `result`."""
    totals = Totals()
    KINDS[kind](pathlib.Path(path), totals)
    pathlib.Path(result).write_text(json.dumps(vars(totals)))


def run_apart(kind, path):
    """(what it printed, its totals, seconds)."""
    began = time.time()
    with tempfile.TemporaryDirectory() as folder:
        result = pathlib.Path(folder) / "totals.json"
        child = subprocess.run([sys.executable, __file__, "--in-child", kind, str(path), str(result)], cwd=ROOT, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True, errors="replace")
        if result.exists():
            return child.stdout, json.loads(result.read_text()), time.time() - began
    lost = Totals()
    lost.failed, lost.failures = 1, [str(path)]
    return f"{child.stdout}FAILED {path}\ndied with status {child.returncode}\n", vars(lost), time.time() - began


def all_tests(wanted):
    work = [("check", p) for p in sorted((ROOT / "tools").glob("check_*.py"))]
    work += [("gtest", p) for p in sorted((BUILD / "tests").glob("*_test"))]
    work += [("python", p) for p in sorted((ROOT / "tests").rglob("test_*.py"))]
    return [(kind, p) for kind, p in work if not wanted or any(w in str(p) for w in wanted)]


def run_all(work, totals):
    def report(path, outcome):
        printed, found, seconds = outcome
        totals.add(found)
        shown = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
        print(f"{printed}{shown}: {found['passed']} passed, {found['failed']} failed ({seconds:.1f} s)", flush=True)

    alone = [(kind, path) for kind, path in work if any(name in str(path) for name in ALONE)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        running = {pool.submit(run_apart, kind, path): path for kind, path in work if (kind, path) not in alone}
        for done in concurrent.futures.as_completed(running):
            report(running[done], done.result())
    for kind, path in alone:
        report(path, run_apart(kind, path))


def main():
    wanted = sys.argv[1:]
    if {"-h", "--help"} & set(wanted):
        print(__doc__.strip())
        return 0
    os.environ.setdefault("ASSAY_BUILD", str(BUILD))
    if wanted[:1] == ["--in-child"]:
        return run_here(*wanted[1:])
    totals = Totals()
    run_all(all_tests(wanted), totals)
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
