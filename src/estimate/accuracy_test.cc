#include "src/estimate/accuracy.h"

#include <gtest/gtest.h>

#include "src/estimate/test_program.h"

namespace assay::estimate {
namespace {

class AccuracyTest : public testing::TestWithParam<std::tuple<Program, int>> {};

TEST_P(AccuracyTest, EstimateIsNearTheMeasuredOverlap) {
  auto [program, bursts] = GetParam();
  std::mt19937_64 random(5);
  constexpr int kRuns = 20;
  double bias = 0;
  int within = 0;
  for (int run = 0; run < kRuns; run++) {
    Outcome outcome = Sample(program, bursts, random);
    auto estimate = EstimateAccuracy(outcome.evidence, program.systematic);
    ASSERT_TRUE(estimate.has_value());
    bias += (estimate->percent - outcome.overlap) / kRuns;
    within += std::abs(estimate->percent - outcome.overlap) <= estimate->error;
  }
  EXPECT_NEAR(bias, 0, 3);
  EXPECT_GE(within, kRuns * 9 / 10);
}

INSTANTIATE_TEST_SUITE_P(
    Programs, AccuracyTest,
    testing::Combine(testing::Values(Program{100, 0, 16, 16}, Program{1000, 1, 16, 4},
                                     Program{20000, 1, 16, 4}, Program{3000, 1.5, 16, 1},
                                     Program{300, 1, 16, 4, 10}, Program{1000, 1, 16, 4, 1, kSystematicUncorrected}),
                     testing::Values(300, 3000, 10000)));

// Without the halves the phases count as chance: too careful, never too sure.
TEST(AccuracyAlone, VarianceAloneIsCareful) {
  std::mt19937_64 random(6);
  Outcome outcome = Sample({300, 1, 16, 4, 10}, 3000, random);
  for (EdgeEvidence& edge : outcome.evidence) edge.half[0] = edge.half[1] = 0;
  auto estimate = EstimateAccuracy(outcome.evidence);
  ASSERT_TRUE(estimate.has_value());
  EXPECT_LT(estimate->percent, outcome.overlap + 2);
  EXPECT_GT(estimate->percent, outcome.overlap - 10);
}

// Programs differ in what the method errs by, which no number of samples tells.
TEST(AccuracyAlone, AStatedErrorAllowsForNoErrorOfTheMethodAndForTwiceTheUsual) {
  std::mt19937_64 random(8);
  auto estimate = EstimateAccuracy(Sample({300, 1, 16, 4}, 1000000, random).evidence);
  ASSERT_TRUE(estimate.has_value());
  EXPECT_NEAR(estimate->percent, estimate->limit, 2);
  EXPECT_GE(estimate->percent + estimate->error, 98);
  EXPECT_GE(estimate->error, 100 - estimate->limit);
}

TEST(AccuracyAlone, ALargeErrorOfTheMethodIsKnownToHalf) {
  std::mt19937_64 random(8);
  auto estimate = EstimateAccuracy(Sample({300, 1, 16, 4}, 1000000, random).evidence, kUncorrected.of_accuracy);
  ASSERT_TRUE(estimate.has_value());
  EXPECT_NEAR(estimate->percent, estimate->limit, 2);
  EXPECT_GE(estimate->error, (100 - estimate->limit) / 2);
  EXPECT_LT(estimate->error, 100 - estimate->limit);
}

// Without correction: as far as correction would move the profile, and more where bursts are cut.
TEST(MethodErrorFromTest, GrowsWithWhatCorrectionWouldMoveAndWithCutBursts) {
  const std::vector<EdgeEvidence> even{{100, 10, {}, 5}, {100, 10, {}, 5}}, moved{{100, 10, {}, 7}, {100, 10, {}, 3}};
  auto limit = [](const std::vector<EdgeEvidence>& edges, double cut) { return AccuracyLimit(MethodErrorFrom(edges, false, {.cut_share = cut})); };
  EXPECT_NEAR(limit(even, 0), AccuracyLimit(kSystematic), 1e-9);
  EXPECT_NEAR(100 - limit(moved, 0), std::hypot(20, 100 - AccuracyLimit(kSystematic)), 0.1);
  EXPECT_NEAR(100 - limit(even, 1), std::hypot(35, 100 - AccuracyLimit(kSystematic)), 0.1);
  EXPECT_LT(limit(moved, 0.5), limit(moved, 0));
  EXPECT_EQ(MethodErrorFrom(std::vector<EdgeEvidence>{{100, 10, {}}}, false, {}), kUncorrected.of_accuracy);
}

// Corrected or not: what the VM took away was put back, and some calls had passed.
TEST(MethodErrorFromTest, GrowsWithTheMarksThatWerePutBack) {
  const std::vector<EdgeEvidence> even{{100, 10, {}, 5}, {100, 10, {}, 5}};
  for (bool corrected : {false, true}) {
    auto limit = [&](double restored) { return AccuracyLimit(MethodErrorFrom(even, corrected, {.restored_share = restored})); };
    EXPECT_NEAR(limit(0), AccuracyLimit(kSystematic), 1e-9);
    EXPECT_NEAR(100 - limit(0.05), std::hypot(11.5, 100 - AccuracyLimit(kSystematic)), 0.1);
    EXPECT_EQ(limit(1), limit(5)) << "bounded";
    EXPECT_GT(limit(1), 60);
  }
}

TEST(AccuracyAlone, SaysHowMuchLonger) {
  std::mt19937_64 random(7);
  Program program{2000, 1, 16, 4};
  auto brief = EstimateAccuracy(Sample(program, 1000, random).evidence);
  ASSERT_TRUE(brief.has_value());
  double target = brief->percent + 8;
  double length = LengthFor(*brief, target);
  EXPECT_GT(length, 1.2);
  Outcome longer = Sample(program, static_cast<int>(1000 * length), random);
  EXPECT_NEAR(longer.overlap, target, 4);
  EXPECT_EQ(LengthFor(*brief, brief->percent - 1), 1);
}

TEST(AccuracyAlone, NoLengthExceedsTheLimit) {
  std::mt19937_64 random(8);
  Program program{300, 1, 16, 4};
  auto brief = EstimateAccuracy(Sample(program, 1000, random).evidence);
  auto lasting = EstimateAccuracy(Sample(program, 1000000, random).evidence);
  ASSERT_TRUE(brief.has_value() && lasting.has_value());
  EXPECT_EQ(brief->limit, AccuracyLimit(kSystematic));
  EXPECT_LT(lasting->percent, lasting->limit);
  EXPECT_NEAR(lasting->percent, lasting->limit, 0.5);
  EXPECT_EQ(LengthFor(*brief, brief->limit), HUGE_VAL);
  EXPECT_LT(LengthFor(*brief, brief->limit - 1), 100000);
}

TEST(AccuracyAlone, ExactAndEmptyProfilesHaveNoEstimate) {
  profile::Profile profile;
  EXPECT_FALSE(EstimateAccuracy(profile).has_value());
  profile.AddEdge(profile.InternMethod("A", "f", "()V"), 1, profile.InternMethod("A", "g", "()V"), 100, 100);
  EXPECT_FALSE(EstimateAccuracy(profile).has_value());
}

TEST(AccuracyAlone, OneBurstSaysNextToNothing) {
  auto estimate = EstimateAccuracy(std::vector<EdgeEvidence>{{5, 25, {}}, {11, 121, {}}});
  ASSERT_TRUE(estimate.has_value());
  EXPECT_LT(estimate->percent, 20);
  EXPECT_GT(estimate->unseen, 80);
}

}  // namespace
}  // namespace assay::estimate
