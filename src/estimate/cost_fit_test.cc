#include "src/estimate/cost_fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace assay::estimate {
namespace {

// Programs that execute random mixes of classes with these costs, measured with this relative
// error.
std::vector<CostSample> Programs(const std::vector<double>& costs, size_t many, double noise) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> share(0, 1);
  std::normal_distribution<double> error(1, noise);
  std::vector<CostSample> samples;
  for (size_t s = 0; s < many; ++s) {
    CostSample sample{"p" + std::to_string(s), {}, 0};
    const double size = std::pow(10, 6 * share(random));
    for (double cost : costs) {
      double count = share(random) < 0.4 ? std::floor(size * share(random)) : 0;
      sample.counts.push_back(count);
      sample.time += count * cost;
    }
    sample.time *= noise > 0 ? error(random) : 1;
    if (sample.time > 0) samples.push_back(sample);
  }
  return samples;
}

TEST(FitCosts, FindsTheCostsOfExactData) {
  const std::vector<double> costs = {0.25, 0.5, 8, 0, 20, 1};
  auto samples = Programs(costs, 40, 0);
  auto fit = FitCosts(samples, 1000);
  ASSERT_TRUE(fit.ok());
  for (size_t c = 0; c < costs.size(); ++c)
    EXPECT_NEAR(fit->costs[c], costs[c], 1e-4 * (costs[c] + 1)) << c;
  EXPECT_LT(TypicalError(fit->left_out), 0.02);
  EXPECT_GT(TypicalError(fit->uniform), 0.2);
}

TEST(FitCosts, WeightsAreSmallWholeNumbersInTheRatioOfTheCosts) {
  auto samples = Programs({0.3, 0.6, 3, 0, 12}, 40, 0);
  auto fit = FitCosts(samples, 1000);
  ASSERT_TRUE(fit.ok());
  EXPECT_THAT(fit->weights, testing::ElementsAre(1, 2, 10, 0, 40));
  EXPECT_NEAR(fit->unit, 0.3, 0.01);
}

TEST(FitCosts, AWeightIsNeverAboveTheMost) {
  auto samples = Programs({1, 2, 50000}, 40, 0);
  auto fit = FitCosts(samples, 1000);
  ASSERT_TRUE(fit.ok());
  for (uint32_t weight : fit->weights) EXPECT_LE(weight, 1000u);
}

// The error of programs left out is that of the measurement, not the smaller one of the fit.
TEST(FitCosts, TheErrorIsThatOfTheMeasurement) {
  auto samples = Programs({0.25, 0.5, 8, 2, 20, 1}, 200, 0.1);
  auto fit = FitCosts(samples, 1000);
  ASSERT_TRUE(fit.ok());
  EXPECT_NEAR(TypicalError(fit->left_out), 0.0674, 0.02);  // median of |N(0, 0.1)|
}

TEST(FitCosts, APartThatNoModelExplainsIsInTheError) {
  auto samples = Programs({1, 2, 4}, 60, 0);
  for (size_t s = 0; s < samples.size(); s += 2) samples[s].time *= 3;
  auto fit = FitCosts(samples, 1000);
  ASSERT_TRUE(fit.ok());
  EXPECT_GT(TypicalError(fit->left_out), 0.3);
}

TEST(FitCosts, CostsAreNeverNegative) {
  // The second class seems to save time.
  std::vector<CostSample> samples = {{"a", {10, 0}, 10}, {"b", {10, 5}, 8}, {"c", {20, 1}, 20}};
  auto fit = FitCosts(samples, 1000);
  ASSERT_TRUE(fit.ok());
  EXPECT_EQ(fit->costs[1], 0);
  EXPECT_GT(fit->costs[0], 0.8);
}

TEST(FitCosts, ClassesThatAlwaysOccurTogetherAndClassesThatNeverOccur) {
  std::vector<CostSample> samples;
  for (double n : {3.0, 10.0, 40.0}) samples.push_back({"s", {n, n, 0}, 6 * n});
  auto fit = FitCosts(samples, 1000);
  ASSERT_TRUE(fit.ok());
  EXPECT_NEAR(fit->costs[0] + fit->costs[1], 6, 0.01);
  EXPECT_EQ(fit->costs[2], 0);
}

TEST(FitCosts, RefusesWhatCannotBeFitted) {
  std::vector<CostSample> one = {{"a", {1}, 1}};
  EXPECT_FALSE(FitCosts(one, 1000).ok());
  std::vector<CostSample> timeless = {{"a", {1}, 1}, {"b", {1}, 0}};
  EXPECT_THAT(FitCosts(timeless, 1000).error().message, testing::HasSubstr("b has no time"));
  std::vector<CostSample> empty = {{"a", {0}, 1}, {"b", {0}, 1}};
  EXPECT_FALSE(FitCosts(empty, 1000).ok());
  std::vector<CostSample> uneven = {{"a", {1}, 1}, {"b", {1, 2}, 1}};
  EXPECT_FALSE(FitCosts(uneven, 1000).ok());
}

}  // namespace
}  // namespace assay::estimate
