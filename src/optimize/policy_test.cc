// The papers' rules on graphs made by hand.
#include "src/optimize/policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::optimize {
namespace {

using plan::Action;
using plan::Decision;

plan::MethodName Name(const std::string& class_name, const std::string& name = "f") {
  return {class_name, name, "(I)I"};
}

CallSite Site(double weight, std::vector<std::pair<std::string, double>> receivers,
              uint32_t bytes = 30, uint64_t samples = 100000) {
  CallSite site;
  site.caller = Name("Caller", "m" + std::to_string(static_cast<int>(weight * 1e8)));
  site.caller_bytes = 100;
  site.bci = 7;
  site.weight = weight;
  site.samples = samples;
  for (const auto& [name, share] : receivers) {
    site.targets.push_back({Name(name), bytes, share, 0});
    site.receivers.push_back({name, bytes, share, 0.001});
  }
  return site;
}

Decision Only(const Graph& graph, const std::string& policy) {
  auto plan = MakePlan(graph, policy);
  EXPECT_TRUE(plan.ok());
  EXPECT_EQ(plan->decisions.size(), 1u) << plan::PlanText(*plan);
  return plan->decisions.empty() ? Decision{} : plan->decisions[0];
}

Decision Only(CallSite site, const std::string& policy) {
  Graph graph;
  graph.sites.push_back(std::move(site));
  return Only(graph, policy);
}

TEST(Linear, SizeGrowsWithWeightUpToAMaximum) {
  Limits limits;
  EXPECT_EQ(AllowedBytes(limits, 0), 35u);
  EXPECT_EQ(AllowedBytes(limits, 0.01), 325u);
  EXPECT_EQ(AllowedBytes(limits, 0.005), 180u);
  EXPECT_EQ(AllowedBytes(limits, 0.5), 650u);
}

TEST(Linear, HotterSitesTakeLargerCallees) {
  EXPECT_EQ(Only(Site(0.005, {{"A", 1}}, 180), "linear").action, Action::kInline);
  EXPECT_EQ(Only(Site(0.005, {{"A", 1}}, 181), "linear").action, Action::kSkip);
  EXPECT_EQ(Only(Site(0.01, {{"A", 1}}, 181), "linear").action, Action::kInline);
  EXPECT_EQ(Only(Site(0.9, {{"A", 1}}, 651), "linear").action, Action::kSkip);
}

TEST(Linear, OnlyMoreThanFortyPercentIsGuarded) {
  Decision one = Only(Site(0.1, {{"A", 0.41}, {"B", 0.3}, {"C", 0.29}}), "linear");
  EXPECT_EQ(one.action, Action::kDevirtualize);
  EXPECT_THAT(one.guards, testing::ElementsAre("A"));
  Decision two = Only(Site(0.1, {{"A", 0.45}, {"B", 0.42}, {"C", 0.13}}), "linear");
  EXPECT_THAT(two.guards, testing::ElementsAre("A", "B"));
  EXPECT_EQ(Only(Site(0.1, {{"A", 0.40}, {"B", 0.35}, {"C", 0.25}}), "linear").action,
            Action::kSkip);
}

TEST(Linear, ColdSitesAreNotInlinedAlthoughSmall) {
  Graph graph;
  graph.sees_inlined_calls = true;
  graph.sites.push_back(Site(5e-7, {{"A", 1}}, 20));
  EXPECT_EQ(Only(graph, "linear").action, Action::kNoInline);
  // Trivial callees cost less than the call.
  graph.sites[0] = Site(5e-7, {{"A", 1}}, 5);
  EXPECT_TRUE(MakePlan(graph, "linear")->decisions.empty());
  // A profile of what was not inlined says nothing about cold sites.
  graph.sees_inlined_calls = false;
  graph.sites[0] = Site(5e-7, {{"A", 1}}, 20);
  EXPECT_TRUE(MakePlan(graph, "linear")->decisions.empty());
}

TEST(WeakStatic, LowersTheStaticSizeByThirtyPercent) {
  Graph graph;
  graph.sites.push_back(Site(0.01, {{"A", 1}}, 300));
  auto plan = MakePlan(graph, "weak-static");
  EXPECT_THAT(plan->flags, testing::ElementsAre("-XX:MaxInlineSize=24"));
  EXPECT_EQ(plan->decisions[0].action, Action::kInline);
}

TEST(JikesOld, OnePercentIsTheOnlyLimit) {
  EXPECT_EQ(Only(Site(0.0101, {{"A", 1}}, 325), "jikes-old").action, Action::kInline);
  Graph graph;
  graph.sites.push_back(Site(0.0099, {{"A", 1}}, 36));
  EXPECT_TRUE(MakePlan(graph, "jikes-old")->decisions.empty());
  // The distribution does not matter: two hot edges of three are guarded, whatever their share.
  Decision hot = Only(Site(0.1, {{"A", 0.35}, {"B", 0.33}, {"C", 0.32}}), "jikes-old");
  EXPECT_THAT(hot.guards, testing::ElementsAre("A", "B"));
}

TEST(Assay, LeavesTwoReceiversToTheJvm) {
  EXPECT_EQ(Only(Site(0.1, {{"A", 0.6}, {"B", 0.4}}), "assay").action, Action::kSkip);
  // One guard leaves two of three, two guards leave three of five.
  EXPECT_THAT(Only(Site(0.1, {{"A", 0.4}, {"B", 0.35}, {"C", 0.25}}), "assay").guards,
              testing::ElementsAre("A"));
  EXPECT_THAT(
      Only(Site(0.1, {{"A", 0.4}, {"B", 0.3}, {"C", 0.1}, {"D", 0.1}, {"E", 0.1}}), "assay").guards,
      testing::ElementsAre("A", "B"));
}

TEST(Assay, CountsOnlyWhatIsBeyondTheError) {
  CallSite site = Site(0.1, {{"A", 0.4}, {"B", 0.3}, {"C", 0.3}});
  site.receivers[0].error = 0.2;
  EXPECT_EQ(Only(site, "assay").action, Action::kSkip);
  site.receivers[0].error = 0.1;
  EXPECT_EQ(Only(site, "assay").action, Action::kDevirtualize);
  Graph few;
  few.sites.push_back(Site(0.1, {{"A", 0.8}, {"B", 0.1}, {"C", 0.1}}, 30, 5));
  EXPECT_TRUE(MakePlan(few, "assay")->decisions.empty());
}

TEST(Assay, LeavesSmallCalleesToTheJvm) {
  EXPECT_EQ(Only(Site(0.1, {{"A", 1}}, 35), "assay").action, Action::kSkip);
  EXPECT_EQ(Only(Site(0.1, {{"A", 1}}, 36), "assay").action, Action::kInline);
  EXPECT_EQ(Only(Site(0.1, {{"A", 1}}, 0), "assay").action, Action::kSkip);
}

TEST(Assay, ContextMakesFlatSitesPredictable) {
  CallSite flat = Site(0.1, {{"A", 0.2}, {"B", 0.2}, {"C", 0.2}, {"D", 0.2}, {"E", 0.2}});
  EXPECT_EQ(Only(flat, "assay").action, Action::kSkip);
  flat.predictable_by_context = 0.95;
  Decision guarded = Only(flat, "assay");
  EXPECT_EQ(guarded.action, Action::kDevirtualize);
  EXPECT_EQ(guarded.guards.size(), 2u);
  EXPECT_NE(guarded.reason.find("known by the caller"), std::string::npos);
}

TEST(EveryPolicy, RefusesWhatCannotBeGuarded) {
  for (const char* policy : {"assay", "linear", "jikes-old"}) {
    CallSite site = Site(0.1, {{"A", 0.6}, {"B", 0.2}, {"C", 0.2}});
    EXPECT_EQ(Only(site, policy).action, Action::kDevirtualize) << policy;
    site.caller_bytes = 320;
    EXPECT_EQ(Only(site, policy).action, Action::kSkip) << policy;
    site.caller_bytes = 7990;
    EXPECT_EQ(Only(site, policy).action, Action::kSkip) << policy;
    site.caller_bytes = 100;
    site.receivers[0].class_name = "A$$Lambda/0x1234";
    EXPECT_EQ(Only(site, policy).action, Action::kSkip) << policy;
  }
}

TEST(EveryPolicy, ItsPlanCanBeReadBack) {
  Graph graph;
  graph.sees_inlined_calls = true;
  graph.sites.push_back(Site(0.1, {{"A", 0.6}, {"B", 0.2}, {"C", 0.2}}));
  graph.sites.push_back(Site(0.05, {{"A", 1}}, 300));
  graph.sites.push_back(Site(5e-7, {{"A", 1}}, 20));
  for (const std::string& policy : PolicyNames()) {
    auto plan = MakePlan(graph, policy);
    ASSERT_TRUE(plan.ok());
    std::string text = plan::PlanText(*plan);
    auto again = plan::ParsePlan(text);
    ASSERT_TRUE(again.ok()) << again.error().message;
    EXPECT_EQ(plan::PlanText(*again), text);
  }
  EXPECT_FALSE(MakePlan(graph, "best").ok());
}

}  // namespace
}  // namespace assay::optimize
