#include "src/report/data.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace assay::report {
namespace {

using nlohmann::json;
using profile::MethodId;
using profile::Profile;

Profile Sample() {
  Profile p;
  const MethodId main = p.InternMethod("p.A", "main", "()V");
  const MethodId f = p.InternMethod("p.A", "f", "(I)I");
  p.method(main).source_file = "A.java";
  p.method(main).lines = {{0, 3}, {7, 4}};
  p.AddEdge(main, 2, f, 10, 1000.5, 100 * 100);
  p.AddEdge(main, 9, f, 30, 4000);
  p.node(p.InternNode(profile::kRootNode, -1, main)).calls = 1;
  p.self_unit = "ns";
  p.metadata = {{"collect", "calls"}};
  p.lost = {{"safepoint", 3}};
  p.skipped_methods = {{"p.B.g()V", "too long"}};
  p.threads = {"main"};
  p.ticks = {{0, 5000, 700, 4'000'000, 1.5, 32}};
  p.tables["fields"] = {{"field"}, {{{"x"}, 1, 10}, {{"y"}, 2, 20}, {{"z"}, 0, 1}}};
  return p;
}

json Data(const std::vector<Input>& inputs, const Limits& limits = {}) {
  return json::parse(MakeData(inputs, {}, limits));
}

std::string Name(const json& data, const char* column, int method) {
  return data["strings"][data["methods"][column][method].get<size_t>()];
}

TEST(Data, HoldsTheProfileInColumns) {
  const Profile p = Sample();
  const json data = Data({{"a.profile", &p}});
  const json& edges = data["edges"];
  EXPECT_EQ(edges["bci"], json({9, 2}));
  EXPECT_EQ(edges["line"], json({4, 3}));
  EXPECT_EQ(edges["values"][0]["weight"], json({4000, 1000.5}));
  EXPECT_EQ(edges["values"][0]["samples"], json({30, 10}));
  EXPECT_NEAR(edges["values"][0]["error"][1].get<double>(), 1.96 * 100 / 1000.5, 1e-3);
  EXPECT_EQ(edges["values"][0]["error"][0], 0);
  EXPECT_EQ(Name(data, "name", edges["callee"][0]), "f");
  EXPECT_EQ(Name(data, "descriptor", edges["callee"][0]), "(I)I");
  EXPECT_EQ(data["nodes"]["depth"], json({0}));
  const json& profile = data["profiles"][0];
  EXPECT_EQ(profile["totals"]["weight"], 5000.5);
  EXPECT_EQ(profile["lost"]["safepoint"], 3);
  EXPECT_EQ(data["strings"][profile["skipped"]["reason"][0].get<size_t>()], "too long");
  EXPECT_EQ(profile["ticks"]["latency"], json({700}));
  EXPECT_EQ(profile["tables"][0]["weight"], json({20, 10, 1}));
}

TEST(Data, AnEmptyProfileIsData) {
  const Profile p;
  const json data = Data({{"a", &p}});
  EXPECT_TRUE(data["edges"]["caller"].empty());
  EXPECT_FALSE(data.contains("nodes"));
}

TEST(Data, SaysWhatItLeavesOut) {
  const Profile p = Sample();
  Limits limits;
  limits.edges = 1;
  limits.rows = 2;
  const json data = Data({{"a", &p}}, limits);
  EXPECT_EQ(data["edges"]["bci"], json({9}));
  EXPECT_EQ(data["profiles"][0]["totals"]["cutEdges"], 1);
  EXPECT_EQ(data["profiles"][0]["totals"]["cutWeight"], 1000.5);
  EXPECT_EQ(data["profiles"][0]["totals"]["weight"], 5000.5);
  EXPECT_EQ(data["profiles"][0]["tables"][0]["cutRows"], 1);
  EXPECT_EQ(data["profiles"][0]["tables"][0]["weightTotal"], 31);
}

TEST(Data, TwoProfilesShareTheFrame) {
  const Profile a = Sample();
  Profile b;
  const MethodId g = b.InternMethod("p.A", "g", "()V");
  const MethodId main = b.InternMethod("p.A", "main", "()V");
  b.AddEdge(main, 2, g, 1, 7);
  const json data = Data({{"a", &a}, {"b", &b}});
  EXPECT_EQ(data["edges"]["caller"].size(), 3u);
  double sums[2] = {0, 0};
  for (int p = 0; p < 2; ++p) {
    for (double w : data["edges"]["values"][p]["weight"]) sums[p] += w;
  }
  EXPECT_EQ(sums[0], 5000.5);
  EXPECT_EQ(sums[1], 7);
}

}  // namespace
}  // namespace assay::report
