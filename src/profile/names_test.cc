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

}  // namespace
}  // namespace assay::profile
