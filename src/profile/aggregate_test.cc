#include "src/profile/aggregate.h"

#include <gtest/gtest.h>

#include "src/profile/test_profiles.h"

namespace assay::profile {
namespace {

TEST(AggregateTest, RecursionCountsOnceInTotals) {
  Profile profile;
  MethodId f = profile.InternMethod("C", "f", "()V"), g = profile.InternMethod("C", "g", "()V");
  NodeId outer = profile.InternNode(kRootNode, kNoBci, f);
  NodeId middle = profile.InternNode(outer, 1, g);
  NodeId inner = profile.InternNode(middle, 2, f);
  NodeId again = profile.InternNode(kRootNode, kNoBci, g);
  profile.node(outer).self = 1;
  profile.node(middle).self = 10;
  profile.node(inner).self = 100;
  profile.node(again).self = 1000;
  std::vector<MethodTotals> totals = TotalsByMethod(profile);
  EXPECT_EQ(totals[f].self, 101);
  EXPECT_EQ(totals[f].total, 111);
  EXPECT_EQ(totals[g].self, 1010);
  EXPECT_EQ(totals[g].total, 1110);
  EXPECT_EQ(InclusiveSelf(profile)[kRootNode], 1111);
}

TEST(AggregateTest, EdgesOfATree) {
  Profile profile;
  MethodId f = profile.InternMethod("C", "f", "()V"), g = profile.InternMethod("C", "g", "()V");
  for (int i = 0; i < 3; ++i) {
    NodeId top = profile.InternNode(kRootNode, i, f);
    profile.node(top).calls = 1;
    profile.node(profile.InternNode(top, 7, g)).calls = 10;
  }
  std::vector<Edge> edges = CallEdges(profile);
  ASSERT_EQ(edges.size(), 4u);
  EXPECT_EQ(edges[0].caller, 0u);
  EXPECT_EQ(edges[3].weight, 30);
  profile.AddEdge(f, 7, g, 5, 5);
  EXPECT_EQ(CallEdges(profile).size(), 1u);  // its own edges win
}

TEST(AggregateTest, SitesListReceiversHeaviestFirst) {
  Profile profile;
  MethodId m = profile.InternMethod("C", "m", "()V");
  MethodId a = profile.InternMethod("A", "x", "()V"), b = profile.InternMethod("B", "x", "()V");
  profile.AddEdge(m, 5, a, 1, 10, 4);
  profile.AddEdge(m, 5, b, 2, 30, 5);
  profile.AddEdge(m, 9, a, 3, 1);
  std::vector<Site> sites = CallSites(profile);
  ASSERT_EQ(sites.size(), 2u);
  EXPECT_EQ(sites[0].bci, 5);
  EXPECT_EQ(sites[0].weight, 40);
  EXPECT_EQ(sites[0].variance, 9);
  EXPECT_EQ(sites[0].callees[0].callee, b);
}

TEST(AggregateTest, LinesNeedNotBeSorted) {
  Profile profile = FullProfile();
  const Method& main = profile.method(2);
  EXPECT_EQ(LineOf(main, 0), 10);
  EXPECT_EQ(LineOf(main, 9), 12);
  EXPECT_EQ(LineOf(main, 25), 11);
  EXPECT_EQ(LineOf(main, kNoBci), 0);
  Method unsorted;
  unsorted.lines = {{10, 5}, {0, 3}};
  EXPECT_EQ(LineOf(unsorted, 12), 5);
  EXPECT_EQ(LineOf(unsorted, 3), 3);
}

TEST(AggregateTest, ErrorIsTheHalfWidthOf95Percent) {
  EXPECT_NEAR(RelativeError(100, 25), 0.098, 1e-4);
  EXPECT_EQ(RelativeError(0, 25), 0);
}

}  // namespace
}  // namespace assay::profile
