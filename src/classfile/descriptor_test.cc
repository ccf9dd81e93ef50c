#include "src/classfile/descriptor.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace assay::classfile {
namespace {

TEST(Descriptor, WalksParameters) {
  DescriptorReader types("(I[[JLjava/lang/String;D)[Z");
  std::vector<std::string> seen;
  for (std::string_view type; types.NextParameter(&type);) seen.emplace_back(type);
  EXPECT_EQ(seen, (std::vector<std::string>{"I", "[[J", "Ljava/lang/String;", "D"}));
  EXPECT_TRUE(types.ok());
  EXPECT_EQ(types.Return(), "[Z");
}

TEST(Descriptor, CountsWords) {
  EXPECT_EQ(CountWords("(IJ[J)D").parameters, 4);
  EXPECT_EQ(CountWords("(IJ[J)D").result, 2);
  EXPECT_EQ(CountWords("()V").result, 0);
}

TEST(Descriptor, RefusesMalformed) {
  for (const char* bad :
       {"", "I", "(", "()", "(V)V", "(Lx)V", "(L;)V", "([)V", "()VV", "()Lx", "(I"}) {
    EXPECT_EQ(CountWords(bad).parameters, -1) << bad;
  }
  EXPECT_EQ(CountWords("(" + std::string(256, '[') + "I)V").parameters, -1);
}

}  // namespace
}  // namespace assay::classfile
