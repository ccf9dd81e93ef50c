#include "src/estimate/inference.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "src/estimate/flow_table.h"

namespace assay::estimate {
namespace {

double Error(const std::vector<FlowProblem::Count>& counts, const std::vector<double>& truth) {
  double error = 0;
  for (size_t i = 0; i < truth.size(); i++) error += std::abs(counts[i].value - truth[i]);
  return error;
}

// Groups of two to five, counts from 10 to 10,000 calls; a part of them unequal by up to `factor`.
struct Made {
  FlowProblem problem;
  std::vector<double> truth;
};
Made Make(double unequal, double factor, uint64_t seed, int groups = 500) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  Made made;
  for (int g = 0; g < groups; g++) {
    double level = std::pow(10, 1 + 3 * uniform(random));
    bool differs = uniform(random) < unequal;
    std::vector<uint32_t> members;
    for (size_t i = 0; i < 2 + random() % 4; i++) {
      double truth = differs ? level * std::pow(factor, uniform(random)) : level;
      std::poisson_distribution<int> clusters(truth / 8);
      double value = 8.0 * std::max(1, clusters(random));
      members.push_back(static_cast<uint32_t>(made.truth.size()));
      made.truth.push_back(truth);
      made.problem.counts.push_back({value, value * 8 + 64});
    }
    made.problem.groups.push_back(members);
  }
  return made;
}

TEST(SolveFlow, EqualCountsGainALot) {
  Made made = Make(0, 1, 1);
  FlowSolution solution = SolveFlow(made.problem);
  EXPECT_LT(Error(solution.counts, made.truth), 0.75 * Error(made.problem.counts, made.truth));
}

// However many groups are unequal, and however much, it does not hurt.
TEST(SolveFlow, UnequalCountsDoNotLose) {
  for (double unequal : {0.2, 0.5, 1.0}) {
    for (double factor : {1.2, 1.5, 2.0, 5.0, 50.0}) {
      Made made = Make(unequal, factor, 7);
      FlowSolution solution = SolveFlow(made.problem);
      EXPECT_LT(Error(solution.counts, made.truth), 1.01 * Error(made.problem.counts, made.truth))
          << unequal << " of the groups differ by up to " << factor;
    }
  }
}

TEST(SolveFlow, KeepsTheSumOfAGroupAndShrinksItsErrors) {
  FlowProblem problem{.counts = {{100, 400}, {120, 400}, {7, 10}}, .groups = {{0, 1}}};
  FlowSolution solution = SolveFlow(problem);
  EXPECT_NEAR(solution.counts[0].value + solution.counts[1].value, 220, 1e-9);
  EXPECT_NEAR(solution.counts[0].value, solution.counts[1].value, 5);
  EXPECT_LT(solution.counts[0].variance, 400);
  EXPECT_EQ(solution.counts[2].value, 7);
  EXPECT_EQ(solution.joined, 1u);
}

TEST(SolveFlow, LeavesContradictionsAlone) {
  FlowProblem problem{.counts = {{1000, 100}, {10, 100}}, .groups = {{0, 1}}};
  FlowSolution solution = SolveFlow(problem);
  EXPECT_EQ(solution.counts[0].value, 1000);
  EXPECT_EQ(solution.counts[1].value, 10);
  EXPECT_EQ(solution.left, 1u);
}

// One loop that a few bursts fell into, beside calls that are rarely made: the first count is too uncertain to contradict.
TEST(SolveFlow, LeavesCountsFromUnlikeClustersAlone) {
  FlowProblem problem{.counts = {{900, 400'000}, {4, 8}, {2, 4}}, .groups = {{0, 1, 2}}};
  FlowSolution solution = SolveFlow(problem);
  EXPECT_EQ(solution.counts[0].value, 900);
  EXPECT_EQ(solution.counts[1].value, 4);
  EXPECT_EQ(solution.joined, 0u);
  EXPECT_EQ(solution.left, 0u);  // says nothing about the other groups
}

TEST(InferFlow, CalleesOfASiteKeepTheirProportions) {
  profile::Profile profile;
  auto f = profile.InternMethod("A", "f", "()V");
  auto g = profile.InternMethod("A", "g", "()V"), h = profile.InternMethod("A", "h", "()V");
  profile.AddEdge(f, 3, g, 9, 90, 900);
  profile.AddEdge(f, 3, h, 3, 30, 300);
  profile.AddEdge(f, 8, g, 10, 100, 1000);
  profile.AddEdge(g, 8, h, 10, 55, 1000);
  AddFlowGroup(profile, {f, true, {3, 8, 20}});
  InferFlow(profile);
  EXPECT_NEAR(profile.edges()[0].weight + profile.edges()[1].weight, 110, 1);
  EXPECT_NEAR(profile.edges()[0].weight, 3 * profile.edges()[1].weight, 1e-9);
  EXPECT_NEAR(profile.edges()[2].weight, 110, 1);
  EXPECT_EQ(profile.edges()[3].weight, 55);
}

TEST(InferFlow, RowsFromElsewhereAreHarmless) {
  profile::Profile profile;
  auto f = profile.InternMethod("A", "f", "()V");
  profile.AddEdge(f, 3, f, 9, 90, 900);
  profile.tables[kFlowTable].columns = {"method", "entry", "sites"};
  profile.tables[kFlowTable].rows = {{{"A.f()V", "", "3 x 99999999999 4"}, 0, 0},
                                     {{"A.nothing()V", "", "3"}, 0, 0},
                                     {{"A.f()V"}, 0, 0},
                                     {{"A.f()V", "entry", "3 3 3"}, 0, 0}};
  InferFlow(profile);
  EXPECT_EQ(profile.edges()[0].weight, 90);
}

}  // namespace
}  // namespace assay::estimate
