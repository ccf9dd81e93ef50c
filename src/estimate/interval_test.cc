#include "src/estimate/interval.h"

#include <gtest/gtest.h>

#include "src/estimate/test_program.h"

namespace assay::estimate {
namespace {

// Over many runs of different programs the 95 % intervals contain the true share as often as they say.
TEST(StatedVariance, IntervalsContainTheTruth) {
  std::mt19937_64 random(11);
  for (const Program& program : {Program{100, 0, 16, 16}, Program{300, 1, 16, 4}, Program{1000, 1, 16, 1},
                                 Program{3000, 1.5, 16, 2}}) {
    for (int bursts : {300, 3000}) {
      int covered = 0, all = 0;
      for (int run = 0; run < 30; run++) {
        Outcome outcome = Sample(program, bursts, random);
        for (size_t i = 0; i < outcome.evidence.size(); i++) {
          const EdgeEvidence& edge = outcome.evidence[i];
          double half_width = 1.96 * std::sqrt(StatedVariance(edge.weight, edge.variance, outcome.finding));
          covered += std::abs(edge.weight - outcome.truth[i] * outcome.total) <= half_width;
          all++;
        }
      }
      EXPECT_GE(covered, all * 0.93) << program.edges << " edges, " << bursts << " bursts";
      EXPECT_LE(covered, all * 0.998) << program.edges << " edges, " << bursts << " bursts";
    }
  }
}

TEST(StatedVariance, NeverBelowTheErrorOfTheMethod) {
  EXPECT_GE(std::sqrt(StatedVariance(1e6, 1, 16)), kSystematic * 1e6);
  EXPECT_GE(std::sqrt(StatedVariance(1e6, 1, 16, kSystematicUncorrected)), kSystematicUncorrected * 1e6);
  EXPECT_EQ(StatedVariance(1000, 0, 16), 0);  // exact
}

TEST(StatedVariance, ASingleFindingMayBeOffByAFactor) {
  double deviation = std::sqrt(StatedVariance(16, 256, 16));
  EXPECT_GT(deviation / 16, 1.2);
  EXPECT_LT(deviation / 16, 2);
}

}  // namespace
}  // namespace assay::estimate
