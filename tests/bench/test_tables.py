"""What the tables share: a table in which nothing was measured must not replace one in which something was."""
import pathlib
import sys
import types
import unittest
import unittest.mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "bench"), str(ROOT / "bench" / "workloads")]
from harness import results
from tables import common


class Publish(unittest.TestCase):
    def publish(self, *whys):
        run = types.SimpleNamespace(raw=pathlib.Path("x.jsonl"), rows=[{"why": why} for why in whys])
        with unittest.mock.patch.object(results, "publish"), unittest.mock.patch.object(results, "section") as section:
            common.publish(types.SimpleNamespace(publish=True), "p", "Title", "text", {}, [run])
        return section

    def test_what_was_measured_is_published(self):
        self.publish("", "ended early").assert_called_once()

    def test_failures_alone_are_refused(self):
        for whys in (("no class",), ("no class", "no class"), ()):
            with self.assertRaisesRegex(RuntimeError, "nothing could be measured"):
                self.publish(*whys)


if __name__ == "__main__":
    unittest.main()
