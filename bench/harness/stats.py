"""Medians of pair ratios with bootstrap intervals. Pure functions; every random choice is seeded.

Machines are shared and noisy, so nothing here looks at absolute times: each profiled run is divided by
the base run of the same round, and the claim is about the median of those ratios. With fewer than six
pairs a bootstrap says nothing, and the interval is the whole range.
"""
import math
import random
import statistics
from dataclasses import dataclass


@dataclass(frozen=True)
class Estimate:
    value: float
    low: float
    high: float
    pairs: int

    def scaled(self, function):
        return Estimate(function(self.value), function(self.low), function(self.high), self.pairs)

    @property
    def half_width(self):
        return (self.high - self.low) / 2


def pair_ratios(base, other):
    """other/base for each round that both have; arguments are {round: value}."""
    return [other[r] / base[r] for r in sorted(base.keys() & other.keys()) if base[r] > 0]


def median_interval(values, level=0.95, resamples=2000, seed=1):
    if not values:
        raise ValueError("no pairs")
    middle = statistics.median(values)
    if len(values) < 6:
        return Estimate(middle, min(values), max(values), len(values))
    rng = random.Random(seed)
    medians = sorted(statistics.median(rng.choices(values, k=len(values))) for _ in range(resamples))
    cut = (1 - level) / 2
    return Estimate(middle, medians[int(cut * resamples)],
                    medians[min(resamples - 1, int((1 - cut) * resamples))], len(values))


def geometric_mean(values):
    return math.exp(statistics.fmean(math.log(v) for v in values))


def mean_interval(groups, level=0.95, resamples=1000, seed=1):
    """Geometric mean over groups (programs) of the medians of their ratios; pairs are resampled
    within each group, so the interval speaks about these programs, not about all programs."""
    groups = [g for g in groups if g]
    if not groups:
        raise ValueError("no groups")
    value = geometric_mean([statistics.median(g) for g in groups])
    rng = random.Random(seed)
    means = sorted(geometric_mean([statistics.median(rng.choices(g, k=len(g))) for g in groups])
                   for _ in range(resamples))
    cut = (1 - level) / 2
    return Estimate(value, means[int(cut * resamples)],
                    means[min(resamples - 1, int((1 - cut) * resamples))], min(map(len, groups)))


def decisive(estimate, target):
    """Is the interval tight enough: half-width at most `target` (0.005 = half a percent)?"""
    return estimate.pairs >= 6 and estimate.half_width <= target


def slower(estimate, by=0.0):
    """Slower beyond the noise: the whole interval lies above 1 + by."""
    return estimate.low > 1 + by


def pearson(x, y):
    if len(x) < 2:
        return float("nan")
    mean_x, mean_y = statistics.fmean(x), statistics.fmean(y)
    sxy = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y))
    sxx = sum((a - mean_x) ** 2 for a in x)
    syy = sum((b - mean_y) ** 2 for b in y)
    return sxy / math.sqrt(sxx * syy) if sxx and syy else float("nan")
