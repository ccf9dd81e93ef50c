// Flow inference: calls that the code makes equally often are given equal weight, as far as the
// samples bear it.
//
// For a group of counts that should be equal the least-squares answer is their mean. It keeps the
// group's sum, and when the counts are truly equal it is never worse than what it replaces: the
// error |mean - truth| * n is at most the sum of the single errors. But "should" has exceptions, in the literal sense and
// because the JIT may have inlined one of two calls in some of the code: then their counts after inlining
// differ for good. So the mean is approached only as far as the data show that such differences are
// rare (empirical Bayes with normal errors):
// - if more than kMostContradictions of all groups differ by more than chance can explain, nothing is
//   done; otherwise such a group is left alone, and so is one whose counts come in clusters of unlike size:
//   calls that are made equally often are also met in the same bursts;
// - over all other groups the spread t of true counts around their mean is estimated, relative to the mean, from what
//   is left of the observed spread after taking off the variances;
// - each count moves towards its group's mean by v / (v + t^2 mean^2), v the mean variance in the group:
//   well-known counts hardly move, poorly known ones far.
// Calls that were never sampled take no part: they may have been inlined.
#pragma once

#include <cstdint>
#include <vector>

#include "src/profile/profile.h"

namespace assay::estimate {

constexpr double kMostContradictions = 0.02;

struct FlowProblem {
  struct Count {
    double value = 0;
    double variance = 0;
  };
  std::vector<Count> counts;
  std::vector<std::vector<uint32_t>> groups;  // of counts; a count is in one group at most
};

struct FlowSolution {
  std::vector<FlowProblem::Count> counts;
  size_t joined = 0;  // groups that moved
  size_t left = 0;    // groups that contradict their equality
  double spread = 0;  // relative, of counts that should be equal
};

FlowSolution SolveFlow(const FlowProblem& problem);

// Applies it to the call sites of a profile with a flow table (flow_table.h); the callees of a site
// keep their proportions.
FlowSolution InferFlow(profile::Profile& profile);

}  // namespace assay::estimate
