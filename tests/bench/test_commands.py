"""Every benchmark command starts, explains itself, and refuses what it does not know."""
import os
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from assay_test import ROOT, run

# Everything with a command line in these folders, without the tests themselves.
COMMANDS = sorted(path for folder in ("bench", "tests", "tools") for path in (ROOT / folder).rglob("*.py")
                  if path.read_text().startswith("#!") and not path.name.startswith(("test_", "check_", "run_tests")))


class Commands(unittest.TestCase):
    def test_help(self):
        for command in COMMANDS:
            with self.subTest(command=command.relative_to(ROOT)):
                self.assertIn("usage:", run(sys.executable, command, "--help").stdout)

    def test_help_needs_no_build_and_the_rest_says_so(self):
        for command in COMMANDS:
            with self.subTest(command=command.relative_to(ROOT)), tempfile.TemporaryDirectory() as nothing:
                environment = {**os.environ, "ASSAY_BUILD": nothing}
                self.assertIn("usage:", run(sys.executable, command, "--help", env=environment).stdout)
                more = ["h2", "--assay="] if command.parent.name == "workloads" else []
                result = run(sys.executable, command, *more, env=environment, check=False)
                self.assertNotEqual(result.returncode, 0)
                self.assertIn("make build", result.stderr)
                self.assertNotIn("Traceback", result.stderr)

    def test_they_can_be_started_by_name(self):
        self.assertEqual([c for c in COMMANDS if not os.access(c, os.X_OK)], [])

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
