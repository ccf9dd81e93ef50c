#include "src/report/join.h"

#include <gtest/gtest.h>

namespace assay::report {
namespace {

using profile::kRootNode;
using profile::MethodId;
using profile::NodeId;
using profile::Profile;

// Interned in another order in `b` than in `a`, so that ids differ.
Profile First() {
  Profile a;
  const MethodId main = a.InternMethod("A", "main", "()V");
  const MethodId hot = a.InternMethod("A", "hot", "()V");
  a.AddEdge(main, 3, hot, 90, 90);
  a.AddEdge(main, 8, main, 10, 10);
  return a;
}

Profile Second() {
  Profile b;
  const MethodId cold = b.InternMethod("A", "cold", "()V");
  const MethodId hot = b.InternMethod("A", "hot", "()V");
  const MethodId main = b.InternMethod("A", "main", "()V");
  b.AddEdge(hot, 1, cold, 5, 5);
  b.AddEdge(main, 3, hot, 95, 95);
  return b;
}

TEST(Join, OneProfileIsItsOwnFrame) {
  const Profile a = First();
  const Join join({&a});
  EXPECT_EQ(&join.frame(), &a);
  EXPECT_EQ(join.EdgeIn(0, 1), &a.edges()[1]);
}

TEST(Join, MatchesByNameNotById) {
  const Profile a = First(), b = Second();
  const Join join({&a, &b});
  ASSERT_EQ(join.frame().edges().size(), 3u);
  ASSERT_EQ(join.frame().methods().size(), 4u);
  EXPECT_EQ(join.EdgeIn(0, 0)->weight, 90);
  EXPECT_EQ(join.EdgeIn(1, 0)->weight, 95);
  EXPECT_EQ(join.EdgeIn(0, 1)->weight, 10);
  EXPECT_EQ(join.EdgeIn(1, 1), nullptr);
  EXPECT_EQ(join.EdgeIn(0, 2), nullptr);
  EXPECT_EQ(join.EdgeIn(1, 2)->weight, 5);
}

TEST(Join, KeepsTheEdgesThatAreHotInEither) {
  const Profile a = First(), b = Second();
  const Join join({&a, &b});
  EXPECT_EQ(join.HottestEdges(10), (std::vector<profile::EdgeId>{0, 1, 2}));
  EXPECT_EQ(join.HottestEdges(2), (std::vector<profile::EdgeId>{0, 1}));
  EXPECT_TRUE(join.HottestEdges(0).empty());
}

// root -> a(self 1) -> b(5) -> d(1); root -> c(20)
Profile Tree() {
  Profile p;
  const MethodId m = p.InternMethod("T", "m", "()V");
  const NodeId a = p.InternNode(kRootNode, -1, m);
  const NodeId b = p.InternNode(a, 1, m);
  const NodeId c = p.InternNode(kRootNode, 2, m);
  const NodeId d = p.InternNode(b, 3, m);
  p.node(a).self = 1;
  p.node(b).self = 5;
  p.node(c).self = 20;
  p.node(d).self = 1;
  return p;
}

TEST(Contexts, DepthFirstHottestChildFirst) {
  const Profile p = Tree();
  const ContextTree tree = HottestContexts(Join({&p}), 100);
  EXPECT_EQ(tree.node, (std::vector<NodeId>{3, 1, 2, 4}));
  EXPECT_EQ(tree.depth, (std::vector<uint32_t>{0, 0, 1, 2}));
  EXPECT_EQ(tree.values[0][1].total_self, 7);
  EXPECT_EQ(tree.cut, 0u);
}

TEST(Contexts, WhatIsCutStaysInTheTotals) {
  const Profile p = Tree();
  const ContextTree tree = HottestContexts(Join({&p}), 2);
  EXPECT_EQ(tree.node, (std::vector<NodeId>{3, 1}));
  EXPECT_EQ(tree.cut, 2u);
  EXPECT_EQ(tree.values[0][1].self, 1);
  EXPECT_EQ(tree.values[0][1].total_self, 7);
}

TEST(Contexts, DeepRecursionIsNoProblem) {
  Profile p;
  const MethodId m = p.InternMethod("T", "m", "()V");
  NodeId node = kRootNode;
  for (int i = 0; i < 200'000; ++i) node = p.InternNode(node, 1, m);
  p.node(node).self = 1;
  const ContextTree tree = HottestContexts(Join({&p}), 1'000'000);
  EXPECT_EQ(tree.depth.back(), 199'999u);
  EXPECT_EQ(tree.values[0][0].total_self, 1);
}

TEST(Contexts, TwoTreesLieOverEachOther) {
  const Profile a = Tree();
  Profile b;
  const MethodId m = b.InternMethod("T", "m", "()V");
  b.node(b.InternNode(kRootNode, 2, m)).self = 4;
  b.node(b.InternNode(kRootNode, 9, m)).self = 4;
  const Join join({&a, &b});
  const ContextTree tree = HottestContexts(join, 100);
  ASSERT_EQ(tree.node.size(), 5u);
  double sums[2] = {0, 0};
  for (size_t i = 0; i < tree.node.size(); ++i) {
    sums[0] += tree.values[0][i].self;
    sums[1] += tree.values[1][i].self;
  }
  EXPECT_EQ(sums[0], 27);
  EXPECT_EQ(sums[1], 8);
}

}  // namespace
}  // namespace assay::report
