#include "src/agent/class_filter.h"

#include <gtest/gtest.h>

namespace assay::agent {
namespace {

TEST(ClassFilter, NoPatternsWantEverything) {
  EXPECT_TRUE(ClassFilter().Wants("java/lang/Object"));
}

TEST(ClassFilter, PatternsAreWrittenAsInSource) {
  ClassFilter filter({"com.acme.*", "org.x.Y"}, {"*.internal.*"});
  EXPECT_TRUE(filter.Wants("com/acme/App"));
  EXPECT_TRUE(filter.Wants("com/acme/deep/App$Inner"));
  EXPECT_TRUE(filter.Wants("org/x/Y"));
  EXPECT_FALSE(filter.Wants("org/x/Yes"));
  EXPECT_FALSE(filter.Wants("com/acme/internal/App"));
  EXPECT_FALSE(filter.Wants("java/lang/Object"));
}

TEST(ClassFilter, StarsBacktrack) {
  ClassFilter filter({"a*b*c"}, {});
  EXPECT_TRUE(filter.Wants("aXbYbZc"));
  EXPECT_FALSE(filter.Wants("aXcYb"));
}

}  // namespace
}  // namespace assay::agent
