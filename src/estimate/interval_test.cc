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

profile::Profile Sampled(double weight, double variance, const char* correct) {
  profile::Profile profile;
  profile.metadata = {{"collect", "calls"}, {"correct", correct}};
  profile.AddEdge(profile.InternMethod("A", "f", "()V"), 1, profile.InternMethod("A", "g", "()V"), 100, weight,
                  StatedVariance(weight, variance, 16, MethodErrorOf(profile).of_edges));
  return profile;
}

// Of ten profiles together an edge is known better by chance, and no better by the method.
TEST(MethodError, StaysWhenProfilesAreAddedUp) {
  for (const char* correct : {"full", "off"}) {
    profile::Profile one = Sampled(1000, 400, correct), sum = one;
    const double systematic = MethodErrorOf(one).of_edges, stated = one.edge(0).variance;
    TakeOutMethodError(one);
    TakeOutMethodError(sum);
    EXPECT_NEAR(one.edge(0).variance, stated - std::pow(MethodDeviation(1000, systematic), 2), 1e-6);
    const profile::Edge& edge = one.edge(0);
    for (int i = 1; i < 10; i++) sum.AddEdge(edge.caller, edge.bci, edge.callee, 100, edge.weight, edge.variance);
    PutInMethodError(sum);
    EXPECT_GT(std::sqrt(sum.edge(0).variance) / 10000, systematic);
    EXPECT_LT(std::sqrt(sum.edge(0).variance), std::sqrt(stated) * 10);
  }
}

TEST(MethodError, IsWhatTheProfileSaysItself) {
  profile::Profile profile = Sampled(1000, 400, "off");
  EXPECT_EQ(MethodErrorOf(profile).of_accuracy, kUncorrected.of_accuracy);
  RecordMethodError(0.425, profile);
  EXPECT_NEAR(MethodErrorOf(profile).of_accuracy, 0.425, 1e-9);
  EXPECT_EQ(MethodErrorOf(profile).of_edges, kUncorrected.of_edges);
  for (const char* wrong : {"", "much", "-3", "nan", "1e30"}) {
    profile.metadata["method-error"] = wrong;
    EXPECT_EQ(MethodErrorOf(profile).of_accuracy, kUncorrected.of_accuracy) << wrong;
  }
  profile.metadata["correct"] = "full";
  EXPECT_EQ(MethodErrorOf(profile).of_accuracy, kCorrected.of_accuracy);
  profile.metadata["method-error"] = "20";
  EXPECT_NEAR(MethodErrorOf(profile).of_accuracy, 0.2, 1e-9);
  EXPECT_NEAR(MethodErrorOf(profile).of_edges, 0.2, 1e-9);
  profile.metadata["method-error"] = "42.5";
  EXPECT_NEAR(MethodErrorOf(profile).of_accuracy, 0.425, 1e-9);
  EXPECT_EQ(MethodErrorOf(profile).of_edges, kSystematicUncorrected);
}

TEST(MethodError, IsNotInWhatIsExact) {
  profile::Profile exact;
  exact.metadata = {{"collect", "exact"}};
  EXPECT_EQ(MethodErrorOf(exact).of_edges, 0);
  profile::Profile all = Sampled(1000, 0, "full");
  PutInMethodError(all);
  EXPECT_EQ(all.edge(0).variance, 0);
}

}  // namespace
}  // namespace assay::estimate
