#include "src/profile/compare.h"

#include <gtest/gtest.h>

#include <cmath>

#include "src/profile/test_profiles.h"

namespace assay::profile {
namespace {

Profile TwoCalls(double one, double two) {
  Profile profile;
  MethodId m = profile.InternMethod("P0", "M", "()V");
  profile.AddEdge(m, 10, profile.InternMethod("P0", "call_1", "()V"), 1, one);
  profile.AddEdge(m, 13, profile.InternMethod("P0", "call_2", "()V"), 1, two);
  return profile;
}

// Figure 1 of P0: call_1 and call_2 are called equally often, but every timer sample is taken in
// the prologue of call_1. Half of the truth is there.
TEST(OverlapTest, FigureOneOfP0) {
  Profile truth = TwoCalls(1000, 1000);
  EXPECT_DOUBLE_EQ(Compare(truth, TwoCalls(77, 0)).call_sites.overlap, 50);
  EXPECT_DOUBLE_EQ(Compare(truth, TwoCalls(3, 1)).call_sites.overlap, 75);
  EXPECT_DOUBLE_EQ(Compare(truth, TwoCalls(8, 8)).call_sites.overlap, 100);
}

// The definition of P0, section 6.1, by hand. A: e1 50 %, e2 30 %, e3 20 %; B: e1 20 %, e2 40 %,
// e4 40 %. Common are e1 and e2: min(50, 20) + min(30, 40) = 50.
TEST(OverlapTest, ByHand) {
  Profile a, b;
  MethodId m[5], n[5];
  for (int i = 0; i < 5; ++i) m[i] = a.InternMethod("C", "m" + std::to_string(i), "()V");
  for (int i = 5; i-- > 0;) n[i] = b.InternMethod("C", "m" + std::to_string(i), "()V");
  a.AddEdge(m[0], 1, m[1], 0, 5);
  a.AddEdge(m[0], 2, m[2], 0, 3);
  a.AddEdge(m[0], 3, m[3], 0, 2);
  b.AddEdge(n[0], 1, n[1], 0, 100);
  b.AddEdge(n[0], 2, n[2], 0, 200);
  b.AddEdge(n[0], 4, n[4], 0, 200);
  Likeness sites = Compare(a, b).call_sites;
  EXPECT_DOUBLE_EQ(sites.overlap, 50);
  EXPECT_EQ(sites.common, 2u);
  EXPECT_EQ(sites.only_a, 1u);
  EXPECT_EQ(sites.only_b, 1u);
  // Weights 5 3 2 0 and 1 2 0 2 (times 100): means 2.5 and 1.25; covariance sum
  // 2.5*-0.25 + 0.5*0.75 + -0.5*-1.25 + -2.5*0.75 = -1.5; squares 13 and 2.75.
  EXPECT_NEAR(sites.correlation, -1.5 / std::sqrt(13 * 2.75), 1e-12);
}

TEST(OverlapTest, CallSitesCountForSitesAndNotForMethods) {
  Profile a, b;
  for (auto [profile, bci] : {std::pair(&a, 1), std::pair(&b, 2)}) {
    MethodId m = profile->InternMethod("C", "m", "()V");
    profile->AddEdge(m, bci, profile->InternMethod("C", "n", "()V"), 1, 10);
  }
  EXPECT_EQ(Compare(a, b).call_sites.overlap, 0);
  EXPECT_EQ(Compare(a, b).methods.overlap, 100);
}

// P3, section 6.3: relative computation effort per stack. Contexts a, a>b, a>c.
TEST(OverlapTest, ContextsOfP3) {
  auto make = [](double a, double b, double c, int bci) {
    Profile profile;
    NodeId top = profile.InternNode(kRootNode, kNoBci, profile.InternMethod("C", "a", "()V"));
    NodeId left = profile.InternNode(top, bci, profile.InternMethod("C", "b", "()V"));
    NodeId right = profile.InternNode(top, bci + 1, profile.InternMethod("C", "c", "()V"));
    profile.node(top).self = a;
    profile.node(left).self = b;
    profile.node(right).self = c;
    profile.self_unit = "bytecodes";
    return profile;
  };
  Profile exact = make(100, 300, 600, 5), sampled = make(2, 2, 6, 77);
  sampled.self_unit = "samples";
  Comparison result = Compare(exact, sampled);
  ASSERT_TRUE(result.contexts.has_value());
  EXPECT_NEAR(result.contexts->overlap, 10 + 20 + 60, 1e-9);
  // The same method under another caller is another context.
  Profile other;
  other.self_unit = "bytecodes";
  other.node(other.InternNode(kRootNode, kNoBci, other.InternMethod("C", "b", "()V"))).self = 1;
  EXPECT_EQ(Compare(exact, other).contexts->overlap, 0);
}

TEST(OverlapTest, Properties) {
  for (uint32_t seed = 0; seed < 20; ++seed) {
    Profile a = RandomProfile(seed, 4, 300, 200), b = RandomProfile(seed + 100, 4, 300, 200);
    Comparison ab = Compare(a, b), ba = Compare(b, a), aa = Compare(a, a);
    for (auto likeness : {&aa.call_sites, &aa.methods, &*aa.context_self, &*aa.context_calls}) {
      EXPECT_NEAR(likeness->overlap, 100, 1e-9);
      EXPECT_NEAR(likeness->correlation, 1, 1e-9);
      EXPECT_EQ(likeness->only_a + likeness->only_b, 0u);
    }
    auto symmetric = [](const Likeness& x, const Likeness& y) {
      EXPECT_NEAR(x.overlap, y.overlap, 1e-9);
      EXPECT_NEAR(x.correlation, y.correlation, 1e-9);
      EXPECT_EQ(x.only_a, y.only_b);
      EXPECT_GT(x.overlap, 0);
      EXPECT_LT(x.overlap, 100);
    };
    symmetric(ab.call_sites, ba.call_sites);
    symmetric(ab.methods, ba.methods);
    symmetric(*ab.contexts, *ba.contexts);
    EXPECT_LE(ab.call_sites.overlap, ab.methods.overlap + 1e-9);
    // Only shares count.
    Profile scaled = a;
    for (EdgeId id = 0; id < scaled.edges().size(); ++id) scaled.edge(id).weight *= 8;
    EXPECT_NEAR(Compare(scaled, b).call_sites.overlap, ab.call_sites.overlap, 1e-9);
  }
}

TEST(OverlapTest, DisjointAndEmpty) {
  Profile a = TwoCalls(1, 2), b;
  MethodId other = b.InternMethod("X", "x", "()V");
  b.AddEdge(other, 1, other, 1, 1);
  EXPECT_EQ(Compare(a, b).call_sites.overlap, 0);
  EXPECT_EQ(Compare(a, Profile()).call_sites.overlap, 0);
  EXPECT_EQ(Compare(Profile(), Profile()).call_sites.overlap, 100);
  EXPECT_TRUE(std::isnan(Compare(b, b).call_sites.correlation));  // one element does not vary
  EXPECT_FALSE(Compare(a, a).contexts.has_value());
}

}  // namespace
}  // namespace assay::profile
