#include "src/agent/context_store.h"

#include <gtest/gtest.h>

namespace assay::agent {
namespace {

profile::MethodId Intern(profile::Profile& profile, uint32_t method) {
  return profile.InternMethod("C", "m" + std::to_string(method), "()V");
}

std::map<std::string, double> Contexts(ContextStore& store) {
  profile::Profile profile;
  store.Fill(profile, [&](uint32_t method) { return Intern(profile, method); });
  std::map<std::string, double> result;
  for (const auto& node : profile.nodes()) {
    if (node.self == 0) continue;
    std::string path;
    for (const auto* at = &node; at->method != 0; at = &profile.nodes()[at->parent]) {
      path = "/" + profile.method(at->method).name + path;
    }
    result[path] = node.self;
  }
  return result;
}

TEST(ContextStore, AddsSamplesByStack) {
  ContextStore store;
  int32_t a[] = {1, 2, 3}, b[] = {1, 2, 3}, c[] = {1, 3};
  store.Add(a, 3, 10);
  store.Add(b, 3, 5);
  store.Add(c, 2, 7);
  EXPECT_EQ(Contexts(store), (std::map<std::string, double>{{"/m1/m2/m3", 15}, {"/m1/m3", 7}}));
  EXPECT_EQ(store.samples(), 3u);
  EXPECT_EQ(store.bytecodes(), 22u);
}

TEST(ContextStore, ContextsLeftOnTheStackStandForWhatIsBelow) {
  ContextStore store;
  int32_t stack[] = {1, 2, 3, 0};
  store.Add(stack, 3, 1);
  for (int32_t entry : {stack[0], stack[1], stack[2]}) EXPECT_LT(entry, 0);
  stack[2] = 4;  // m3 returned, m4 was called, then m5
  stack[3] = 5;
  store.Add(stack, 4, 2);
  stack[1] = 6;  // a stale context above a new activation is below nothing
  store.Add(stack, 2, 4);
  EXPECT_EQ(Contexts(store),
            (std::map<std::string, double>{{"/m1/m2/m3", 1}, {"/m1/m2/m4/m5", 2}, {"/m1/m6", 4}}));
}

TEST(ContextStore, RecursionIsNotFolded) {
  ContextStore store;
  int32_t stack[] = {1, 1, 1};
  store.Add(stack, 3, 1);
  EXPECT_EQ(Contexts(store), (std::map<std::string, double>{{"/m1/m1/m1", 1}}));
}

}  // namespace
}  // namespace assay::agent
