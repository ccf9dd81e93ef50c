#include "src/sampling/visited_stack.h"

#include <gtest/gtest.h>

#include <vector>

#include "src/sampling/watermark.h"

namespace assay::sampling {
namespace {

StackFrame Frame(uintptr_t slot, uintptr_t pc, uintptr_t identity, uint64_t at = 0) {
  return {slot, pc, identity, {at, RawFrame::kAtCall}};
}

class VisitedStackTest : public testing::Test {
 protected:
  void SetUp() override {
    stack_.Use(memory_.data(), static_cast<uint32_t>(memory_.size()));
    stack_.Push(Frame(0x900, 1, 10));
    stack_.Push(Frame(0x800, 2, 20));
    stack_.Push(Frame(0x700, 3, 30));
  }
  std::vector<StackFrame> memory_ = std::vector<StackFrame>(8);
  VisitedStack stack_;
};

TEST(RawFrame, TellsCompiledFromInterpretedAndOneCompilationFromAnother) {
  for (int32_t compilation : {0, 1, 77, INT32_MAX}) {
    for (auto kind : {RawFrame::kAtCall, RawFrame::kNear, RawFrame::kMethodOnly, RawFrame::kNative}) {
      const RawFrame frame = RawFrame::Compiled(0x7f0000001234, kind, compilation);
      EXPECT_FALSE(frame.interpreted());
      EXPECT_EQ(frame.kind(), kind);
      EXPECT_EQ(frame.compilation(), compilation);
      EXPECT_EQ(frame.guarded(), kind != RawFrame::kNative);
      EXPECT_NE(frame, RawFrame::Compiled(0x7f0000001234, kind, 5));
    }
  }
  for (uint64_t bytecode : {uint64_t{0x7f0000001235}, RawFrame::kNoBytecode}) {
    const RawFrame frame{0x7f0000001000, bytecode};
    EXPECT_TRUE(frame.interpreted());
    EXPECT_FALSE(frame.guarded());
    EXPECT_EQ(frame.compilation(), 0);
  }
}

TEST_F(VisitedStackTest, ReturnsPopExactlyWhatReturned) {
  stack_.PopReturned(0x700);
  EXPECT_EQ(stack_.depth(), 2u);
  stack_.PopReturned(0x7f8);
  EXPECT_EQ(stack_.depth(), 2u);
  stack_.DropBelow(0x801);
  EXPECT_EQ(stack_.depth(), 1u);
}

TEST_F(VisitedStackTest, MeetsTheNewestSurvivor) {
  uint32_t guarded = stack_.Guarded();
  EXPECT_EQ(guarded, 3u);
  EXPECT_FALSE(stack_.Meets(Frame(0x600, 9, 90), &guarded));
  EXPECT_EQ(guarded, 3u);
  EXPECT_TRUE(stack_.Meets(Frame(0x700, 3, 30), &guarded));
  EXPECT_EQ(guarded, 3u);
}

TEST_F(VisitedStackTest, AnotherFrameInThePlaceIsNotMet) {
  uint32_t guarded = stack_.Guarded();
  EXPECT_FALSE(stack_.Meets(Frame(0x700, 3, 31), &guarded));  // as by on-stack replacement
  EXPECT_EQ(guarded, 2u);
  EXPECT_FALSE(stack_.Meets(Frame(0x880, 5, 50), &guarded));  // passes 0x800 without meeting it
  EXPECT_EQ(guarded, 1u);
  EXPECT_TRUE(stack_.Meets(Frame(0x900, 1, 10), &guarded));
}

TEST_F(VisitedStackTest, InterpretedAndNativeFramesAreNotGuarded) {
  stack_.Push({0x600, 4, 40, {40, 0x12345}});
  stack_.Push({0x500, 5, 50, {50, RawFrame::kNative}});
  EXPECT_EQ(stack_.Guarded(), 3u);
  stack_.Push(Frame(0x400, 6, 60));
  EXPECT_EQ(stack_.Guarded(), 6u);
  stack_.Clear();
  stack_.Push({0x600, 4, 40, {40, 0x12345}});
  EXPECT_EQ(stack_.Guarded(), 1u);
}

TEST_F(VisitedStackTest, CommonPartEndsWhereAFrameMovedOn) {
  std::vector<StackFrame> walk = {Frame(0x600, 9, 90), Frame(0x700, 3, 30), Frame(0x800, 2, 20),
                                  Frame(0x900, 1, 10)};
  stack_.KeepCommon(walk.data(), 4, 0);
  EXPECT_EQ(stack_.depth(), 3u);
  walk[2].where.a = 7;  // stands elsewhere: its callee cannot be the same activation
  stack_.KeepCommon(walk.data(), 4, 0);
  EXPECT_EQ(stack_.depth(), 2u);
  walk[3].return_pc = 8;
  stack_.KeepCommon(walk.data(), 4, 0);
  EXPECT_EQ(stack_.depth(), 0u);
}

TEST_F(VisitedStackTest, CommonPartBeginsAtTheGuard) {
  std::vector<StackFrame> walk = {Frame(0x700, 3, 30), Frame(0x800, 2, 20)};
  stack_.KeepCommon(walk.data(), 2, 2);  // the oldest of the walk is frame number 2
  EXPECT_EQ(stack_.depth(), 3u);
  walk[1].where.a = 7;
  stack_.KeepCommon(walk.data(), 2, 2);
  EXPECT_EQ(stack_.depth(), 2u);
}

TEST(WatermarkTest, LiesBetweenAFrameAndItsCallees) {
  for (uintptr_t slot : {0x7f0000001008ul, 0x7f0000001000ul}) {
    uint64_t mark = Watermark::For(slot);
    EXPECT_TRUE(Watermark::IsOurs(mark));
    EXPECT_GT(slot, mark);       // compiled code compares where the return address lies
    EXPECT_GT(slot - 8, mark);   // the interpreter compares rbp
    EXPECT_LE(slot - 16, mark);  // the nearest that a callee's return address can be
  }
}

TEST(WatermarkTest, NeverTouchesWhatTheVmWrote) {
  for (uint64_t vm : {uint64_t{1}, uint64_t{0x7f0000001000}, ~uint64_t{0}}) {
    std::atomic<uint64_t> word{vm};
    EXPECT_FALSE(Watermark::Replace(word, Watermark::kResting, Watermark::For(0x2000)));
    EXPECT_FALSE(Watermark::Replace(word, vm, Watermark::For(0x2000)));
    Watermark::Remove(word);
    EXPECT_EQ(word.load(), vm);
  }
  std::atomic<uint64_t> word{Watermark::kResting};
  EXPECT_TRUE(Watermark::Replace(word, Watermark::kResting, Watermark::For(0x2000)));
  EXPECT_FALSE(Watermark::Replace(word, Watermark::kResting, Watermark::For(0x3000)));
  EXPECT_TRUE(Watermark::Replace(word, Watermark::For(0x2000), Watermark::kNextReturn));
  Watermark::Remove(word);
  EXPECT_EQ(word.load(), Watermark::kResting);
}

}  // namespace
}  // namespace assay::sampling
