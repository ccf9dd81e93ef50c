#include "src/profile/hidden_classes.h"

#include <gtest/gtest.h>

#include "src/profile/aggregate.h"
#include "src/profile/compare.h"

namespace assay::profile {
namespace {

// Two sites call lambda objects of one class, which call two methods.
class HiddenClassesTest : public testing::Test {
 protected:
  MethodId Method(const char* class_name, const char* name) { return seen_.InternMethod(class_name, name, "()V"); }
  void SetUp() override {
    seen_.metadata["collect"] = "calls";
    seen_.AddEdge(sort_, 7, compare_, 10, 30);
    seen_.AddEdge(sort_, 9, compare_, 10, 10);
    seen_.AddEdge(compare_, 4, first_, 10, 20);
    seen_.AddEdge(compare_, 4, second_, 10, 20);
    seen_.AddEdge(first_, 1, second_, 5, 5);
  }
  double Weight(const Profile& profile, MethodId caller, int32_t bci, MethodId callee) {
    for (const Edge& edge : profile.edges()) {
      if (edge.caller == caller && edge.bci == bci && edge.callee == callee) return edge.weight;
    }
    return 0;
  }
  Profile seen_;
  MethodId sort_ = Method("List", "sort"), compare_ = Method("App$$Lambda", "compare"), first_ = Method("App", "lambda$1"),
           second_ = Method("App", "lambda$2");
};

TEST_F(HiddenClassesTest, ACallOfALambdaObjectIsACallOfWhatItCalls) {
  Profile folded = WithoutHiddenClasses(seen_);
  EXPECT_EQ(folded.edges().size(), 5u);
  EXPECT_DOUBLE_EQ(Weight(folded, sort_, 7, first_), 15);
  EXPECT_DOUBLE_EQ(Weight(folded, sort_, 7, second_), 15);
  EXPECT_DOUBLE_EQ(Weight(folded, sort_, 9, first_), 5);
  EXPECT_DOUBLE_EQ(Weight(folded, first_, 1, second_), 5);
}

TEST_F(HiddenClassesTest, ChainsAndRecursionOfHiddenMethodsEnd) {
  MethodId form = Method("java.lang.invoke.LambdaForm$MH", "invoke");
  seen_.AddEdge(compare_, 8, form, 1, 40);
  seen_.AddEdge(form, 2, first_, 1, 40);
  seen_.AddEdge(form, 3, form, 1, 7);
  seen_.AddEdge(compare_, 9, compare_, 1, 7);
  Profile folded = WithoutHiddenClasses(seen_);
  EXPECT_DOUBLE_EQ(Weight(folded, sort_, 7, first_), 15 + 30);
  for (const Edge& edge : folded.edges()) EXPECT_TRUE(edge.caller == sort_ || edge.caller == first_);
}

TEST_F(HiddenClassesTest, KnowsThoseOfTheJdkAndLeavesProxiesOfOthersAlone) {
  for (const char* hidden : {"java.lang.String$$StringConcat", "java.text.DecimalFormat$$TypeSwitch", "App$$Lambda$27"}) {
    MethodId made = Method(hidden, "run");
    seen_.AddEdge(sort_, 30, made, 1, 4);
    seen_.AddEdge(made, 2, first_, 1, 4);
    EXPECT_EQ(Weight(WithoutHiddenClasses(seen_), sort_, 30, made), 0) << hidden;
  }
  MethodId proxy = Method("App$$EnhancerByCGLIB$$1", "run");
  seen_.AddEdge(sort_, 40, proxy, 1, 4);
  seen_.AddEdge(proxy, 2, first_, 1, 4);
  EXPECT_DOUBLE_EQ(Weight(WithoutHiddenClasses(seen_), sort_, 40, proxy), 4);
}

TEST_F(HiddenClassesTest, AMethodThatCallsNothingStays) {
  MethodId constant = Method("App$$Lambda", "get");
  seen_.AddEdge(sort_, 20, constant, 1, 3);
  EXPECT_DOUBLE_EQ(Weight(WithoutHiddenClasses(seen_), sort_, 20, constant), 3);
}

TEST_F(HiddenClassesTest, ContextsBelowOneAreBelowItsCaller) {
  Profile contexts;
  MethodId sort = contexts.InternMethod("List", "sort", "()V"), compare = contexts.InternMethod("App$$Lambda", "compare", "()V"),
           body = contexts.InternMethod("App", "lambda$1", "()V");
  NodeId top = contexts.InternNode(kRootNode, kNoBci, sort), middle = contexts.InternNode(top, 7, compare), last = contexts.InternNode(middle, 4, body);
  contexts.node(middle).self = 2;
  contexts.node(last).calls = 5;
  contexts.node(last).self = 3;
  Profile folded = WithoutHiddenClasses(contexts);
  ASSERT_EQ(folded.nodes().size(), 3u);
  EXPECT_EQ(folded.nodes()[1].self, 2);
  EXPECT_EQ(folded.nodes()[2].method, body);
  EXPECT_EQ(folded.nodes()[2].parent, 1u);
  EXPECT_EQ(folded.nodes()[2].bci, 7);
  EXPECT_EQ(folded.nodes()[2].calls, 5);
}

TEST_F(HiddenClassesTest, ComparingWithExactCountsLooksThroughThem) {
  Profile exact = WithoutHiddenClasses(seen_);
  exact.metadata["collect"] = "exact";
  EXPECT_DOUBLE_EQ(Compare(exact, seen_).call_sites.overlap, 100);
  EXPECT_DOUBLE_EQ(Compare(seen_, exact).methods.overlap, 100);
  exact.metadata["collect"] = "calls";
  EXPECT_LT(Compare(exact, seen_).call_sites.overlap, 20);
}

}  // namespace
}  // namespace assay::profile
