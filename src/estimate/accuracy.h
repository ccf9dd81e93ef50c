// How near a sampled profile is to the truth, judged from the sample alone: the expected overlap with
// the exhaustive profile (P0's measure), how sure that is, and how much longer to sample for more.
//
// The overlap is 1 - 1/2 * sum of |p_i - q_i| over all edges, p the estimated and q the true shares.
// An edge of weight w and variance v rests on k = w^2 / v independent findings (1 when a single burst
// found it). Were findings a Poisson process of mean m, the expected error E|k - m| would be 2 m
// exp(-m) below m = 1 and near sqrt(2 m / pi) above. It has to be computed from k, which is seen,
// instead of m, which is not. Expected(k) below is a function of k whose mean over k is right for all
// m, within a few percent but for the neighbourhood of m = 1. Edges that were never seen are
// in it: they are the mirror image of those seen once (Good and Turing).
//
// Ticks come at even distances, so the sample follows the program's phases better than independent
// draws would, and the variance between bursts, which the phases are part of, says too much. Where it is known
// how the weight divides among odd and even bursts, the observed disagreement of the two halves over
// the one that the variances predict corrects for that.
//
// What both halves have in common, an error of the method, cannot be seen this way. It enters as
// `systematic` (interval.h), the size it was found to have.
#pragma once

#include <optional>
#include <span>

#include "src/estimate/interval.h"
#include "src/profile/profile.h"

namespace assay::estimate {

struct EdgeEvidence {
  double weight = 0;
  double variance = 0;
  double half[2] = {0, 0};  // weight from odd and from even bursts; both 0 when not known
  double corrected = 0;     // the weight that correction would give it, in any unit
};

struct Accuracy {
  double percent = 0;  // expected overlap with the truth
  double error = 0;    // half-width of its 95 % interval, in points
  double unseen = 0;   // percent of all calls made along edges that were never sampled
  double limit = 100;  // percent that no length of the run exceeds: what is missing is the method's error
  double decay = 0.5;  // the error by chance falls as (length of the run) ^ -decay
};

// How the VM came between bursts and the calls that they were to see (by returns only, JDK 17).
struct Interference {
  double cut_share = 0;       // of all bursts: ended early
  double restored_share = 0;  // marks put back, of all calls that bursts saw
};

// `systematic` of a profile, as far as it tells itself (docs/05-estimation.md). Calls that follow an interpreted or native return are sampled too
// seldom, or hardly ever where that cuts a burst; how common those are is known. Without correction sparse calls are sampled too often, by about as
// much as correction would move.
double MethodErrorFrom(std::span<const EdgeEvidence> edges, bool corrected, const Interference& by_vm);

// Percent that sampling reaches when chance has gone and the method's error is left.
double AccuracyLimit(double systematic);

// Nothing when the weights are exact, or too few to tell.
std::optional<Accuracy> EstimateAccuracy(std::span<const EdgeEvidence> edges, double systematic = kSystematic);
std::optional<Accuracy> EstimateAccuracy(const profile::Profile& profile);

// As written in the profile by whoever knew more than its edges show; otherwise estimated from them.
std::optional<Accuracy> AccuracyOf(const profile::Profile& profile);
// Writes metadata "accuracy", "accuracy-error", "accuracy-limit" and "unseen", in percent.
void Record(const Accuracy& accuracy, profile::Profile& profile);

// How many times as many samples, hence how many times as long a run at the same tick, the target takes; 1 when it is reached, infinitely many
// beyond the limit.
double LengthFor(const Accuracy& now, double target_percent);

}  // namespace assay::estimate
