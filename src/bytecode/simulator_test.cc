#include "src/bytecode/simulator.h"

#include <gtest/gtest.h>

#include "src/bytecode/code_builder.h"
#include "src/bytecode/max_stack.h"
#include "src/bytecode/test_method.h"
#include "src/bytecode/this_init.h"

namespace assay::bytecode {
namespace {

using V = VerificationType;

TEST(Simulator, StoresOverHalfOfALong) {
  TestMethod test(61, "(JI)V");
  Code code;
  CodeBuilder build(test.file, code);
  build.PushInt(1);
  build.Store(Op::kIstore, 1);  // the second word of the long
  ASSERT_TRUE(build.Finish().ok());
  Simulator state(test.file, test.method(), code);
  ASSERT_TRUE(state.Start().ok());
  ASSERT_EQ(state.locals().size(), 3u);
  EXPECT_EQ(state.locals()[0].tag, V::kLong);
  for (Element& element : code.elements) ASSERT_TRUE(state.Step(element).ok());
  EXPECT_EQ(state.locals()[0].tag, V::kTop);
  EXPECT_EQ(state.locals()[1].tag, V::kInteger);
  const Frame& frame = code.frames[state.CaptureFrame()];
  EXPECT_EQ(frame.locals_count, 3u);
  EXPECT_EQ(frame.stack_count, 0u);
}

TEST(Simulator, FollowsObjectsThroughTheirConstructor) {
  TestMethod test;
  Code code;
  CodeBuilder build(test.file, code);
  uint16_t object = *test.file.pool.AddClass("java/lang/Object");
  build.Emit(Op::kNew, object);
  build.Emit(Op::kDup);
  build.Emit(Op::kInvokespecial, *test.file.pool.AddMethodRef("java/lang/Object", "<init>", "()V"));
  ASSERT_TRUE(build.Finish().ok());
  Simulator state(test.file, test.method(), code);
  ASSERT_TRUE(state.Start().ok());
  ASSERT_TRUE(state.Step(code.elements[0]).ok());
  ASSERT_TRUE(state.Step(code.elements[1]).ok());
  ASSERT_EQ(state.stack().size(), 2u);
  EXPECT_EQ(state.stack()[0].tag, V::kUninitialized);
  EXPECT_EQ(state.stack()[0].data, code.elements[0].self.id);
  ASSERT_TRUE(state.Step(code.elements[2]).ok());
  ASSERT_EQ(state.stack().size(), 1u);
  EXPECT_EQ(state.stack()[0], (V{V::kObject, object}));
}

TEST(Simulator, DuplicatesWords) {
  TestMethod test;
  const std::tuple<Op, std::string, std::string> cases[] = {
      {Op::kDup, "IF", "IFF"},   {Op::kDupX1, "IF", "FIF"},     {Op::kDupX2, "INF", "FINF"},
      {Op::kDup2, "IF", "IFIF"}, {Op::kDup2X1, "NIF", "IFNIF"}, {Op::kDup2X2, "NNIF", "IFNNIF"},
      {Op::kSwap, "IF", "FI"},
  };
  for (const auto& [op, before, after] : cases) {
    Code code;
    Simulator state(test.file, test.method(), code);
    ASSERT_TRUE(state.Start().ok());
    auto tag = [](char c) { return c == 'I' ? V::kInteger : c == 'F' ? V::kFloat : V::kNull; };
    for (char c : before) state.stack().push_back({tag(c), 0});
    Element element;
    element.op = op;
    ASSERT_TRUE(state.Step(element).ok());
    std::string got;
    for (V type : state.stack()) {
      got += type.tag == V::kInteger ? 'I' : type.tag == V::kFloat ? 'F' : 'N';
    }
    EXPECT_EQ(got, after) << NameOf(op);
  }
}

TEST(Simulator, UnderflowIsAnError) {
  TestMethod test;
  Code code;
  Simulator state(test.file, test.method(), code);
  ASSERT_TRUE(state.Start().ok());
  Element element;
  element.op = Op::kIadd;
  EXPECT_FALSE(state.Step(element).ok());
}

TEST(MaxStack, FollowsJumpsAndHandlers) {
  TestMethod test;
  Code code;
  CodeBuilder build(test.file, code);
  Label deep = build.NewLabel(), handler = build.NewLabel();
  Label start = build.Here();
  build.PushInt(1);
  build.PushInt(1);
  build.Jump(Op::kIfeq, deep);
  build.Emit(Op::kPop);
  build.Emit(Op::kReturn);
  build.Bind(deep);  // one word is here
  build.PushLong(5);
  build.Emit(Op::kPop2);
  build.Emit(Op::kPop);
  build.Emit(Op::kReturn);
  Label end = build.Here();
  build.Bind(handler);
  build.Emit(Op::kAthrow);
  build.Handler(start, end, handler);
  ASSERT_TRUE(build.Finish().ok());
  ASSERT_TRUE(ComputeMaxStack(test.file.pool, code).ok());
  EXPECT_EQ(code.max_stack, 3u);
}

// As ASM leaves it behind for code that cannot be reached: nop, athrow, with a frame for it. Whatever is
// inserted there counts, because the verifier reads it.
TEST(MaxStack, SeesDeadCodeThatHasAFrame) {
  TestMethod test;
  Code code;
  code.has_frames = true;
  CodeBuilder build(test.file, code);
  build.Emit(Op::kReturn);
  build.Frame(code.AddFrame({}, {{VerificationType::kObject, test.file.this_class}}));
  build.Emit(Op::kDup);
  build.PushInt(1);
  build.Emit(Op::kPop2);
  build.Emit(Op::kAthrow);
  ASSERT_TRUE(build.Finish().ok());
  ASSERT_TRUE(ComputeMaxStack(test.file.pool, code).ok());
  EXPECT_EQ(code.max_stack, 3u);
}

// super(flag ? 1 : 2) in a class file without frames: found by following the paths.
TEST(ThisInit, FollowsPathsWithoutFrames) {
  TestMethod test(49, "(Z)V", 0, "<init>");
  Code code;
  CodeBuilder build(test.file, code);
  Label other = build.NewLabel(), join = build.NewLabel();
  build.Load(Op::kAload, 0);
  build.Load(Op::kIload, 1);
  build.Jump(Op::kIfeq, other);
  build.PushInt(1);
  build.Jump(Op::kGoto, join);
  build.Bind(other);
  build.PushInt(2);
  build.Bind(join);
  build.Emit(Op::kInvokespecial, *test.file.pool.AddMethodRef("Base", "<init>", "(I)V"));
  build.Emit(Op::kReturn);
  ASSERT_TRUE(build.Finish().ok());
  code.has_frames = false;
  auto uninitialized = ThisUninitialized(test.file, test.method(), code);
  ASSERT_TRUE(uninitialized.ok()) << uninitialized.error().ToString();
  EXPECT_EQ(*uninitialized, (std::vector<uint8_t>{1, 1, 1, 1, 1, 1, 1, 1, 1, 0}));
}

}  // namespace
}  // namespace assay::bytecode
