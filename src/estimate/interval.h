// The variance that is stated for an edge, from which every 95 % interval on screen is made.
//
// The variance between bursts as it was observed is not it, for two reasons. An edge found in few
// bursts has a variance from few values, and the same luck that makes its weight too low makes its
// variance too low; so it is mixed with the one expected of an average edge of this weight, and one
// more finding is allowed for (as in the score interval of a Poisson mean). And an edge found in many
// bursts has next to no chance error left, but still the error of the method: how well the
// correction measures density and latency. That one is a part of the true weight, and only the estimated one is known: where it is too low so
// would the error be. An interval that is right on that side is too wide on the other; it is widened by half of the difference.
#pragma once

#include "src/profile/profile.h"

namespace assay::estimate {

// Relative standard deviation of what sampling more would not remove; as measured on real programs with known
// counts (bench/accuracy/run.py, docs/05-estimation.md): with correction, and without, where sparse calls are sampled too often.
constexpr double kSystematic = 0.15, kSystematicUncorrected = 0.3;

// The same for what is claimed of a whole profile: uncorrected a few edges are off by a factor, which one standard deviation
// for all of them does not tell.
struct MethodError {
  double of_edges = 0;
  double of_accuracy = 0;
};
constexpr MethodError kCorrected{kSystematic, kSystematic};
// Where a profile does not say how much it is itself (RecordMethodError).
constexpr MethodError kUncorrected{kSystematicUncorrected, 0.6};

// `finding`: what one burst adds to an edge that it finds, in the mean (sum of squares over sum, over all
// edges and bursts).
double StatedVariance(double weight, double variance, double finding, double systematic = kSystematic);

// Of a profile that says itself how far the method is off.
MethodError MethodErrorAs(double of_accuracy, bool corrected);
// Which of the two is in a profile; none where its edges are not sampled calls.
MethodError MethodErrorOf(const profile::Profile& profile);
// Writes metadata "method-error", in percent: what MethodErrorOf() then has for the accuracy; for edges as well, up to what is
// allowed for without correction.
void RecordMethodError(double of_accuracy, profile::Profile& profile);
// The standard deviation of a weight by the method's error.
double MethodDeviation(double weight, double systematic);
// What is stated for an edge without that, which leaves chance.
double ChanceVariance(const profile::Edge& edge, double systematic);
// Takes the method's error out of the variances, and puts it back. When profiles are added up chance
// evens out, and the method errs in the same way every time.
void TakeOutMethodError(profile::Profile& profile);
void PutInMethodError(profile::Profile& profile);

}  // namespace assay::estimate
