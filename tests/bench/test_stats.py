"""The statistics on synthetic data with known answers."""
import pathlib
import random
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))
from harness import stats


def runs(rng, count, factor=1.0, noise=0.01, drift=0.2):
    """Rounds of (base, other) on a machine whose speed drifts slowly, as {round: time} each."""
    base, other, speed = {}, {}, 1.0
    for i in range(count):
        speed *= 1 + rng.uniform(-drift, drift) / 4
        base[i] = speed * rng.lognormvariate(0, noise)
        other[i] = factor * speed * rng.lognormvariate(0, noise)
    return base, other


class Stats(unittest.TestCase):
    def test_ratios_pair_only_rounds_that_both_have(self):
        self.assertEqual(stats.pair_ratios({1: 2.0, 2: 4.0, 4: 1.0}, {2: 6.0, 1: 2.0, 3: 9.0}), [1.0, 1.5])

    def test_drift_of_the_machine_cancels(self):
        base, other = runs(random.Random(3), 40, 1.05, noise=0.005, drift=0.8)
        estimate = stats.median_interval(stats.pair_ratios(base, other))
        self.assertLess(abs(estimate.value - 1.05), 0.005)
        self.assertGreater(max(base.values()) / min(base.values()), 1.5)

    def test_the_interval_covers_the_truth_about_as_often_as_it_says(self):
        hits = 0
        for seed in range(200):
            base, other = runs(random.Random(seed), 12, 1.02)
            estimate = stats.median_interval(stats.pair_ratios(base, other), resamples=400)
            hits += estimate.low <= 1.02 <= estimate.high
        self.assertGreaterEqual(hits, 180)
        self.assertLess(hits, 200)

    def test_one_percent_is_detected_and_nothing_is_not(self):
        slow = quiet = 0
        for seed in range(50):
            rng = random.Random(1000 + seed)
            base, other = runs(rng, 30, 1.01, noise=0.004)
            slow += stats.slower(stats.median_interval(stats.pair_ratios(base, other), resamples=400))
            base, other = runs(rng, 30, 1.0, noise=0.004)
            quiet += stats.slower(stats.median_interval(stats.pair_ratios(base, other), resamples=400))
        self.assertEqual(slow, 50)
        self.assertLessEqual(quiet, 4)

    def test_an_outlier_does_not_move_the_median(self):
        ratios = [1.0] * 9 + [50.0]
        self.assertEqual(stats.median_interval(ratios).value, 1.0)
        self.assertEqual(stats.median_interval(ratios).high, 1.0)

    def test_few_pairs_give_the_whole_range_and_are_never_decisive(self):
        estimate = stats.median_interval([1.0, 1.001, 0.999])
        self.assertEqual((estimate.low, estimate.high), (0.999, 1.001))
        self.assertFalse(stats.decisive(estimate, 0.01))

    def test_no_pairs_is_an_error(self):
        with self.assertRaises(ValueError):
            stats.median_interval([])

    def test_mean_over_programs_is_geometric(self):
        estimate = stats.mean_interval([[2.0] * 8, [0.5] * 8])
        self.assertAlmostEqual(estimate.value, 1.0)
        self.assertAlmostEqual(estimate.low, 1.0)

    def test_the_same_data_gives_the_same_interval(self):
        ratios = [1 + 0.01 * i for i in range(10)]
        self.assertEqual(stats.median_interval(ratios), stats.median_interval(ratios))

    def test_correlation(self):
        self.assertAlmostEqual(stats.pearson([1, 2, 3], [2, 4, 6]), 1.0)
        self.assertAlmostEqual(stats.pearson([1, 2, 3], [3, 2, 1]), -1.0)


if __name__ == "__main__":
    unittest.main()
