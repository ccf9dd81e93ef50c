#include "src/instrument/count_weights.h"

#include <gtest/gtest.h>

#include "src/bytecode/opcode.h"

namespace assay::instrument {
namespace {

using bytecode::Op;

std::string_view ClassOf(Op op) {
  return kOpcodeClasses[ClassOfOpcode(static_cast<uint8_t>(op))].name;
}

TEST(CountWeights, ClassesOfOpcodes) {
  EXPECT_EQ(ClassOf(Op::kIconst0), "constant");
  EXPECT_EQ(ClassOf(Op::kAload), "load");
  EXPECT_EQ(ClassOf(Op::kIadd), "arithmetic");
  EXPECT_EQ(ClassOf(Op::kIinc), "arithmetic");
  EXPECT_EQ(ClassOf(Op::kLmul), "multiply");
  EXPECT_EQ(ClassOf(Op::kDmul), "float");
  EXPECT_EQ(ClassOf(Op::kIrem), "divide");
  EXPECT_EQ(ClassOf(Op::kDdiv), "float-divide");
  EXPECT_EQ(ClassOf(Op::kGoto), "branch");
  EXPECT_EQ(ClassOf(Op::kTableswitch), "switch");
  EXPECT_EQ(ClassOf(Op::kInvokevirtual), "call");
  EXPECT_EQ(ClassOf(Op::kInvokeinterface), "interface-call");
  EXPECT_EQ(ClassOf(Op::kNewarray), "new-array");
  EXPECT_EQ(ClassOf(Op::kArraylength), "array-load");
  EXPECT_EQ(ClassOf(Op::kCheckcast), "cast");
  EXPECT_EQ(ClassOf(Op::kAthrow), "throw");
  EXPECT_EQ(ClassOf(Op::kMonitorexit), "monitor");
}

TEST(CountWeights, WhatTheFileDoesNotNameCountsOne) {
  auto weights = ParseWeights("# comment\n\ncall 12 # per call\r\n\tdivide\t30");
  ASSERT_TRUE(weights.ok());
  EXPECT_EQ(weights->of[static_cast<uint8_t>(Op::kInvokestatic)], 12);
  EXPECT_EQ(weights->of[static_cast<uint8_t>(Op::kIdiv)], 30);
  EXPECT_EQ(weights->of[static_cast<uint8_t>(Op::kIadd)], 1);
}

TEST(CountWeights, MistakesAreNamedWithTheirLine) {
  for (auto [text, message] : {std::pair{"call 1\nfly 2", "line 2: no class of instructions 'fly'"},
                               {"call", "line 1: expected one whole number"},
                               {"call 1.5", "line 1: expected"},
                               {"call 1001", "line 1: expected"},
                               {"call 1 2", "line 1: expected"}}) {
    auto weights = ParseWeights(text);
    ASSERT_FALSE(weights.ok()) << text;
    EXPECT_EQ(weights.error().message.find(message), 0u) << weights.error().message;
  }
}

}  // namespace
}  // namespace assay::instrument
