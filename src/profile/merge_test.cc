#include "src/profile/merge.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <utility>

#include "src/profile/aggregate.h"
#include "src/profile/test_profiles.h"

namespace assay::profile {
namespace {

// A dump that does not depend on the numbering: everything by name, sorted.
std::string Canonical(const Profile& profile) {
  std::vector<std::string> lines;
  auto text = [](auto value) { return std::to_string(value); };
  for (const Edge& e : profile.edges()) {
    lines.push_back("edge " + MethodName(profile, e.caller) + text(e.bci) +
                    MethodName(profile, e.callee) + " " + text(e.samples) + " " + text(e.weight) +
                    " " + text(e.variance));
  }
  for (NodeId id = 1; id < profile.nodes().size(); ++id) {
    std::string line = "node";
    for (NodeId up = id; up != kRootNode; up = profile.nodes()[up].parent) {
      line += "<" + text(profile.nodes()[up].bci) + MethodName(profile, profile.nodes()[up].method);
    }
    const ContextNode& n = profile.nodes()[id];
    lines.push_back(line + " " + text(n.samples) + " " + text(n.calls) + " " + text(n.self));
  }
  for (const auto& [key, value] : profile.metadata) lines.push_back("meta " + key + "=" + value);
  for (const auto& [key, value] : profile.lost) lines.push_back("lost " + key + text(value));
  for (const auto& skipped : profile.skipped_methods) {
    lines.push_back("skipped " + skipped.method + skipped.reason);
  }
  for (const TickPoint& tick : profile.ticks) {
    lines.push_back("tick " + profile.threads[tick.thread] + text(tick.time_ns));
  }
  for (const auto& [name, table] : profile.tables) {
    for (const TableRow& row : table.rows) {
      std::string line = "row " + name;
      for (const std::string& key : row.key) line += "," + key;
      lines.push_back(line + " " + text(row.samples) + " " + text(row.weight));
    }
  }
  std::sort(lines.begin(), lines.end());
  std::string out;
  for (const std::string& line : lines) out += line + "\n";
  return out;
}

Profile Sum(std::vector<const Profile*> profiles) {
  Profile sum = *profiles[0];
  for (size_t i = 1; i < profiles.size(); ++i) EXPECT_TRUE(MergeInto(sum, *profiles[i]).ok());
  return sum;
}

// Weights are multiples of 1/8 in the test profiles, so that sums are exact in any order.
Profile Sample(uint32_t seed) {
  Profile profile = RandomProfile(seed, 30, 200, 150);
  profile.metadata = {{"collect", seed % 2 ? "calls" : "exact"},
                      {"command", "java " + std::to_string(seed)},
                      {"duration", std::to_string(seed) + ".25s"},
                      {"start", "2026-01-0" + std::to_string(seed % 9 + 1)}};
  profile.threads = {"main"};
  profile.ticks = {{0, seed, 1, 1, 1, 1}};
  profile.tables["fields"] = {{"field"}, {{{"f" + std::to_string(seed % 3)}, seed, 1.5}}};
  profile.lost["full"] = seed;
  profile.skipped_methods = {{"C.m()V", "reason " + std::to_string(seed % 2)}};
  return profile;
}

TEST(MergeTest, CommutativeAndAssociative) {
  for (uint32_t seed = 1; seed < 15; ++seed) {
    Profile a = Sample(seed), b = Sample(seed + 20), c = Sample(seed + 40);
    EXPECT_EQ(Canonical(Sum({&a, &b})), Canonical(Sum({&b, &a})));
    Profile ab = Sum({&a, &b}), bc = Sum({&b, &c});
    EXPECT_EQ(Canonical(Sum({&ab, &c})), Canonical(Sum({&a, &bc})));
  }
}

TEST(MergeTest, PreservesWeights) {
  Profile a = Sample(1), b = Sample(2);
  Profile sum = Sum({&a, &b});
  EXPECT_DOUBLE_EQ(sum.TotalEdgeWeight(), a.TotalEdgeWeight() + b.TotalEdgeWeight());
  auto total = [](const Profile& profile, double ContextNode::*value) {
    double result = 0;
    for (const ContextNode& node : profile.nodes()) result += node.*value;
    return result;
  };
  for (auto value : {&ContextNode::calls, &ContextNode::self}) {
    EXPECT_DOUBLE_EQ(total(sum, value), total(a, value) + total(b, value));
  }
  auto variance = [](const Profile& profile) {
    double result = 0;
    for (const Edge& edge : profile.edges()) result += edge.variance;
    return result;
  };
  EXPECT_DOUBLE_EQ(variance(sum), variance(a) + variance(b));
  EXPECT_EQ(sum.lost["full"], 3u);
}

TEST(MergeTest, EmptyAddsNothing) {
  Profile a = Sample(3), with_empty = a;
  ASSERT_TRUE(MergeInto(with_empty, Profile()).ok());
  with_empty.metadata.erase("profiles");
  EXPECT_EQ(Canonical(with_empty), Canonical(a));
}

TEST(MergeTest, Metadata) {
  Profile a = Sample(4), b = Sample(5), c = Sample(4);
  Profile sum = Sum({&a, &b, &c});
  EXPECT_EQ(sum.metadata["profiles"], "3");
  EXPECT_EQ(sum.metadata["collect"], "calls + exact");
  EXPECT_EQ(sum.metadata["command"], "java 4 + java 5");
  EXPECT_EQ(sum.metadata["duration"], "13.75s");
  EXPECT_EQ(sum.metadata["start"], "2026-01-05");
}

TEST(MergeTest, CountsAddUpAndTextIsJoined) {
  Profile a, b;
  a.metadata = {{"bursts", "1076"},
                {"walk-ms", "1.500000"},
                {"overhead-taken", "6.00 % of 1.5 s"},
                {"interpreted-time", "10.0 % of 300 looks"},
                {"inlined-call-sites", "90"},
                {"seed", "1"},
                {"ns-per-call-in-burst", "30.1"},
                {"processors", "2"}};
  b.metadata = {{"bursts", "1076"},
                {"walk-ms", "2.250000"},
                {"overhead-taken", "2.00 % of 0.5 s"},
                {"interpreted-time", "50.0 % of 100 looks"},
                {"inlined-call-sites", "400"},
                {"seed", "2"},
                {"ns-per-call-in-burst", "29.9"},
                {"processors", "2"}};
  const std::map<std::string, std::string> merged = {{"bursts", "2152"},
                                                     {"walk-ms", "3.750000"},
                                                     {"overhead-taken", "5.00 % of 2 s"},
                                                     {"interpreted-time", "20.00 % of 400 looks"},
                                                     {"inlined-call-sites", "400"},
                                                     {"seed", "1 + 2"},
                                                     {"processors", "2"},
                                                     {"profiles", "2"}};
  EXPECT_EQ(Sum({&a, &b}).metadata, merged);
  EXPECT_EQ(Sum({&b, &a}).metadata, merged);
  b.metadata["bursts"] = "unknown";
  EXPECT_EQ(Sum({&a, &b}).metadata["bursts"], "1076 + unknown");
}

// Absolute errors add as squares: 300 and 400 of 2,000 calls.
TEST(MergeTest, ChanceInTheNumberOfAllCallsEvensOut) {
  Profile a, b, none;
  for (Profile* profile : {&a, &b, &none}) {
    profile->AddEdge(0, 1, profile->InternMethod("C", "m", "()V"), 1, 1000);
  }
  a.metadata["calls-total-error"] = "30.0 %";
  b.metadata["calls-total-error"] = "40.0 %";
  EXPECT_EQ(Sum({&a, &b}).metadata["calls-total-error"], "25.0000 %");
  EXPECT_FALSE(Sum({&a, &none}).metadata.contains("calls-total-error"));
  EXPECT_FALSE(Sum({&none, &b}).metadata.contains("calls-total-error"));
  Profile empty;
  EXPECT_EQ(Sum({&empty, &b}).metadata["calls-total-error"], "40.0000 %");
}

// None makes the others better.
TEST(MergeTest, TheLargestErrorOfTheMethodStays) {
  for (const char* other : {"9.5", "120.0"}) {
    Profile a, b;
    a.metadata["method-error"] = "42.5";
    b.metadata["method-error"] = other;
    EXPECT_EQ(Sum({&a, &b}).metadata["method-error"], other == std::string("120.0") ? "120.0" : "42.5");
  }
}

TEST(MergeTest, MethodDetailsComeFromWhoeverKnowsThem) {
  Profile a = FullProfile(), b;
  b.InternMethod("Known", "main", "([Ljava/lang/String;)V");
  ASSERT_TRUE(MergeInto(b, a).ok());
  EXPECT_EQ(b.method(1).source_file, "Known.java");
  EXPECT_EQ(b.method(1).lines.size(), 3u);
}

TEST(MergeTest, RefusesActivationsWithCallsAndUnlikeClocks) {
  auto with = [](std::map<std::string, std::string> metadata) {
    Profile profile;
    profile.metadata = std::move(metadata);
    return profile;
  };
  const Profile cpu = with({{"collect", "contexts"}, {"clock", "cpu"}}),
                wall = with({{"collect", "contexts"}, {"clock", "wall"}});
  const Profile calls = with({{"collect", "calls"}, {"clock", "cpu"}}),
                exact = with({{"collect", "exact"}, {"clock", "wall"}});
  for (auto [a, b] : {std::pair{&cpu, &wall}, {&wall, &cpu}, {&cpu, &calls}, {&exact, &wall}}) {
    Profile sum = *a;
    EXPECT_FALSE(MergeInto(sum, *b).ok());
    EXPECT_EQ(sum.metadata, a->metadata);
  }
  for (auto [a, b] : {std::pair{&cpu, &cpu}, {&wall, &wall}, {&calls, &exact}}) {
    Profile sum = *a;
    EXPECT_TRUE(MergeInto(sum, *b).ok());
  }
}

TEST(MergeTest, RefusesUnlikeUnitsAndTables) {
  Profile a = FullProfile(), b = FullProfile(), c = FullProfile();
  std::string before = Dump(a);
  b.self_unit = "ns";
  EXPECT_FALSE(MergeInto(a, b).ok());
  c.tables["fields"].columns = {"x", "y"};
  EXPECT_FALSE(MergeInto(a, c).ok());
  EXPECT_EQ(Dump(a), before);
}

}  // namespace
}  // namespace assay::profile
