"""A slice of make soak."""
import pathlib
import sys
import unittest

from assay_test import run


class Slice(unittest.TestCase):
    def test_a_minute_of_soak(self):
        result = run(sys.executable, pathlib.Path(__file__).parent / "soak.py", "--minutes", "0.8", "--seed", "3",
                     check=False, timeout=600)
        self.assertEqual(result.returncode, 0, result.stdout[-4000:] + result.stderr[-2000:])


if __name__ == "__main__":
    unittest.main()
