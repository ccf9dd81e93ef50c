"""Overlap on graphs small enough to compute by hand, and the injected accuracy loss."""
import pathlib
import random
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))
from harness import graph


def edge(number, bci=0):
    return f"A.m{number}()V", bci, f"B.n{number}()V"


class Overlap(unittest.TestCase):
    def test_by_hand(self):
        truth = {edge(1): 60, edge(2): 30, edge(3): 10}
        sampled = {edge(1): 1, edge(2): 1}
        self.assertAlmostEqual(graph.overlap(truth, sampled), 50 + 30)
        self.assertAlmostEqual(graph.overlap(sampled, truth), 80)

    def test_scale_does_not_matter_and_disjoint_is_zero(self):
        a = {edge(i): i + 1 for i in range(20)}
        self.assertAlmostEqual(graph.overlap(a, {e: 7.5 * w for e, w in a.items()}), 100)
        self.assertEqual(graph.overlap(a, {edge(99): 1}), 0)
        self.assertEqual(graph.overlap(a, {}), 0)

    def test_call_sites_are_distinguished_and_merged_by_method(self):
        a, b = {edge(1, 3): 1}, {edge(1, 8): 1}
        self.assertEqual(graph.overlap(a, b), 0)
        self.assertEqual(graph.overlap(graph.by_method(a), graph.by_method(b)), 100)

    def test_errors_that_hold_are_weighed_by_calls(self):
        def shown(number, weight, error):
            return {"caller": edge(number)[0], "bci": 0, "callee": edge(number)[2], "weight": weight, "error": error}
        truth = {edge(1): 60, edge(2): 30, edge(3): 10}
        self.assertAlmostEqual(graph.held(truth, [shown(1, 5, 0.25), shown(2, 3, 0.05), shown(3, 2, 0.4)]), 80)  # 50 of 60, 30 of 30, 20 of 10
        self.assertAlmostEqual(graph.held(truth, [shown(1, 5, 0.1), shown(2, 3, 0.05), shown(3, 2, 0.6)]), 50)
        self.assertIsNone(graph.held({}, []))

    def test_the_call_of_a_lambda_object_is_a_call_of_what_it_calls(self):
        lambda_object, sort, body, other = "A$$Lambda$7.compare()I", "B.sort()V", "A.lambda$1()I", "A.lambda$2()I"
        seen = {(sort, 3, lambda_object): 30, (sort, 9, lambda_object): 10, (lambda_object, 4, body): 20, (lambda_object, 4, other): 20,
                (lambda_object, 6, lambda_object): 5, (body, 1, "C$$Lambda.get()I"): 2}
        folded = graph.without_hidden(seen)
        self.assertEqual(folded, {(sort, 3, body): 15, (sort, 3, other): 15, (sort, 9, body): 5, (sort, 9, other): 5, (body, 1, "C$$Lambda.get()I"): 2})
        edges = [{"caller": a, "bci": b, "callee": c, "weight": w, "error": 0.1} for (a, b, c), w in {**seen, (sort, 20, "C.x()V"): 58}.items()]
        self.assertAlmostEqual(graph.held({**folded, (sort, 20, "C.x()V"): 58}, edges), 100)

    def test_an_injected_loss_of_five_points_is_seen_as_five_points(self):
        rng = random.Random(5)
        truth = {edge(i): rng.paretovariate(1) for i in range(1000)}
        sampled = {e: w * rng.uniform(0.8, 1.2) for e, w in truth.items()}
        before = graph.overlap(truth, sampled)
        after = graph.overlap(truth, graph.perturb(sampled, truth, 5))
        self.assertAlmostEqual(before - after, 5)
        self.assertAlmostEqual(graph.overlap(truth, graph.perturb(truth, truth, 0)), 100)

    def test_edges_of_one_key_add_up(self):
        rows = [{"caller": "a", "bci": 1, "callee": "b", "weight": 2.0}] * 3
        self.assertEqual(graph.from_edges(rows), {("a", 1, "b"): 6.0})


if __name__ == "__main__":
    unittest.main()
