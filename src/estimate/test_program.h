// For tests: a made-up program, and what sampling it in bursts finds.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <vector>

#include "src/estimate/accuracy.h"
#include "src/estimate/interval.h"

namespace assay::estimate {

// Edges have shares proportional to rank ^ -slope, and neighbouring calls are alike: a burst of `calls`
// calls draws only `distinct` edges. Phases, when there are any, use disjoint edges and are visited by
// ticks at even distances. The sampler misjudges each edge by `systematic`.
struct Program {
  int edges;
  double slope;
  int calls;
  int distinct;
  int phases = 1;
  double systematic = kSystematic;
};

struct Outcome {
  double overlap;                      // with the truth, in percent
  std::vector<EdgeEvidence> evidence;  // of the edges that were found
  std::vector<double> truth;           // their true shares
  double total;                        // weight of all of them
  double finding;                      // see StatedVariance
};

inline Outcome Sample(const Program& program, int bursts, std::mt19937_64& random) {
  std::vector<double> share(program.edges);
  double total = 0;
  for (int i = 0; i < program.edges; i++) total += share[i] = std::pow(i + 1, -program.slope);
  for (double& each : share) each /= total;
  std::vector<double> seen_share = share;
  std::normal_distribution<double> method_error(1, program.systematic);
  for (double& each : seen_share) each *= std::max(0.0, method_error(random));
  std::discrete_distribution<int> draw(seen_share.begin(), seen_share.end());
  std::vector<double> squares(program.edges * program.phases);
  std::vector<EdgeEvidence> evidence(squares.size());
  for (int burst = 0; burst < bursts; burst++) {
    int phase = static_cast<int>(static_cast<int64_t>(burst) * program.phases / bursts);
    std::map<int, int> seen;
    for (int i = 0; i < program.distinct; i++) {
      seen[draw(random)] += program.calls / program.distinct;
    }
    for (auto [i, count] : seen) {
      size_t edge = static_cast<size_t>(phase) * program.edges + i;
      evidence[edge].weight += count;
      squares[edge] += 1.0 * count * count;
      evidence[edge].half[burst & 1] += count;
    }
  }
  Outcome outcome{};
  outcome.total = 1.0 * bursts * (program.calls / program.distinct) * program.distinct;
  for (size_t edge = 0; edge < evidence.size(); edge++) {
    EdgeEvidence& found = evidence[edge];
    if (found.weight == 0) continue;
    double truth = share[edge % program.edges] / program.phases;
    outcome.overlap += 100 * std::min(found.weight / outcome.total, truth);
    found.variance = squares[edge] - found.weight * found.weight / bursts;
    outcome.evidence.push_back(found);
    outcome.truth.push_back(truth);
    outcome.finding += squares[edge] / outcome.total;
  }
  return outcome;
}

}  // namespace assay::estimate
