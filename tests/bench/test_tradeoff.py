"""Accuracy against overhead on made-up raw data: what is drawn, and what is said to be missing."""
import json
import pathlib
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))
from harness import papers, paths, plots, svg, tradeoff

INFO = {"build": "new", "date": "2026-01-02 10:00 UTC"}
OLD = {"build": "old", "date": "2026-01-01 10:00 UTC"}


def seen(config, workload, percent, info=INFO, **more):
    return {"config": config, "workload": workload, "call_sites": percent, "info": info, "why": "", **more}


def ran(config, workload, factor, info=INFO, rounds=8):
    return [{"config": config, "workload": workload, "round": i, "steady_cpu": (1 + i / 10) * factor, "why": "",
             "key": ["overhead", info["build"]], "info": info} for i in range(rounds)]


class Tradeoff(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for name in ("RAW", "PUBLISHED"):
            (self.folder / name).mkdir()
            patch = mock.patch.object(paths, name, self.folder / name)
            patch.start()
            self.addCleanup(patch.stop)
        patch = mock.patch.object(paths, "RESULTS", self.folder / "results.md")
        patch.start()
        self.addCleanup(patch.stop)

    def write(self, folder, name, rows):
        (self.folder / folder / name).write_text("".join(json.dumps(r) + "\n" for r in rows))

    def point(self, label):
        return next(p for p in tradeoff.points(25)[0] if p.label == label)

    def test_a_point_is_the_mean_accuracy_and_the_mean_ratio_to_the_base_of_the_same_round(self):
        self.write("RAW", "accuracy-foreground-25.jsonl",
                   [seen("calls", "a", 60), seen("calls", "a", 70), seen("calls", "a", 80), seen("calls", "b", 90),
                    seen("calls", "c", 0, why="broken"), seen("ceiling", "a", 95)])
        self.write("RAW", "overhead-25.jsonl", ran("base", "a", 1) + ran("calls", "a", 1.02))
        point = self.point("calls, default options")
        self.assertAlmostEqual(point.accuracy, 80)
        self.assertAlmostEqual(point.overhead.value, 2)
        self.assertEqual((point.accuracy_of, point.overhead_of), ("2 programs, 2026-01-02", "1 program, 2026-01-02"))
        self.assertEqual(point.sentence(), "calls, default options: 80.0 % at +2.0 %")
        self.assertEqual(tradeoff.points(25)[1][0], 95)

    def test_a_newer_run_of_one_program_replaces_that_one_only(self):
        self.write("PUBLISHED", "accuracy-foreground-25.jsonl", [seen("calls", "a", 60, OLD), seen("calls", "b", 70, OLD)])
        self.write("RAW", "accuracy-foreground-25.jsonl", [seen("calls", "a", 80)])
        point = self.point("calls, default options")
        self.assertAlmostEqual(point.accuracy, 75)
        self.assertEqual(point.accuracy_of, "2 programs, 2026-01-02")

    def test_where_two_truths_agree_counts_before_where_they_do_not(self):
        self.write("RAW", "accuracy-foreground-25.jsonl", [seen("calls", "a", 80), seen("ceiling", "a", 99)])
        self.write("RAW", "accuracy-production-25.jsonl", [seen("calls", "a", 60), seen("jfr-10ms", "a", 20), seen("ceiling", "a", 85)])
        self.assertEqual((self.point("calls, default options").accuracy, self.point("JFR at 10 ms").accuracy), (80, 20))
        self.assertEqual(self.point("JFR at 10 ms").sentence(), "JFR at 10 ms: 20.0 % (production setting), overhead not measured")
        self.assertEqual(tradeoff.points(25)[1][0], 99)

    def test_the_time_of_the_compiler_is_left_out_where_it_is_known(self):
        known = [{**r, "steady_program": r["steady_cpu"], "steady_cpu": 3 if r["config"] == "calls" else 1}
                 for r in ran("base", "a", 1) + ran("calls", "a", 1.02)]
        self.write("RAW", "overhead-25.jsonl", known)
        self.assertAlmostEqual(self.point("calls, default options").overhead.value, 2)

    def test_published_rows_count_once_and_an_older_build_not_beside_a_newer(self):
        rows = [seen("calls", "a", 60), seen("timer", "a", 30, OLD)]
        self.write("RAW", "accuracy-production-25.jsonl", rows)
        self.write("PUBLISHED", "accuracy-production-25.jsonl", rows + [seen("calls", "a", 10, OLD)])
        self.assertEqual(len(tradeoff.rows("accuracy-production-25.jsonl")), 3)
        self.assertEqual(self.point("calls, default options").accuracy, 60)
        self.assertEqual(self.point("timer only (samples 1, stride 1)").accuracy, 30)

    def test_the_base_of_another_build_is_no_base(self):
        self.write("RAW", "overhead-25.jsonl", ran("base", "a", 1, OLD) + ran("calls", "a", 1.5))
        self.assertIsNone(self.point("calls, default options").overhead)

    def test_the_steady_state_stands_in_where_no_runs_were_compared(self):
        self.write("RAW", "steady-25.jsonl", [{"collector": "calls", "workload": "a", "work": [1.01] * 6, "why": "",
                                               "info": INFO}])
        self.assertAlmostEqual(self.point("calls, default options").overhead.value, 1)
        self.assertIn("one JVM", self.point("calls, default options").overhead_of)

    def test_of_two_figures_of_a_day_the_tighter_is_drawn_and_an_older_one_never(self):
        noisy = [{**r, "steady_cpu": r["steady_cpu"] * (1.5 if r["round"] % 2 else 0.6)} for r in ran("calls", "a", 1.1)]
        self.write("RAW", "overhead-25.jsonl", ran("base", "a", 1) + noisy)
        steady = {"collector": "calls", "workload": "a", "work": [1.01] * 6, "why": "", "info": INFO}
        self.write("RAW", "steady-25.jsonl", [steady])
        self.assertAlmostEqual(self.point("calls, default options").overhead.value, 1)
        self.write("RAW", "steady-25.jsonl", [{**steady, "info": OLD}])
        self.assertNotIn("one JVM", self.point("calls, default options").overhead_of)

    def test_what_sees_inlined_calls_is_not_judged_by_a_truth_without_them(self):
        self.write("RAW", "accuracy-production-25.jsonl", [seen("sampled", "a", 29)])
        self.write("RAW", "accuracy-paper-25.jsonl", [seen("sampled", "a", 94), seen("bytecodes", "a", 0)])
        self.write("RAW", "p3-contexts-25.jsonl", [{"workload": "a", "granularity": g, "jitter": 0, "overlap": o, "info": INFO}
                                                   for g, o in ((10000, 91), (500, 99))])
        self.assertEqual(self.point("sampled, full duplication, interval 1,000").accuracy, 94)
        point = self.point("bytecodes, granularity 10,000")
        self.assertEqual(point.accuracy, 91)
        self.assertIn("91.0 % (contexts, against exact counts)", point.sentence())

    def test_the_paper_setting_stands_in_and_says_so(self):
        self.write("RAW", "accuracy-paper-25.jsonl", [seen("sampled", "a", 94)])
        sentence = self.point("sampled, full duplication, interval 1,000").sentence()
        self.assertIn("94.0 % (paper setting), overhead not measured", sentence)

    def test_what_is_missing_is_in_the_legend_and_not_in_the_picture(self):
        self.write("RAW", "accuracy-production-25.jsonl", [seen("calls", "a", 60), seen("jfr-10ms", "a", 20)])
        self.write("RAW", "overhead-25.jsonl", ran("base", "a", 1) + ran("calls", "a", 1.02) + ran("contexts", "a", 1.1))
        file, text = tradeoff.draw(self.folder / "RAW", 25)
        tree = ElementTree.fromstring(file.read_text())
        words = [t.text for t in tree.iter("{http://www.w3.org/2000/svg}text")]
        circles = len(list(tree.iter("{http://www.w3.org/2000/svg}circle")))
        self.assertEqual(circles, len(papers.POINTS) + 2)
        self.assertIn("JFR at 10 ms: 20.0 % (production setting), overhead not measured", words)
        self.assertIn("contexts at 1 ms: accuracy not measured, at +10.0 %", words)
        self.assertIn("bytecodes, granularity 10,000: not measured", words)
        self.assertIn("P2 interval 1,000: 94 % at +6.3 %", words)
        self.assertIn("| JFR at 10 ms | 20.0 (production; 1 program, 2026-01-02) | not measured |", text)

    def test_without_any_data_only_the_papers_are_drawn(self):
        file, _ = tradeoff.draw(self.folder / "RAW", 25)
        self.assertEqual(file.read_text().count("<circle"), len(papers.POINTS))

    def test_publishing_puts_the_picture_into_the_results_and_the_page(self):
        self.write("PUBLISHED", "accuracy-production-25.jsonl", [seen("calls", "a", 60)])
        tradeoff.publish(25)
        tradeoff.publish(25)
        text = paths.RESULTS.read_text()
        self.assertEqual(text.count("![accuracy against overhead](results/accuracy-overhead-25.svg)"), 1)
        self.assertTrue((paths.PUBLISHED / "accuracy-overhead-25.svg").exists())
        self.assertIn('<img src="accuracy-overhead-25.svg"', (paths.PUBLISHED / "index.html").read_text())


class Svg(unittest.TestCase):
    def test_scales(self):
        scale = svg.Scale(-1, 100, "symlog")
        self.assertEqual([scale(v) for v in (-1, 0, 1, 10, 100)], [0, 0.25, 0.5, 0.75, 1])
        self.assertEqual(scale.ticks(), [-1, 0, 1, 10, 100])
        self.assertEqual(svg.Scale(1, 1000, "log").ticks(), [1, 10, 100, 1000])
        self.assertEqual(svg.Scale(0, 100).ticks(), [0, 20, 40, 60, 80, 100])

    def test_lines_with_a_single_point_and_with_none(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(paths, "PUBLISHED", pathlib.Path(folder)), \
                mock.patch.object(paths, "RESULTS", pathlib.Path(folder) / "none.md"):
            plots.lines("one", "t", "x", "y", {"<calls>": [(10, 0.5, 0.4, 0.6)]})
            plots.lines("no", "t", "x", "y", {})
            self.assertEqual([p.name for p in pathlib.Path(folder).glob("*.svg")], ["one.svg"])
            ElementTree.parse(pathlib.Path(folder) / "one.svg")


if __name__ == "__main__":
    unittest.main()
