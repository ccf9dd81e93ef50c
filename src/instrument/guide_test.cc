// The guide's example (docs/instrumentation.md), taken out of the text at configuration time.
#include <gtest/gtest.h>

#include "src/instrument/guide_example.h"
#include "src/bytecode/decode.h"
#include "src/bytecode/encode.h"
#include "src/bytecode/test_method.h"
#include "src/instrument/duplicate.h"

namespace assay::instrument {
namespace {

using bytecode::Op;

class Ids : public PointIds {
 public:
  uint32_t Id(const Instrumentation& by, const std::vector<std::string>& key) override {
    keys.push_back(key);
    return static_cast<uint32_t>(keys.size());
  }
  std::vector<std::vector<std::string>> keys;
};

TEST(Guide, ExampleCountsEveryMonitorEnter) {
  bytecode::TestMethod test(49, "(Ljava/lang/Object;)V");
  test.SetCode({42, 89, 194, 195,    // aload_0, dup, monitorenter, monitorexit
                42, 89, 194, 195, 177});
  auto monitors = MakeMonitorEnter();
  Ids ids;
  DuplicatePass pass({.duplication = Duplication::kFull}, {monitors.get()}, ids);
  bytecode::Code code;
  ASSERT_TRUE(bytecode::DecodeCode(test.file, test.method(), code).ok());
  auto changed = pass.Apply(test.file, test.method(), code);
  ASSERT_TRUE(changed.ok() && *changed);
  ASSERT_TRUE(bytecode::EncodeCode(code, test.file, test.method()).ok());
  std::vector<std::vector<std::string>> expected{{"T.m(Ljava/lang/Object;)V", "2"},
                                                 {"T.m(Ljava/lang/Object;)V", "6"}};
  EXPECT_EQ(ids.keys, expected);
  int counted = 0, entered = 0;
  for (const auto& element : code.elements) {
    entered += element.Is(Op::kMonitorenter);
    if (element.Is(Op::kInvokestatic)) {
      counted += test.file.pool.Member(element.index).name == "countClass";
    }
  }
  EXPECT_EQ(entered, 4);
  EXPECT_EQ(counted, 2);
}

}  // namespace
}  // namespace assay::instrument
