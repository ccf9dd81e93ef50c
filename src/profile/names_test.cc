#include "src/profile/names.h"

#include <gtest/gtest.h>

#include <set>

namespace assay::profile {
namespace {

TEST(NamesTest, ParametersAsInSource) {
  EXPECT_EQ(Parameters("()V"), "()");
  EXPECT_EQ(Parameters("(ILjava/lang/String;[[J)V"), "(int, String, long[][])");
  EXPECT_EQ(Parameters("(Ljava/util/Map$Entry;ZBCSFD)I"),
            "(Entry, boolean, byte, char, short, float, double)");
  for (const char* malformed : {"", "x", "(Lfoo", "(Q)V", "([", "(["}) {
    EXPECT_EQ(Parameters(malformed), malformed);
  }
}

TEST(NamesTest, FramesAreShortAndDistinct) {
  Profile profile;
  profile.InternMethod("", kNativeCaller, "");
  profile.InternMethod("p.C", "f", "(I)V");
  profile.InternMethod("p.C", "g", "(I)V");
  profile.InternMethod("p.C", "g", "(La/T;)V");
  profile.InternMethod("p.C", "g", "(Lb/T;)V");
  profile.InternMethod("p.C", "evil;\n\xff", "()V");
  profile.InternMethod("p.C", "evil__\xfe", "()V");
  std::vector<std::string> names = FrameNames(profile);
  EXPECT_EQ(names[0], "<native>");
  EXPECT_EQ(names[1], "<native>");
  EXPECT_EQ(names[2], "p.C.f");
  EXPECT_EQ(names[3], "p.C.g(int)");
  EXPECT_EQ(names[4], "p.C.g(T)");
  EXPECT_EQ(names[5], "p.C.g(Lb/T_)V");
  std::set<std::string> distinct(names.begin() + 1, names.end());
  EXPECT_EQ(distinct.size(), names.size() - 1);
  for (const std::string& name : names) EXPECT_EQ(name.find_first_of(";\n\xff"), std::string::npos);
}

TEST(NamesTest, CharactersBeyondTheBmpAreWhatTheyAre) {
  Profile profile;
  profile.InternMethod("p.C", "\xed\xa0\xb5\xed\xb2\xb3", "()V");
  EXPECT_EQ(FrameNames(profile)[1], "p.C.\xf0\x9d\x92\xb3");
}

TEST(NamesTest, HiddenClassesHaveTheSameNameInEveryRun) {
  EXPECT_EQ(StableClassName("p.C$$Lambda.0x0000000054040ca0"), "p.C$$Lambda");
  EXPECT_EQ(StableClassName("p.C$$Lambda$14/0x0000000800c03208"), "p.C$$Lambda$14");
  EXPECT_EQ(StableClassName("p.LambdaForm$MH+0x7f"), "p.LambdaForm$MH");
  EXPECT_EQ(StableClassName("p.Map$Entry"), "p.Map$Entry");
  EXPECT_EQ(StableClassName(""), "");
}

}  // namespace
}  // namespace assay::profile
