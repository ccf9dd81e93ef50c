"""Real programs under --collect exact: the same result as without, every class accepted."""
import sys
import tempfile
import unittest

from assay_test import ROOT, each_jdk, run, show_json

sys.path.insert(0, str(ROOT / "bench" / "workloads"))
import registry  # noqa: E402

PROGRAMS = ("javac", "ecj", "h2", "xalan", "rhino", "lucene", "h2-threads", "exceptions")


class RealPrograms(unittest.TestCase):
    def check(self, name, version):
        missing = registry.WORKLOADS[name].missing()
        if missing:
            self.skipTest(f"{name}: {missing}")
        path = tempfile.mktemp(suffix=".profile")
        # The driver compares the program's checksum with the recorded one and fails otherwise.
        run(sys.executable, ROOT / "bench" / "workloads" / "run.py", name, "--jdk", version,
            "--assay", f"--collect exact -o {path}")
        shown = show_json(path)
        self.assertGreater(sum(e["weight"] for e in shown["edges"]), 1e6)
        self.assertEqual(shown["lost"], {})


def add_test(name):
    @each_jdk()
    def test(self, version):
        self.check(name, version)
    setattr(RealPrograms, "test_" + name.replace("-", "_"), test)


for each in PROGRAMS:
    add_test(each)
