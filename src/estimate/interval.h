// The variance that is stated for an edge, from which every 95 % interval on screen is made.
//
// The variance between bursts as it was observed is not it, for two reasons. An edge found in few
// bursts has a variance from few values, and the same luck that makes its weight too low makes its
// variance too low; so it is mixed with the one expected of an average edge of this weight, and one
// more finding is allowed for (as in the score interval of a Poisson mean). And an edge found in many
// bursts has next to no chance error left, but still the error of the method: how well the
// correction measures density and latency.
#pragma once

namespace assay::estimate {

// Relative standard deviation of what sampling more would not remove; as measured on programs with known
// counts (bench/accuracy/calibration.py, bench/accuracy/run.py, docs/05-estimation.md): with correction, and without, where sparse calls are
// sampled too often.
constexpr double kSystematic = 0.08, kSystematicUncorrected = 0.2;

// `finding`: what one burst adds to an edge that it finds, in the mean (sum of squares over sum, over all
// edges and bursts).
double StatedVariance(double weight, double variance, double finding, double systematic = kSystematic);

}  // namespace assay::estimate
