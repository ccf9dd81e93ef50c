#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "src/optimize/compile_log.h"
#include "src/optimize/directives.h"
#include "src/optimize/graph.h"
#include "src/optimize/inline_replay.h"
#include "src/optimize/policy.h"
#include "src/optimize/trial.h"

namespace assay::optimize {
namespace {

profile::Profile Polymorphic() {
  profile::Profile profile;
  profile.metadata["collect"] = "calls";
  auto loop = profile.InternMethod("a.Loop", "run", "()V");
  profile.method(loop).code_bytes = 40;
  const double kWeights[] = {600, 250, 150};
  for (int i = 0; i < 3; ++i) {
    auto callee = profile.InternMethod("a.S" + std::to_string(i), "step", "(I)I");
    profile.method(callee).code_bytes = 9;
    profile.AddEdge(loop, 12, callee, static_cast<uint64_t>(kWeights[i]), kWeights[i], 100);
  }
  auto native = profile.InternMethod("", profile::kNativeCaller, "");
  profile.AddEdge(native, profile::kNoBci, loop, 1, 1);
  return profile;
}

TEST(Graph, SitesHaveTheirReceiversWithErrors) {
  Graph graph = GraphOf(Polymorphic());
  ASSERT_EQ(graph.sites.size(), 1u);
  const CallSite& site = graph.sites[0];
  EXPECT_EQ(site.caller.ToString(), "a.Loop.run()V");
  EXPECT_EQ(site.bci, 12);
  EXPECT_EQ(site.caller_bytes, 40u);
  EXPECT_NEAR(site.weight, 1000.0 / 1001, 1e-12);
  ASSERT_EQ(site.receivers.size(), 3u);
  EXPECT_EQ(site.receivers[0].class_name, "a.S0");
  EXPECT_DOUBLE_EQ(site.receivers[0].share, 0.6);
  EXPECT_NEAR(site.receivers[0].error, 1.96 * 0.0155, 1e-3);
  EXPECT_FALSE(graph.sees_inlined_calls);
}

// A burst takes hundreds of samples in a row: where two or three made the profile of a site, their
// number says nothing about how well the shares are known, and the variance does.
TEST(Graph, ManySamplesOfFewBurstsAreNotManyProofs) {
  profile::Profile profile;
  auto loop = profile.InternMethod("a.Loop", "run", "()V");
  profile.method(loop).code_bytes = 40;
  const double kWeights[] = {500, 250, 250};
  for (int i = 0; i < 3; ++i) {
    auto callee = profile.InternMethod("a.S" + std::to_string(i), "step", "(I)I");
    profile.method(callee).code_bytes = 9;
    double deviation = kWeights[i] / 2;
    profile.AddEdge(loop, 12, callee, 10000, kWeights[i], deviation * deviation);
  }
  Graph graph = GraphOf(profile);
  // Of 0.5 +- 0.49 and 0.5 +- 0.35: half of each counts.
  EXPECT_NEAR(graph.sites[0].receivers[0].error, 0.5 * 1.96 * std::hypot(0.25, 0.125, 0.125), 1e-3);
  EXPECT_EQ(MakePlan(graph, "assay")->CountOf(plan::Action::kDevirtualize), 0u);
}

// Seen in rhino: two static methods of one class at one place.
TEST(Graph, OtherMethodsAtTheSamePlaceAreNoReceivers) {
  profile::Profile profile = Polymorphic();
  auto loop = profile.FindMethod("a.Loop", "run", "()V");
  profile.AddEdge(loop, 12, profile.InternMethod("a.S0", "other", "(I)I"), 300, 300, 100);
  Graph graph = GraphOf(profile);
  ASSERT_EQ(graph.sites[0].receivers.size(), 3u);
  std::string text = plan::PlanText(*MakePlan(graph, "assay"));
  EXPECT_TRUE(plan::ParsePlan(text).ok()) << text;
}

TEST(Graph, RecordedReceiversReplaceDerivedOnes) {
  profile::Profile profile = Polymorphic();
  profile.tables["receivers"] = {{"method", "bci", "call", "class"},
                                 {{{"a.Loop.run()V", "12", "a.S.step(I)I", "a.Sub"}, 90, 90},
                                  {{"a.Loop.run()V", "12", "a.S.step(I)I", "a.S1"}, 10, 10}}};
  Graph graph = GraphOf(profile);
  ASSERT_EQ(graph.sites.size(), 1u);
  ASSERT_EQ(graph.sites[0].receivers.size(), 2u);
  EXPECT_EQ(graph.sites[0].receivers[0].class_name, "a.Sub");
  EXPECT_TRUE(graph.sites[0].receivers_seen);
}

TEST(Graph, KnowsWhenTheContextPredicts) {
  profile::Profile profile;
  auto site = profile.InternMethod("a.Loop", "run", "()V");
  for (int i = 0; i < 4; ++i) {
    auto caller = profile.InternMethod("a.Main", "c" + std::to_string(i), "()V");
    auto callee = profile.InternMethod("a.S" + std::to_string(i), "step", "(I)I");
    auto outer = profile.InternNode(profile::kRootNode, profile::kNoBci, caller);
    auto middle = profile.InternNode(outer, 3, site);
    profile.node(profile.InternNode(middle, 12, callee)).calls = 100;
  }
  Graph graph = GraphOf(profile);
  for (const CallSite& each : graph.sites) {
    if (each.bci != 12) continue;
    EXPECT_DOUBLE_EQ(each.predictable_by_context, 1);
  }
}

TEST(Graph, TheSameProfileGivesTheSamePlan) {
  std::string first = plan::PlanText(*MakePlan(GraphOf(Polymorphic()), "assay"));
  EXPECT_EQ(plan::PlanText(*MakePlan(GraphOf(Polymorphic()), "assay")), first);
  EXPECT_NE(first.find("devirtualize a.Loop.run()V@12 code=40 call=step(I)I guard=a.S0 "),
            std::string::npos)
      << first;
}

plan::Decision Inline(const std::string& from, const std::string& to, double weight,
                      plan::Action action = plan::Action::kInline) {
  plan::Decision decision;
  decision.action = action;
  decision.caller = {"p." + from, "m", "()V"};
  decision.callee = {"p." + to, "m", "()V"};
  decision.weight = weight;
  return decision;
}

TEST(Directives, NameRootsAndCallees) {
  plan::Plan plan;
  plan.decisions = {Inline("A", "B", 0.1), Inline("B", "C", 0.1),
                    Inline("A", "D", 0, plan::Action::kNoInline)};
  Directives directives = DirectivesOf(plan);
  EXPECT_EQ(directives.count, 2u);
  // C is inlined into B, and so below A.
  EXPECT_NE(directives.json.find("\"p/A.m()V\""), std::string::npos) << directives.json;
  EXPECT_NE(directives.json.find("\"+p/C.m()V\""), std::string::npos);
  EXPECT_NE(directives.json.find("\"-p/D.m()V\""), std::string::npos);
}

// HotSpot's parser knows no escapes and stops the JVM at a name it does not like.
TEST(Directives, NamesAreWrittenAsTheyAre) {
  plan::Plan plan;
  plan.decisions = {Inline("A", "B", 0.1), Inline("A", "C", 0.1), Inline("A", "D", 0.1)};
  plan.decisions[0].callee.name = "<init>";
  plan.decisions[1].callee.name = "lambda-1";
  plan.decisions[2].callee.name = "q\"";
  std::string json = DirectivesOf(plan).json;
  EXPECT_NE(json.find("[\"+p/B.<init>()V\"]"), std::string::npos) << json;
}

// The JVM would take "log" for a compile command and refuse to start.
TEST(Directives, LeaveOutWhatTheJvmCannotRead) {
  plan::Plan plan;
  plan.decisions = {Inline("A", "B", 0.1), Inline("A", "C", 0.1), Inline("A", "D", 0.1),
                    Inline("E", "F", 0.1)};
  plan.decisions[0].callee.name = "log";
  plan.decisions[1].callee.class_name = std::string(256, 'c');
  plan.decisions[3].caller.name = "Print";
  Directives directives = DirectivesOf(plan);
  EXPECT_EQ(directives.count, 1u);
  EXPECT_NE(directives.json.find("inline: [\"+p/D.m()V\"]"), std::string::npos) << directives.json;
  EXPECT_THAT(directives.unnameable, testing::SizeIs(3));
  EXPECT_THAT(directives.unnameable, testing::Contains("p.B.log()V"));
}

TEST(Directives, AtMostWhatTheJvmTakesAndEqualListsShareOne) {
  plan::Plan plan;
  for (int i = 0; i < 60; ++i) plan.decisions.push_back(Inline("A" + std::to_string(i), "B", 0.1));
  EXPECT_EQ(DirectivesOf(plan).count, 1u);
  plan.decisions.clear();
  for (int i = 0; i < 60; ++i) {
    plan.decisions.push_back(Inline("A" + std::to_string(i), "B" + std::to_string(i), 0.001 * i));
  }
  Directives many = DirectivesOf(plan);
  EXPECT_EQ(many.count, kMostDirectives);
  EXPECT_EQ(many.dropped.size(), 60 - kMostDirectives);
  EXPECT_THAT(many.dropped, testing::Contains("p.A0.m()V"));
  EXPECT_TRUE(DirectivesOf({}).json.empty());
}

TEST(Trial, SeesAGainAndNoneWhereThereIsNone) {
  Trial faster;
  Trial same;
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(faster.verdict(), Verdict::kUndecided);
    faster.Add(100 + i % 3, 90 + i % 2);
    same.Add(100 + i % 3, 101);
  }
  EXPECT_EQ(faster.verdict(), Verdict::kFaster);
  EXPECT_TRUE(faster.Finished());
  EXPECT_NE(same.verdict(), Verdict::kFaster);
  Interval interval = faster.interval();
  EXPECT_LT(interval.low, interval.median);
  EXPECT_LE(interval.median, interval.high);
  EXPECT_EQ(faster.interval().low, interval.low);
}

// Lines of a log of JDK 25.
constexpr char kLog[] =
    "<task compile_id='1' method='a.Loop run ()V' level='3' stamp='0.1'>\n"
    "<klass id='10' name='a.Loop' flags='1'/>\n"
    "<method id='11' holder='10' name='run' return='9' flags='1'/>\n"
    "<parse method='11' uses='1'>\n<parse method='11' uses='1'>\n</parse>\n</parse>\n</task>\n"
    "<task compile_id='2' method='a.Loop run ()V' stamp='0.1'>\n"
    "<klass id='10' name='a.Loop' flags='1'/>\n"
    "<klass id='20' name='a.S0' flags='1'/>\n"
    "<method id='11' holder='10' name='run' return='9' flags='1'/>\n"
    "<method id='21' holder='20' name='&lt;init&gt;' return='9' flags='1'/>\n"
    "<method id='22' holder='20' name='step' return='9' flags='1'/>\n"
    "<parse method='11' uses='108.000000' stamp='0.081'>\n"
    "<bc code='182' bci='25'/>\n"
    "<call method='22' count='48332' virtual='1' inline='1'/>\n"
    "<inline_fail reason='virtual call'/>\n"
    "<bc code='183' bci='30'/>\n"
    "<call method='21' count='1' inline='1'/>\n"
    "<inline_success reason='inline (hot)'/>\n"
    "<parse method='21' uses='1'>\n<bc code='177' bci='4'/>\n<parse_done nodes='206'/>\n</parse>\n"
    "<parse method='22' uses='1'>\n</parse>\n"
    "<bc code='185' bci='40'/>\n"
    "<call method='22' count='4' virtual='1'/>\n<virtual_call bci='40'/>\n"
    "</parse>\n"
    "<late_inline method='21' inline_id='7'>\n<jvms bci='3' method='22'/>\n"
    "<jvms bci='25' method='11'/>\n</late_inline>\n"
    "<parse method='21' uses='1'>\n</parse>\n</task>\n";

TEST(CompileLog, TellsInlinedFromRefused) {
  std::istringstream log(kLog);
  auto outcomes = ReadCompileLog(log);
  EXPECT_EQ(outcomes.size(), 5u);
  InlineOutcome step = outcomes[{"a.Loop.run", "a.S0.step", 25}];
  EXPECT_EQ(step.inlined, 0u);
  EXPECT_EQ(step.reasons.at("virtual call"), 1u);
  InlineOutcome init = outcomes[{"a.Loop.run", "a.S0.<init>", 30}];
  EXPECT_EQ(init.inlined, 1u);
  EXPECT_EQ(init.refused, 0u);
  // Both receivers of one call; the second is parsed after the first.
  EXPECT_EQ((outcomes[{"a.Loop.run", "a.S0.step", 30}].inlined), 1u);
  EXPECT_EQ((outcomes[{"a.Loop.run", "a.S0.step", 40}].refused), 1u);
  // Inlined late: the first of the chain is the caller.
  EXPECT_EQ((outcomes[{"a.S0.step", "a.S0.<init>", 3}].inlined), 1u);
}

// As JDK 25 writes it.
constexpr char kDump[] =
    "version 2\n"
    "compile p/A m ()V -1 4 inline 4 0 -1 0 p/A m ()V 1 3 0 p/B m ()V 2 5 0 p/C m ()V 1 9 0 p/D m "
    "()V\n"
    "compile p/Z m ()V 7 4 inline 1 0 -1 0 p/Z m ()V\n";

TEST(InlineReplay, AddsAndRemovesWhereTheCallerIs) {
  auto trees = ParseInlineDump(kDump);
  ASSERT_TRUE(trees.ok()) << trees.error().message;
  ASSERT_EQ(trees->size(), 2u);
  EXPECT_EQ((*trees)[1].entry_bci, 7);
  plan::Plan plan;
  plan.decisions = {Inline("B", "E", 0.1), Inline("A", "D", 0, plan::Action::kNoInline)};
  plan.decisions[0].bci = 6;
  plan.decisions[1].bci = 9;
  Replay replay = ReplayOf(plan, *trees);
  EXPECT_EQ(
      replay.data,
      "version 2\n"
      "compile p/A m ()V -1 4 inline 4 0 -1 0 p/A m ()V 1 3 0 p/B m ()V 2 5 0 p/C m ()V 2 6 0 "
      "p/E m ()V\n");
  EXPECT_THAT(replay.flags, testing::ElementsAre("-XX:CompileCommand=ReplayInline,p/A.m()V"));
  EXPECT_EQ(replay.added, 1u);
  EXPECT_EQ(replay.removed, 1u);
  // What is there already is not added again, and other sites of the callee stay.
  plan.decisions = {Inline("A", "B", 0.1)};
  plan.decisions[0].bci = 3;
  EXPECT_TRUE(ReplayOf(plan, *trees).data.empty());
  EXPECT_FALSE(ParseInlineDump("compile p/A m ()V -1 4 inline 2 0 -1 0 p/A m ()V\n").ok());
  EXPECT_FALSE(ParseInlineDump("compile p/A m\n").ok());
}

// Seen in ANTLR: what was added was a place to add to, until the memory was spent.
TEST(InlineReplay, AMethodThatCallsItselfIsInlinedOnceIntoEachOfItsPlaces) {
  auto trees = ParseInlineDump(kDump);
  ASSERT_TRUE(trees.ok());
  plan::Plan plan;
  plan.decisions = {Inline("B", "B", 0.1)};
  plan.decisions[0].bci = 6;
  Replay replay = ReplayOf(plan, *trees);
  EXPECT_EQ(replay.added, 1u);
  EXPECT_NE(
      replay.data.find(
          "inline 5 0 -1 0 p/A m ()V 1 3 0 p/B m ()V 2 5 0 p/C m ()V 2 6 0 p/B m ()V 1 9 0 p/D"),
      std::string::npos)
      << replay.data;
  plan.decisions.assign(64, plan.decisions[0]);
  for (int i = 0; i < 64; ++i) plan.decisions[i].bci = 100 + i;  // each doubles what is there
  EXPECT_LT(ReplayOf(plan, *trees).added, 10000u);
}

}  // namespace
}  // namespace assay::optimize
