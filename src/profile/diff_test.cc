#include "src/profile/diff.h"

#include <gtest/gtest.h>

#include <cmath>

#include "src/profile/test_profiles.h"

namespace assay::profile {
namespace {

// main calls f and g; each call of f costs 10 bytecodes, of g 1.
Profile Program(double f_calls, double g_calls, double variance = 0) {
  Profile profile;
  MethodId main = profile.InternMethod("C", "main", "()V");
  MethodId f = profile.InternMethod("C", "f", "()V"), g = profile.InternMethod("C", "g", "()V");
  NodeId top = profile.InternNode(kRootNode, kNoBci, main);
  profile.AddEdge(main, 1, f, 1, f_calls, variance);
  profile.AddEdge(main, 2, g, 1, g_calls, variance);
  ContextNode& in_f = profile.node(profile.InternNode(top, 1, f));
  in_f.calls = f_calls;
  in_f.self = 10 * f_calls;
  ContextNode& in_g = profile.node(profile.InternNode(top, 2, g));
  in_g.calls = g_calls;
  in_g.self = g_calls;
  profile.self_unit = "bytecodes";
  return profile;
}

TEST(DiffTest, NothingChanged) {
  Profile a = RandomProfile(1, 20, 100, 100);
  for (const Difference& difference : Diff(a, a, {})) {
    EXPECT_TRUE(difference.changes.empty());
    EXPECT_EQ(difference.Growth(), 0);
  }
  EXPECT_TRUE(OverLimit(Diff(a, a, {}), 0).empty());
}

TEST(DiffTest, NamesWhatGrew) {
  std::vector<Difference> all = Diff(Program(100, 900), Program(150, 900), {});
  ASSERT_EQ(all.size(), 5u);
  const Difference& edges = all[0];
  ASSERT_EQ(edges.changes.size(), 1u);
  EXPECT_DOUBLE_EQ(edges.Growth(), 0.05);
  EXPECT_DOUBLE_EQ(edges.Growth(edges.changes[0]), 0.05);
  EXPECT_EQ(edges.paired.common.edges()[edges.changes[0].id].bci, 1);
  // 1900 bytecodes before, 500 more: 26 %.
  EXPECT_NEAR(all[3].Growth(), 500.0 / 1900, 1e-12);
  EXPECT_EQ(all[3].measure, "bytecodes");
  EXPECT_TRUE(OverLimit(all, 0.27).empty());
  std::vector<Culprit> culprits = OverLimit(all, 0.20);
  ASSERT_EQ(culprits.size(), 4u);  // total and f, in methods and in contexts, by bytecodes only
  EXPECT_EQ(culprits[0].id, Culprit::kTotal);
  EXPECT_EQ(culprits[1].after, 1500);
}

TEST(DiffTest, GrowthHiddenByShrinkageIsFound) {
  std::vector<Difference> all = Diff(Program(100, 900), Program(200, 800), {});
  EXPECT_DOUBLE_EQ(all[0].Growth(), 0);
  std::vector<Culprit> culprits = OverLimit({all[0]}, 0.05);
  ASSERT_EQ(culprits.size(), 1u);
  EXPECT_DOUBLE_EQ(culprits[0].growth, 0.1);
}

TEST(DiffTest, NoiseIsNoGrowth) {
  // Deviation of the difference sqrt(2 * 5000) = 100; 150 more is within 1.96 of it.
  std::vector<Difference> all = Diff(Program(1000, 0, 5000), Program(1150, 0, 5000), {});
  EXPECT_FALSE(all[0].changes[0].significant);
  EXPECT_EQ(OverLimit({all[0]}, 0.05).size(), 1u);  // the total still grew
  all = Diff(Program(1000, 0, 5000), Program(1250, 0, 5000), {});
  EXPECT_TRUE(all[0].changes[0].significant);
}

TEST(DiffTest, SharesIgnoreTheLengthOfTheRun) {
  std::vector<Difference> all = Diff(Program(100, 900), Program(500, 4500), {.shares = true});
  for (const Difference& difference : all) {
    EXPECT_EQ(difference.Growth(), 0);
    for (const Change& change : difference.changes) EXPECT_NEAR(change.Delta(), 0, 1e-9);
  }
}

TEST(DiffTest, FromNothing) {
  std::vector<Difference> all = Diff(Profile(), Program(1, 1), {});
  EXPECT_TRUE(std::isinf(all[0].Growth()));
  EXPECT_FALSE(OverLimit(all, 10).empty());
  EXPECT_TRUE(OverLimit(Diff(Profile(), Profile(), {}), 0).empty());
}

}  // namespace
}  // namespace assay::profile
