#include "src/bytecode/handler_entries.h"

#include <gtest/gtest.h>

#include "src/bytecode/code_builder.h"
#include "src/bytecode/test_method.h"

namespace assay::bytecode {
namespace {

class HandlerEntriesTest : public testing::Test {
 protected:
  TestMethod test_;
  Code code_;
  CodeBuilder build_{test_.file, code_};

  // The instructions marked, counted from 0.
  template <typename Marks>
  std::vector<int> Marked(const Marks& marks) {
    std::vector<int> found;
    int instruction = 0;
    for (size_t i = 0; i < code_.elements.size(); ++i) {
      if (!code_.elements[i].IsInstruction()) continue;
      if (marks[i]) found.push_back(instruction);
      ++instruction;
    }
    return found;
  }
  HandlerEntries Find() {
    EXPECT_TRUE(build_.Finish().ok());
    return FindHandlerEntries(code_);
  }
  // try { nop } and, as the handler: pop nop nop return, of which it covers the first `covered`.
  HandlerEntries FindWithCover(size_t covered) {
    Label start = build_.Here();
    build_.Emit(Op::kNop);
    build_.Emit(Op::kReturn);
    Label end = build_.Here(), handler = build_.Here();
    Label ends[5];
    const Op ops[] = {Op::kPop, Op::kNop, Op::kNop, Op::kReturn};
    for (size_t i = 0; i < 4; ++i) {
      ends[i] = build_.Here();
      build_.Emit(ops[i]);
    }
    ends[4] = build_.Here();
    build_.Handler(start, end, handler);
    if (covered > 0) build_.Handler(ends[0], ends[covered], handler);
    return Find();
  }
};

TEST_F(HandlerEntriesTest, AHandlerBeginsAtItsFirstInstruction) {
  HandlerEntries found = FindWithCover(0);
  EXPECT_EQ(Marked(found.place), std::vector<int>{2});
  EXPECT_EQ(Marked(found.silent), std::vector<int>{});
}

TEST_F(HandlerEntriesTest, OneThatCoversItselfBeginsBehindThat) {
  HandlerEntries found = FindWithCover(2);
  EXPECT_EQ(Marked(found.place), std::vector<int>{4});
  EXPECT_EQ(Marked(found.silent), (std::vector<int>{2, 3}));
}

TEST_F(HandlerEntriesTest, OneThatDoesNotFallOutOfItsOwnCoverHasNoPlace) {
  HandlerEntries found = FindWithCover(4);
  EXPECT_EQ(Marked(found.place), std::vector<int>{});
  EXPECT_EQ(Marked(found.silent), (std::vector<int>{2, 3, 4, 5}));
}

TEST_F(HandlerEntriesTest, RangesOfOneHandlerMayFollowEachOther) {
  Label handler = build_.Here();
  build_.Emit(Op::kPop);
  Label middle = build_.Here();
  build_.Emit(Op::kNop);
  Label end = build_.Here();
  build_.Emit(Op::kReturn);
  build_.Handler(middle, end, handler);
  build_.Handler(handler, middle, handler);
  HandlerEntries found = Find();
  EXPECT_EQ(Marked(found.place), std::vector<int>{2});
  EXPECT_EQ(Marked(found.silent), (std::vector<int>{0, 1}));
}

TEST_F(HandlerEntriesTest, WhatCallsUnderItsOwnCoverIsNotSilent) {
  Label handler = build_.Here();
  build_.Emit(Op::kPop);
  build_.InvokeStatic("C", "m", "()V");
  build_.Emit(Op::kReturn);
  Label end = build_.Here();
  build_.Handler(handler, end, handler);
  HandlerEntries found = Find();
  EXPECT_EQ(Marked(found.place), std::vector<int>{1});
  EXPECT_EQ(Marked(found.silent), std::vector<int>{0});
}

}  // namespace
}  // namespace assay::bytecode
