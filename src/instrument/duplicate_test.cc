#include "src/instrument/duplicate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/bytecode/decode.h"
#include "src/bytecode/encode.h"
#include "src/bytecode/test_method.h"
#include "src/instrument/duplicate_plan.h"

namespace assay::instrument {
namespace {

using bytecode::Code;
using bytecode::Element;
using bytecode::Op;
using bytecode::TestMethod;

class Ids : public PointIds {
 public:
  uint32_t Id(const Instrumentation&, const std::vector<std::string>&) override { return ++last_; }

 private:
  uint32_t last_ = 0;
};

// Version 49: no frames to write by hand.
constexpr uint16_t kOld = 49;

// i = 0; do { i++; T.f } while (i != 5): one loop with a field read in it.
ByteVector Loop(TestMethod& test) {
  uint16_t field = *test.file.pool.AddFieldRef("T", "f", "I");
  return {3,
          59,  // iconst_0, istore_0
          132,
          0,
          1,  // iinc 0 1
          178,
          static_cast<uint8_t>(field >> 8),
          static_cast<uint8_t>(field),
          87,  // getstatic, pop
          26,
          8,
          160,
          0xff,
          0xf7,  // iload_0, iconst_5, if_icmpne -9
          177};
}

int CountCalls(const TestMethod& test, const Code& code, std::string_view name) {
  int count = 0;
  for (const Element& element : code.elements) {
    if (element.Is(Op::kInvokestatic)) count += test.file.pool.Member(element.index).name == name;
  }
  return count;
}

Result<bool> Rewrite(TestMethod& test, const DuplicateOptions& options, Code& code,
                     std::string_view plugin = "field-access") {
  auto made = MakeInstrumentation(plugin);
  Ids ids;
  DuplicatePass pass(options, {made.get()}, ids);
  ASSAY_TRY(bytecode::DecodeCode(test.file, test.method(), code));
  ASSAY_ASSIGN(bool changed, pass.Apply(test.file, test.method(), code));
  if (changed) {
    ASSAY_TRY(bytecode::EncodeCode(code, test.file, test.method()));
    ASSAY_TRY(bytecode::DecodeCode(test.file, test.method(), code));
  }
  return changed;
}

TEST(Duplicate, FullHasOneCheckPerEntryAndBackEdgeAndOneOperation) {
  TestMethod test(kOld);
  test.SetCode(Loop(test));
  Code code;
  auto changed = Rewrite(test, {.duplication = Duplication::kFull}, code);
  ASSERT_TRUE(changed.ok()) << changed.error().ToString();
  EXPECT_EQ(CountCalls(test, code, "counter"), 2);
  EXPECT_EQ(CountCalls(test, code, "count"), 1);
}

TEST(Duplicate, NoneGuardsTheOperation) {
  TestMethod test(kOld);
  test.SetCode(Loop(test));
  Code code;
  ASSERT_TRUE(Rewrite(test, {.duplication = Duplication::kNone}, code).ok());
  EXPECT_EQ(CountCalls(test, code, "counter"), 1);
  EXPECT_EQ(CountCalls(test, code, "count"), 1);
}

TEST(Duplicate, AMethodWithoutPointsStaysAsItIs) {
  TestMethod test(kOld);
  test.SetCode({177});
  Code code;
  auto changed = Rewrite(test, {}, code);
  ASSERT_TRUE(changed.ok());
  EXPECT_FALSE(*changed);
}

TEST(Duplicate, TooLongIsRefused) {
  TestMethod test(kOld);
  ByteVector body = Loop(test);
  body.pop_back();
  body.insert(body.end(), 5000, 0);  // nops
  body.push_back(177);
  test.SetCode(body);
  Code code;
  auto full = Rewrite(test, {.duplication = Duplication::kFull}, code);
  ASSERT_FALSE(full.ok());
  EXPECT_THAT(full.error().message, testing::HasSubstr("longer than 8000"));
  EXPECT_TRUE(Rewrite(test, {.duplication = Duplication::kAutomatic}, code).ok());
}

TEST(Duplicate, JsrIsRefused) {
  TestMethod test(kOld);
  uint16_t field = *test.file.pool.AddFieldRef("T", "f", "I");
  test.SetCode({168, 0, 8, 178, static_cast<uint8_t>(field >> 8), static_cast<uint8_t>(field), 87,
                177, 75, 169, 0});
  Code code;
  auto changed = Rewrite(test, {}, code);
  ASSERT_FALSE(changed.ok());
  EXPECT_EQ(changed.error().message, "jsr/ret");
}

TEST(Duplicate, PathsAreNumberedOnEdges) {
  TestMethod test(kOld);
  test.SetCode(Loop(test));
  Code code;
  auto changed = Rewrite(test, {.duplication = Duplication::kNone}, code, "path");
  ASSERT_TRUE(changed.ok()) << changed.error().ToString();
  // Needs the copy: ends of paths at the back edge and at the return.
  EXPECT_EQ(CountCalls(test, code, "countInt"), 2);
  EXPECT_EQ(CountCalls(test, code, "counter"), 2);
}

}  // namespace
}  // namespace assay::instrument
