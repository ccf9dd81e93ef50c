#include "src/bytecode/hierarchy.h"

#include <gtest/gtest.h>

#include <map>

namespace assay::bytecode {
namespace {

class Known : public Hierarchy {
 public:
  std::map<std::string, ClassFacts, std::less<>> classes = {
      {"A", {"java/lang/Object", false}}, {"B", {"A", false}},         {"C", {"A", false}},
      {"I", {"java/lang/Object", true}},  {"Far", {"Missing", false}}, {"Farther", {"Far", false}},
      {"Loop", {"Loop", false}},
  };
  const ClassFacts* Find(std::string_view name) const override {
    auto found = classes.find(name);
    return found == classes.end() ? nullptr : &found->second;
  }
};

TEST(Hierarchy, CommonSuperclass) {
  Known known;
  const char* const cases[][3] = {
      {"B", "C", "A"},
      {"B", "A", "A"},
      {"B", "B", "B"},
      {"Unknown", "Unknown", "Unknown"},
      {"B", "I", "java/lang/Object"},
      {"B", "Unknown", ""},
      {"Far", "Farther", "Far"},
      {"Far", "A", ""},
      {"Far", "java/lang/Object", "java/lang/Object"},
      {"Loop", "A", ""},
      {"[I", "[I", "[I"},
      {"[I", "[J", "java/lang/Object"},
      {"[[I", "[[J", "[Ljava/lang/Object;"},
      {"[LB;", "[LC;", "[LA;"},
      {"[LB;", "[[LC;", "[Ljava/lang/Object;"},
      {"[LB;", "[I", "java/lang/Object"},
      {"[LB;", "[LUnknown;", ""},
      {"[LB;", "B", "java/lang/Object"},
  };
  for (const auto& [a, b, common] : cases) {
    EXPECT_EQ(CommonSuperclass(known, a, b), common) << a << " " << b;
    EXPECT_EQ(CommonSuperclass(known, b, a), common) << b << " " << a;
  }
}

}  // namespace
}  // namespace assay::bytecode
