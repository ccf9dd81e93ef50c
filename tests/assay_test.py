"""What every JVM test needs: the JDKs on this machine, compiling a workload, running the tool."""
import atexit
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(os.environ.get("ASSAY_BUILD", ROOT / "build"))
ASSAY = BUILD / "assay"
AGENT = BUILD / "libassay.so"


def find_jdks():
    """{17: home, 25: home, ...}: JAVA_HOME_<N> first, then the distribution's folder for JDKs and tools/newer_jdks.sh's."""
    jdks = {}
    homes = [v for k, v in os.environ.items() if re.fullmatch(r"JAVA_HOME(_\d+)?", k)]
    for folder in (pathlib.Path("/usr/lib/jvm"), ROOT / "build" / "jdks"):
        homes += sorted(str(p) for p in folder.glob("*"))
    for home in homes:
        release = pathlib.Path(home) / "release"
        if (pathlib.Path(home) / "bin" / "java").exists() and release.exists():
            match = re.search(r'JAVA_VERSION="(\d+)', release.read_text())
            if match:
                jdks.setdefault(int(match[1]), pathlib.Path(home).resolve())
    return jdks


JDKS = find_jdks()


def need(*names):
    """Ends a command that needs these files of the build where one is missing, and says what to do."""
    for name in names or ("assay", "libassay.so"):
        if not (BUILD / name).exists():
            raise SystemExit(f"{BUILD / name} does not exist: run `make build` first (or set ASSAY_BUILD to a build folder)")


def java(version, tool="java"):
    return str(JDKS[version] / "bin" / tool)


# ASSAY_TEST_JDKS=21,27 has every test for 17 and 25 run on those instead.
TESTED = tuple(int(v) for v in os.environ.get("ASSAY_TEST_JDKS", "17,25").split(","))
# For what runs on one JDK only.
NEWEST = max((v for v in JDKS if v in TESTED), default=max(JDKS, default=0))


def each_jdk(versions=TESTED):
    """Decorator: the test method runs once per JDK version, skipped (and said so) without it."""
    def decorate(method):
        def run(self):
            for version in versions:
                with self.subTest(jdk=version):
                    if version not in JDKS:
                        self.skipTest(f"no JDK {version} on this machine")
                    method(self, version)
        run.__name__ = method.__name__
        run.__doc__ = method.__doc__
        return run
    return decorate


def compile_java(sources, *options, out=None):
    """Compiles with the oldest JDK here, so the classes run on all; returns the class folder."""
    if out is None:
        out = tempfile.mkdtemp(prefix="assay-classes-")
        atexit.register(shutil.rmtree, out, ignore_errors=True)
    subprocess.run([java(min(JDKS), "javac"), "-nowarn", "-d", out, *options, *map(str, sources)],
                   check=True, capture_output=True, text=True)
    return out


def run(*command, timeout=300, check=True, **more):
    result = subprocess.run([str(c) for c in command], capture_output=True, text=True,
                            errors="replace", timeout=timeout, **more)
    if check and result.returncode:
        raise AssertionError(f"{' '.join(map(str, command))} exited {result.returncode}\n"
                             f"{result.stdout[-4000:]}\n{result.stderr[-4000:]}")
    return result


def assay(*arguments, **more):
    return run(ASSAY, *arguments, **more)


def show_json(profile, by="edges"):
    return json.loads(assay("show", profile, "--by", by, "--json", "--top", "0").stdout)
