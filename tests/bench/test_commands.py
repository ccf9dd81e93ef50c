"""Every benchmark command starts, explains itself, and refuses what it does not know."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from assay_test import ROOT, run

COMMANDS = sorted((ROOT / "bench").glob("*/run.py")) + [ROOT / "bench/overhead/steady.py",
                                                        ROOT / "bench/harness/selftest.py"]


class Commands(unittest.TestCase):
    def test_help(self):
        for command in COMMANDS:
            with self.subTest(command=command.relative_to(ROOT)):
                self.assertIn("usage:", run(sys.executable, command, "--help").stdout)

    def test_unknown_names_are_usage_errors(self):
        for words in (["bench/overhead/run.py", "--config", "nonsense"], ["bench/tables/run.py", "p9"],
                      ["bench/accuracy/run.py", "--workload", "nonsense", "--jdk", "17"],
                      ["bench/workloads/run.py", "nonsense"]):
            with self.subTest(command=words[0]):
                result = run(sys.executable, ROOT / words[0], *words[1:], check=False)
                self.assertNotEqual(result.returncode, 0)
                self.assertIn("unknown", result.stderr)
                self.assertNotIn("Traceback", result.stderr)


if __name__ == "__main__":
    unittest.main()
