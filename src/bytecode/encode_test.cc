#include "src/bytecode/encode.h"

#include <gtest/gtest.h>

#include "src/bytecode/code_builder.h"
#include "src/bytecode/decode.h"
#include "src/bytecode/test_method.h"

namespace assay::bytecode {
namespace {

// Expected bytes are written by hand from JVMS chapter 6.
class EncodeTest : public testing::Test {
 protected:
  TestMethod test_;
  Code code_;
  CodeBuilder build_{test_.file, code_};

  ByteVector Encode() {
    code_.has_frames = false;
    Status status = build_.Finish();
    EXPECT_TRUE(status.ok());
    status = EncodeCode(code_, test_.file, test_.method());
    EXPECT_TRUE(status.ok()) << status.error().ToString();
    return test_.Instructions();
  }
};

TEST_F(EncodeTest, PicksTheShortestForms) {
  build_.Load(Op::kIload, 0);
  build_.Load(Op::kAload, 3);
  build_.Load(Op::kLload, 4);
  build_.Store(Op::kDstore, 2);
  build_.Store(Op::kAstore, 300);
  build_.Emit(Op::kIinc, 5, -128);
  build_.Emit(Op::kIinc, 5, 128);
  build_.Emit(Op::kIinc, 256, 1);
  build_.PushInt(-1);
  build_.PushInt(5);
  build_.PushInt(6);
  build_.PushInt(-129);
  build_.Emit(Op::kRet, 2);
  EXPECT_EQ(Encode(), (ByteVector{0x1a, 0x2d, 0x16, 4,    0x49, 0xc4, 0x3a, 1,    0x2c, 0x84, 5,
                                  0x80, 0xc4, 0x84, 0,    5,    0,    0x80, 0xc4, 0x84, 1,    0,
                                  0,    1,    0x02, 0x08, 0x10, 6,    0x11, 0xff, 0x7f, 0xa9, 2}));
}

TEST_F(EncodeTest, LdcBecomesWideBeyondIndex255) {
  while (test_.file.pool.size() < 255) {
    ASSERT_TRUE(
        test_.file.pool.AddInteger(1000000 + static_cast<int>(test_.file.pool.size())).ok());
  }
  build_.PushInt(123456);
  build_.PushInt(123457);
  EXPECT_EQ(Encode(), (ByteVector{0x12, 0xff, 0x13, 0x01, 0x00}));
}

// A stack trace may show what a pass put in front of a method.
TEST_F(EncodeTest, WhatIsInsertedInFrontHasTheFirstLine) {
  Element own{ElementKind::kInstruction, Op::kNop, 0, 0, 0, {}};
  build_.Emit(Op::kNop);
  build_.Line(7);
  build_.Copy(own);
  build_.Emit(Op::kNop);
  build_.Line(8);
  build_.Copy(own);
  Encode();
  ByteSpan code = test_.method().CurrentCode();
  const ByteVector lines = {0, 0, 0, 10, 0, 2, 0, 0, 0, 7, 0, 3, 0, 8};
  EXPECT_EQ(ByteVector(code.end() - 14, code.end()), lines);
}

// HotSpot takes a lookupswitch without pairs for cut off when nothing follows it.
TEST_F(EncodeTest, DoesNotEndInASwitchWithoutPairs) {
  Label start = build_.Here();
  build_.PushInt(1);
  code_.switches.push_back({0, {}, {}, start});
  build_.Emit(Op::kLookupswitch, 0, 0);
  EXPECT_EQ(Encode(), (ByteVector{0x04, 0x57, 0xa7, 0xff, 0xfe}));
}

TEST_F(EncodeTest, PadsSwitches) {
  for (int padding = 0; padding < 4; ++padding) {
    SCOPED_TRACE(padding);
    TestMethod test;
    Code code;
    CodeBuilder build(test.file, code);
    for (int i = 0; i < padding; ++i) build.Emit(Op::kNop);
    Label target = build.NewLabel();
    code.switches.push_back({7, {}, {target, target}, target});
    build.Emit(Op::kTableswitch, 0, 0);
    build.Bind(target);
    build.Emit(Op::kReturn);
    ASSERT_TRUE(build.Finish().ok());
    ASSERT_TRUE(EncodeCode(code, test.file, test.method()).ok());
    ByteVector bytes = test.Instructions();
    size_t at = (static_cast<size_t>(padding) + 4) / 4 * 4;
    ASSERT_EQ(bytes.size(), at + 4 * 5 + 1);
    EXPECT_EQ(bytes[at + 7], 7);                                                // low
    EXPECT_EQ(bytes[at + 11], 8);                                               // high
    EXPECT_EQ(bytes[at + 3], bytes.size() - 1 - static_cast<size_t>(padding));  // default
  }
}

TEST_F(EncodeTest, WidensGotoAndInvertsConditionals) {
  Label far = build_.NewLabel();
  build_.Emit(Op::kIconst0);
  build_.Jump(Op::kIfeq, far);
  build_.Jump(Op::kGoto, far);
  for (int i = 0; i < 40000; ++i) build_.Emit(Op::kNop);
  build_.Bind(far);
  build_.Emit(Op::kReturn);
  ByteVector bytes = Encode();
  // 0: iconst_0; 1: ifne +8; 4: goto_w far; 9: goto_w far; 14: nop...
  ASSERT_EQ(bytes.size(), 14u + 40000 + 1);
  EXPECT_EQ(ByteVector(bytes.begin(), bytes.begin() + 14),
            (ByteVector{0x03, 0x9a, 0, 8, 0xc8, 0, 0, 0x9c, 0x4a, 0xc8, 0, 0, 0x9c, 0x45}));
}

TEST_F(EncodeTest, JumpsThatJustFitStayShort) {
  Label far = build_.NewLabel();
  build_.Jump(Op::kGoto, far);
  for (int i = 0; i < 32767 - 3; ++i) build_.Emit(Op::kNop);
  build_.Bind(far);
  build_.Emit(Op::kReturn);
  ByteVector bytes = Encode();
  EXPECT_EQ(bytes.size(), 32768u);
  EXPECT_EQ(bytes[1] << 8 | bytes[2], 32767);
}

TEST_F(EncodeTest, RefusesMoreThan64K) {
  for (int i = 0; i < 65535; ++i) build_.Emit(Op::kNop);
  ASSERT_TRUE(build_.Finish().ok());
  ASSERT_TRUE(EncodeCode(code_, test_.file, test_.method()).ok());
  ByteVector before = test_.method().new_code;
  CodeBuilder more(test_.file, code_, CodeBuilder::Append{});
  more.Emit(Op::kReturn);
  ASSERT_TRUE(more.Finish().ok());
  Status status = EncodeCode(code_, test_.file, test_.method());
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().ToString(), "code of more than 65535 bytes in class T, method m()V");
  EXPECT_EQ(test_.method().new_code, before);
}

TEST_F(EncodeTest, RefusesUnboundLabels) {
  build_.Jump(Op::kGoto, build_.NewLabel());
  ASSERT_TRUE(build_.Finish().ok());
  EXPECT_FALSE(EncodeCode(code_, test_.file, test_.method()).ok());
}

TEST_F(EncodeTest, DropsEmptyExceptionRanges) {
  Label here = build_.Here();
  build_.Handler(here, here, here);
  build_.Emit(Op::kReturn);
  Encode();
  auto code = DecodeCode(test_.file, test_.method());
  ASSERT_TRUE(code.ok());
  EXPECT_TRUE(code->tries.empty());
}

TEST_F(EncodeTest, BoundsTheStackOfInsertedCode) {
  code_.max_stack = 3;
  build_.PushLong(1);
  build_.PushInt(2);
  build_.Emit(Op::kPop);
  build_.Emit(Op::kPop2);
  build_.Emit(Op::kReturn);
  Encode();
  EXPECT_EQ(code_.max_stack, 6u);
}

}  // namespace
}  // namespace assay::bytecode
