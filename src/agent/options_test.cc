#include "src/agent/options.h"

#include <gtest/gtest.h>

#include <set>

namespace assay::agent {
namespace {

TEST(Options, RoundTripsThroughTheAgentString) {
  auto options = Options::Parse("collect=exact,tick=250us,samples=all,include=com.acme.*:org.x.Y");
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options->Text("collect"), "exact");
  EXPECT_EQ(options->Nanoseconds("tick"), 250'000u);
  EXPECT_EQ(options->Count("samples"), UINT64_MAX);
  EXPECT_EQ(options->List("include"), (std::vector<std::string>{"com.acme.*", "org.x.Y"}));
  auto again = Options::Parse(options->ToString());
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->values(), options->values());
}

TEST(Options, RefusesWhatItDoesNotKnowAndSaysWhatItDoes) {
  auto unknown = Options::Parse("collct=exact");
  ASSERT_FALSE(unknown.ok());
  EXPECT_NE(unknown.error().message.find("unknown option 'collct'"), std::string::npos);
  EXPECT_NE(unknown.error().message.find("collect"), std::string::npos);
  for (const char* bad : {"tick=4", "tick=ms", "samples=-1", "collect=everything", "tick",
                          "stride=1.5", "samples=nan", "tick=1e30s"}) {
    EXPECT_FALSE(Options::Parse(bad).ok()) << bad;
  }
}

TEST(Options, CountsHaveSuffixes) {
  EXPECT_EQ(*ParseCount("20M"), 20'000'000u);
  EXPECT_EQ(*ParseCount("1.5k"), 1500u);
  EXPECT_EQ(*ParseDuration("1.5s"), 1'500'000'000u);
  EXPECT_FALSE(ParseCount("1x").ok());
}

TEST(Options, EveryDefaultIsItselfValidAndEveryNameUnique) {
  std::set<std::string_view> names;
  for (const OptionSpec& spec : AllOptions()) {
    EXPECT_TRUE(names.insert(spec.name).second) << spec.name;
    if (spec.default_value.empty()) continue;
    Options options;
    EXPECT_TRUE(options.Set(spec.name, spec.default_value).ok()) << spec.name;
  }
}

TEST(Options, UpdateOverridesOnlyWhatIsGiven) {
  Options base = *Options::Parse("samples=32,stride=7");
  base.Update(*Options::Parse("samples=64"));
  EXPECT_EQ(base.Count("samples"), 64u);
  EXPECT_EQ(base.Count("stride"), 7u);
}

}  // namespace
}  // namespace assay::agent
