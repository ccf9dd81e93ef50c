#include "src/profile/canonical.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "src/profile/writer.h"

namespace assay::profile {
namespace {

// The same content in an order given by `reverse`.
Profile Make(bool reverse) {
  Profile profile;
  profile.self_unit = "bytecodes";
  profile.InternMethod("Unused", reverse ? "x" : "y", "()V");
  std::vector<std::string> names{"a", "b", "c"};
  if (reverse) std::reverse(names.begin(), names.end());
  for (const auto& name : names) profile.InternMethod("C", name, "()V");
  auto m = [&](const char* name) { return profile.InternMethod("C", name, "()V"); };
  auto node = [&](NodeId parent, int32_t bci, const char* name, double self) {
    NodeId id = profile.InternNode(parent, bci, m(name));
    profile.node(id).self += self;
    profile.node(id).samples += 1;
    return id;
  };
  if (reverse) {
    node(node(kRootNode, kNoBci, "b", 0), 7, "c", 5);
    NodeId a = node(kRootNode, kNoBci, "a", 1);
    node(a, 9, "b", 3);
    node(a, 2, "b", 2);
    profile.AddEdge(m("b"), 7, m("c"), 1, 1);
    profile.AddEdge(m("a"), 2, m("b"), 2, 2);
  } else {
    NodeId a = node(kRootNode, kNoBci, "a", 1);
    node(a, 2, "b", 2);
    node(a, 9, "b", 3);
    node(node(kRootNode, kNoBci, "b", 0), 7, "c", 5);
    profile.AddEdge(m("a"), 2, m("b"), 2, 2);
    profile.AddEdge(m("b"), 7, m("c"), 1, 1);
  }
  return profile;
}

std::string Bytes(const Profile& profile) {
  std::string path = ::testing::TempDir() + "/canonical.profile";
  EXPECT_TRUE(WriteProfile(profile, path).ok());
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Canonical, EqualContentGivesEqualFiles) {
  EXPECT_NE(Bytes(Make(false)), Bytes(Make(true)));
  EXPECT_EQ(Bytes(Canonical(Make(false))), Bytes(Canonical(Make(true))));
}

TEST(Canonical, OtherValuesGiveOtherFiles) {
  Profile changed = Make(true);
  changed.node(3).self += 1;
  EXPECT_NE(Bytes(Canonical(Make(false))), Bytes(Canonical(changed)));
}

TEST(Canonical, KeepsEverythingThatIsMentioned) {
  Profile result = Canonical(Make(true));
  EXPECT_EQ(result.methods().size(), 1u + 3u);
  EXPECT_EQ(result.nodes().size(), Make(true).nodes().size());
  EXPECT_EQ(result.edges().size(), 2u);
  EXPECT_EQ(result.self_unit, "bytecodes");
}

TEST(RemoveCircumstances, KeepsOptions) {
  Profile profile;
  profile.metadata = {{"pid", "1"}, {"start", "now"}, {"granularity", "10k"}, {"jvm", "x"}};
  RemoveCircumstances(profile);
  EXPECT_EQ(profile.metadata, (std::map<std::string, std::string>{{"granularity", "10k"}}));
}

}  // namespace
}  // namespace assay::profile
