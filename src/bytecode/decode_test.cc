#include "src/bytecode/decode.h"

#include <gtest/gtest.h>

#include "src/bytecode/encode.h"
#include "src/bytecode/test_method.h"

namespace assay::bytecode {
namespace {

TEST(Decode, CanonicalForms) {
  TestMethod test(49);
  // wide iload 1; iload_2; goto_w +5; return
  test.SetCode({0xc4, 0x15, 0, 1, 0x1c, 0xc8, 0, 0, 0, 5, 0xb1});
  auto code = DecodeCode(test.file, test.method());
  ASSERT_TRUE(code.ok()) << code.error().ToString();
  ASSERT_EQ(code->elements.size(), 5u);  // with a label
  EXPECT_TRUE(code->elements[0].Is(Op::kIload));
  EXPECT_EQ(code->elements[0].index, 1);
  EXPECT_EQ(code->elements[1].index, 2);
  EXPECT_EQ(code->elements[1].bci, 4);
  EXPECT_TRUE(code->elements[2].Is(Op::kGoto));
  EXPECT_EQ(code->elements[2].label(), code->elements[3].label());
}

TEST(Decode, RefusesMalformedCode) {
  const std::pair<const char*, ByteVector> cases[] = {
      {"instruction is cut off (bci 0)", {0x11, 0}},
      {"unknown opcode 202 (bci 1)", {0, 0xca}},
      {"jump out of the method (bci 0)", {0xa7, 0, 3}},
      {"jump out of the method (bci 0)", {0xa7, 0xff, 0xff}},
      {"jump into the middle of an instruction (bci 1)", {0xa7, 0, 1, 0xb1}},
      {"switch is cut off (bci 0)", {0xaa, 0, 0, 0, 0, 0, 0, 0}},
      // tableswitch 0 .. 0x7fffffff
      {"switch is cut off (bci 0)",
       {0xaa, 0, 0, 0, 0, 0, 0, 16, 0, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff, 0xb1}},
      {"empty tableswitch (bci 0)", {0xaa, 0, 0, 0, 0, 0, 0, 16, 0, 0, 0, 1, 0, 0, 0, 0, 0xb1}},
      // lookupswitch with -1 pairs
      {"switch is cut off (bci 0)", {0xab, 0, 0, 0, 0, 0, 0, 12, 0xff, 0xff, 0xff, 0xff, 0xb1}},
      {"operand of ldc is not of the right kind (bci 0)", {0x12, 0, 0xb1}},
      {"operand of new is not of the right kind (bci 0)", {0xbb, 0xff, 0xff, 0xb1}},
      {"bad newarray type (bci 0)", {0xbc, 3, 0xb1}},
      {"bad instruction after wide (bci 0)", {0xc4, 0, 0, 0, 0xb1}},
  };
  for (const auto& [message, bytes] : cases) {
    TestMethod test;
    test.SetCode(bytes);
    auto code = DecodeCode(test.file, test.method());
    ASSERT_FALSE(code.ok()) << message;
    EXPECT_EQ(code.error().message, message);
    EXPECT_EQ(code.error().where, "class T, method m()V");
  }
}

TEST(Decode, RefusesBadTables) {
  TestMethod test;
  const ByteVector tails[] = {
      {0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},        // range from 0 to 0
      {0, 1, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0},        // range beyond the code
      {0, 1, 0, 0, 0, 1, 0, 5, 0, 0, 0, 0},        // handler beyond the code
      {0, 1, 0, 0, 0, 1, 0, 0, 0xff, 0, 0, 0},     // catches no class
      {0xff, 0xff, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0},  // cut off
      {0, 0, 0, 0, 9},                             // a byte too many
      {0, 0, 0, 1, 0, 5, 0x7f, 0xff, 0xff, 0xff},  // attribute of 2 GB
  };
  for (const ByteVector& tail : tails) {
    test.SetCode({0, 0xb1}, tail);
    EXPECT_FALSE(DecodeCode(test.file, test.method()).ok());
  }
}

// One method whose frames use every form; re-encoding must find the same forms.
TEST(Decode, FramesComeBackInTheSameForm) {
  TestMethod test(61, "(ILjava/lang/String;)V");
  uint16_t name = *test.file.pool.AddUtf8("StackMapTable");
  uint8_t object = static_cast<uint8_t>(*test.file.pool.AddClass("java/lang/Object"));
  ByteVector instructions(200, 0);
  instructions.back() = 0xb1;
  ByteVector frames = {
      0,      9,
      10,                                 // same, at 10
      64 + 3, 1,                          // same locals, an int on the stack, at 14
      252,    0, 4,  4,                   // append long, at 19
      254,    0, 0,  0, 7, 0, object, 5,  // append top, object, null, at 20
      249,    0, 9,                       // chop two, at 30
      251,    0, 70,                      // same extended, at 101
      247,    0, 70, 3,                   // same locals extended, a double on the stack, at 172
      255,    0, 5,  0, 1, 2, 0,      2, 1, 4,  // full: float; int, long, at 178
      248,    0, 0,                             // chop three of one: refused
  };
  frames[1] = 8;
  frames.resize(frames.size() - 3);
  ByteVector tail = {
      0, 0, 0, 1, 0, static_cast<uint8_t>(name), 0, 0, 0, static_cast<uint8_t>(frames.size())};
  tail.insert(tail.end(), frames.begin(), frames.end());
  test.SetCode(instructions, tail);
  ByteVector before = test.method().new_code;
  auto code = DecodeCode(test.file, test.method());
  ASSERT_TRUE(code.ok()) << code.error().ToString();
  ASSERT_EQ(code->frames.size(), 8u);
  EXPECT_EQ(code->frames[3].locals_count, 6u);
  EXPECT_EQ(code->frames[4].locals_count, 4u);
  EXPECT_EQ(code->frames[6].stack_count, 1u);
  ASSERT_TRUE(EncodeCode(*code, test.file, test.method()).ok());
  EXPECT_EQ(test.method().new_code, before);
}

// Found by the verifier of java.lang.classfile: labels of debug information are no jump targets.
TEST(Decode, Version50NeedsFramesOnlyForJumps) {
  TestMethod test(50);
  uint8_t name = static_cast<uint8_t>(*test.file.pool.AddUtf8("LocalVariableTable"));
  ByteVector variables = {0, 0, 0, 1, 0, name, 0, 0, 0, 12, 0, 1, 0, 0, 0, 1, 0, 1, 0, 1, 0, 0};
  test.SetCode({0, 0xb1}, variables);
  auto code = DecodeCode(test.file, test.method());
  ASSERT_TRUE(code.ok()) << code.error().ToString();
  EXPECT_GT(code->label_count, 0u);
  EXPECT_TRUE(code->has_frames);
  test.SetCode({0xa7, 0, 3, 0xb1}, variables);
  code = DecodeCode(test.file, test.method());
  ASSERT_TRUE(code.ok());
  EXPECT_FALSE(code->has_frames);
}

TEST(Decode, ExpandedFramesAreBounded) {
  // A full frame of 65535 locals, then append and chop in turn, each of which copies it all.
  TestMethod test;
  uint16_t name = *test.file.pool.AddUtf8("StackMapTable");
  ByteWriter frames;
  frames.U2(2001);
  frames.U1(255);
  frames.U2(0);
  frames.U2(65535);
  for (int i = 0; i < 65535; ++i) frames.U1(1);
  frames.U2(0);
  for (int i = 0; i < 1000; ++i) {
    frames.U1(250);
    frames.U2(0);
    frames.U1(252);
    frames.U2(0);
    frames.U1(1);
  }
  ByteWriter tail;
  tail.U2(0);
  tail.U2(1);
  tail.U2(name);
  tail.U4(static_cast<uint32_t>(frames.size()));
  tail.Bytes(frames.bytes());
  test.SetCode(ByteVector(3000, 0), tail.bytes());
  auto code = DecodeCode(test.file, test.method());
  ASSERT_FALSE(code.ok());
  EXPECT_EQ(code.error().message, "frames too large");
}

}  // namespace
}  // namespace assay::bytecode
