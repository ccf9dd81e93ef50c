// What a hostile profile may claim, through every exporter: nothing overflows, text stays valid.
// The formats themselves are tested with foreign readers in tests/export.
#include "src/export/export.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "src/export/stacks.h"
#include "src/profile/test_profiles.h"

namespace assay::exporting {
namespace {

TEST(ExportTest, SumsSaturate) {
  EXPECT_EQ(Plus(INT64_MAX, 20), INT64_MAX);
  EXPECT_EQ(Plus(20, 22), 42);
  EXPECT_EQ(Rounded(1e150), INT64_MAX);
  EXPECT_EQ(Rounded(uint64_t{1} << 63), INT64_MAX);
  EXPECT_EQ(Rounded(2.5), 3);
}

// Found by the fuzzer: two contexts that fall together, with weights that do not fit 64 bits.
TEST(ExportTest, HugeWeights) {
  profile::Profile profile;
  profile::MethodId m = profile.InternMethod("C", "m", "()V");
  for (int32_t bci : {1, 2}) {
    profile.node(profile.InternNode(profile::kRootNode, bci, m)).self = 1e150;
    profile.AddEdge(m, bci, m, ~0ull, 1e150, 1e150);
  }
  for (const Format& format : AllFormats()) {
    Result<std::string> text = format.write(profile);
    ASSERT_TRUE(text.ok()) << format.name;
    EXPECT_EQ(text->find("-9223372036854775808"), std::string::npos) << format.name;
  }
  EXPECT_EQ(*WriteCollapsed(profile), "C.m 9223372036854775807\n");
}

TEST(ExportTest, JsonOfEverythingParses) {
  for (auto write : {WriteJson, WriteSpeedscope}) {
    Result<std::string> text = write(profile::FullProfile());
    EXPECT_TRUE(nlohmann::json::accept(*text));
  }
}

}  // namespace
}  // namespace assay::exporting
