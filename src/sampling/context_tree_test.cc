#include "src/sampling/context_tree.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace assay::sampling {
namespace {

TEST(ContextTreeTest, KeepsContextsApart) {
  ContextTree tree;
  uint32_t a = tree.Child(ContextTree::kRoot, -1, 1);
  uint32_t ab = tree.Child(a, 3, 2);
  EXPECT_EQ(tree.Child(a, 3, 2), ab);
  EXPECT_NE(tree.Child(a, 4, 2), ab);
  EXPECT_NE(tree.Child(ab, 3, 2), ab);  // recursion is not folded
  EXPECT_EQ(tree.node(ab).parent, a);
}

TEST(ContextTreeTest, NodesAndEdgesAreInOrderAtAnyTime) {
  ContextTree tree;
  std::mt19937 random(1);
  for (int i = 0; i < 200; i++) tree.Child(ContextTree::kRoot, -1, i);
  for (int round = 0; round < 5000; round++) {
    tree.AddTime(1 + random() % 200, random() % 4, 1);
    tree.AddActivation(1 + random() % 200);
    if (round % 500 != 0) continue;
    const auto& nodes = tree.by_time();
    const auto& edges = tree.by_activations();
    ASSERT_EQ(nodes.size(), 201u);
    ASSERT_EQ(edges.size(), 201u);
    EXPECT_EQ(std::set<uint32_t>(nodes.begin(), nodes.end()).size(), nodes.size());
    EXPECT_EQ(std::set<uint32_t>(edges.begin(), edges.end()).size(), edges.size());
    for (size_t i = 1; i < nodes.size(); i++) {
      ASSERT_GE(tree.node(nodes[i - 1]).self_ns, tree.node(nodes[i]).self_ns);
      ASSERT_GE(tree.node(edges[i - 1]).activations, tree.node(edges[i]).activations);
    }
  }
}

TEST(ContextTreeTest, PurgeKeepsWhatIsCalledOftenToo) {
  ContextTree tree;
  for (uint32_t i = 1; i <= 100; i++) {
    uint32_t slow = tree.Child(ContextTree::kRoot, -1, i);
    tree.AddTime(slow, 1000 + i, 1);
  }
  uint32_t frequent = tree.Child(ContextTree::kRoot, -1, 1000);
  for (int i = 0; i < 50; i++) tree.AddActivation(frequent);
  auto renamed = tree.Purge(20, {});
  EXPECT_EQ(tree.size(), 20u);
  ASSERT_NE(renamed[frequent], ContextTree::kGone);
  EXPECT_EQ(tree.by_activations().front(), renamed[frequent]);
  EXPECT_EQ(tree.node(tree.by_time().front()).method, 100u);
  EXPECT_EQ(tree.purged_nodes(), 82u);
}

TEST(ContextTreeTest, WeightsHalve) {
  ContextTree tree;
  tree.SetHalfLife(1000, 0);
  uint32_t old = tree.Child(ContextTree::kRoot, -1, 1);
  tree.AddTime(old, 8, 1);
  tree.Advance(3000);
  uint32_t fresh = tree.Child(ContextTree::kRoot, -1, 2);
  tree.AddTime(fresh, 2, 1);
  EXPECT_NEAR(tree.node(old).self_ns * tree.Factor(), 1, 1e-9);
  EXPECT_NEAR(tree.node(fresh).self_ns * tree.Factor(), 2, 1e-9);
  EXPECT_EQ(tree.by_time().front(), fresh);
  tree.Advance(3000 + 1000ull * 100000);  // far beyond what a double can count up to
  tree.AddTime(old, 5, 1);
  EXPECT_NEAR(tree.node(old).self_ns * tree.Factor(), 5, 1e-9);
  EXPECT_NEAR(tree.node(fresh).self_ns * tree.Factor(), 0, 1e-9);
}

TEST(ContextTreeTest, PurgeKeepsTheHeavyAndThePinned) {
  ContextTree tree;
  uint32_t a = tree.Child(ContextTree::kRoot, -1, 1);
  uint32_t heavy = tree.Child(a, 1, 2);
  uint32_t light = tree.Child(a, 2, 3);
  uint32_t pinned = tree.Child(light, 5, 4);
  uint32_t other = tree.Child(a, 9, 5);
  tree.AddTime(heavy, 100, 1);
  tree.AddTime(other, 1, 1);
  auto renamed = tree.Purge(5, std::vector<uint32_t>{pinned});
  EXPECT_EQ(tree.size(), 5u);
  EXPECT_EQ(renamed[other], ContextTree::kGone);
  EXPECT_EQ(tree.purged_nodes(), 1u);
  EXPECT_DOUBLE_EQ(tree.purged_ns(), 1);
  EXPECT_EQ(tree.Child(renamed[a], 1, 2), renamed[heavy]);
  EXPECT_EQ(tree.node(renamed[pinned]).parent, renamed[light]);
  EXPECT_EQ(tree.by_time().front(), renamed[heavy]);
  EXPECT_EQ(tree.Child(renamed[a], 9, 5), 5u);  // comes back as a new one
}

TEST(ContextTreeTest, WhatFadedGoesAndIsNotCountedAsLost) {
  constexpr uint64_t kSecond = 1000000000;
  ContextTree tree;
  tree.SetHalfLife(kSecond, 0);
  uint32_t held = tree.Child(ContextTree::kRoot, -1, 1);
  size_t most = 0;
  for (uint64_t second = 1; second <= 200; second++) {
    for (int i = 0; i < 50; i++) {
      uint32_t fresh = tree.Child(held, i, static_cast<uint32_t>(second));
      tree.AddTime(fresh, 1e6, 1);
      tree.AddActivation(fresh);
    }
    tree.Advance(second * kSecond);
    ASSERT_TRUE(tree.FadingIsDue());
    held = tree.Purge(1000000, std::vector<uint32_t>{held})[held];
    ASSERT_FALSE(tree.FadingIsDue());
    most = std::max(most, tree.size());
  }
  EXPECT_LE(most, 2 + 11 * 50u);
  EXPECT_GE(most, 2 + 9 * 50u);
  EXPECT_EQ(tree.purged_nodes(), 0u);
  EXPECT_EQ(tree.nodes_made(), 1 + 200 * 50u);
  EXPECT_LT(tree.MemoryBytes(), 200000u);
}

TEST(ContextTreeTest, RestartKeepsWhatIsOnAStack) {
  ContextTree tree;
  uint32_t a = tree.Child(ContextTree::kRoot, -1, 1);
  uint32_t b = tree.Child(a, 1, 2);
  uint32_t on_stack = tree.Child(a, 2, 3);
  tree.AddTime(b, 7, 1);
  tree.AddTime(on_stack, 5, 1);
  tree.node(b).in_profile = tree.node(on_stack).in_profile = 9;
  auto renamed = tree.Restart(std::vector<uint32_t>{on_stack});
  EXPECT_EQ(tree.size(), 3u);
  EXPECT_EQ(renamed[b], ContextTree::kGone);
  EXPECT_EQ(tree.node(renamed[on_stack]).parent, renamed[a]);
  EXPECT_EQ(tree.node(renamed[on_stack]).self_ns, 0);
  EXPECT_EQ(tree.node(renamed[on_stack]).in_profile, 0u);
  EXPECT_EQ(tree.purged_nodes(), 0u);
  // Of no weight and on no stack any more: nothing is lost with it.
  tree.AddTime(tree.Child(ContextTree::kRoot, -1, 8), 1, 1);
  tree.Purge(2, {});
  EXPECT_EQ(tree.size(), 2u);
  EXPECT_EQ(tree.purged_nodes(), 0u);
}

}  // namespace
}  // namespace assay::sampling
