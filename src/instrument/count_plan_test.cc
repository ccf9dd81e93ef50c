#include "src/instrument/count_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "src/bytecode/code_builder.h"
#include "src/bytecode/test_method.h"

namespace assay::instrument {
namespace {

using bytecode::Code;
using bytecode::CodeBuilder;
using bytecode::Label;
using bytecode::Op;
using bytecode::TestMethod;

class CountPlanTest : public testing::Test {
 protected:
  TestMethod test_;
  Code code_;
  CodeBuilder build_{test_.file, code_};

  const Code& Finished() {
    EXPECT_TRUE(build_.Finish().ok());
    return code_;
  }
  CountPlan Plan(uint32_t max_path = 0, bool fewer_checks = true) {
    auto plan = PlanCounting(Finished(), max_path, fewer_checks);
    EXPECT_TRUE(plan.ok());
    return std::move(*plan);
  }
  void Nops(int count) {
    for (int i = 0; i < count; ++i) build_.Emit(Op::kNop);
  }
  static uint32_t Sum(const CountPlan& plan) {
    uint32_t sum = 0;
    for (const auto* counts : {&plan.add, &plan.count, &plan.leave}) {
      sum = std::accumulate(counts->begin(), counts->end(), sum);
    }
    return sum;
  }
  static int Checks(const CountPlan& plan) {
    return static_cast<int>(plan.check.size() - std::count(plan.check.begin(), plan.check.end(),
                                                           CountPlan::kNoCheck));
  }
};

TEST_F(CountPlanTest, StraightCodeIsCountedOnce) {
  Nops(4);
  build_.Emit(Op::kReturn);
  CountPlan plan = Plan();
  EXPECT_TRUE(plan.straight);
  EXPECT_EQ(plan.bytecodes, 5u);
  EXPECT_EQ(plan.leave[4], 5u);
  EXPECT_FALSE(plan.sums);
  EXPECT_EQ(Checks(plan), 0);
}

TEST_F(CountPlanTest, AMethodOfOneBlockIsCountedWhereItBegins) {
  Nops(2);
  build_.InvokeStatic("C", "m", "()V");
  Nops(3);
  build_.Emit(Op::kReturn);
  CountPlan plan = Plan();
  EXPECT_TRUE(plan.calls);
  EXPECT_FALSE(plan.straight);
  EXPECT_EQ(plan.count, (std::vector<uint32_t>{7, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(Sum(plan), 7u);
  EXPECT_FALSE(plan.sums);
}

TEST_F(CountPlanTest, EveryCallEndsARunWhenEverythingIsChecked) {
  Nops(2);
  build_.InvokeStatic("C", "m", "()V");
  Nops(3);
  build_.Emit(Op::kReturn);
  CountPlan plan = Plan(0, false);
  EXPECT_EQ(plan.count, (std::vector<uint32_t>{3, 0, 0, 4, 0, 0, 0}));
  EXPECT_EQ(Sum(plan), 7u);
}

TEST_F(CountPlanTest, HeadsOfLoopsThatCallAreChecked) {
  Nops(1);
  Label head = build_.Here();
  build_.InvokeStatic("C", "m", "()I");
  build_.Jump(Op::kIfeq, head);
  build_.Emit(Op::kReturn);
  CountPlan plan = Plan();
  EXPECT_EQ(Sum(plan), 4u);
  EXPECT_EQ(Checks(plan), 1);
  EXPECT_EQ(plan.check[2], CountPlan::kFlushAndCheck);  // the instruction behind the label
  EXPECT_FALSE(plan.unbounded);
  EXPECT_EQ(plan.add, (std::vector<uint32_t>{1, 0, 1, 1, 1}));
  EXPECT_TRUE(plan.flush[4]);
}

TEST_F(CountPlanTest, LoopsWithoutCallsStayInTheSum) {
  Label head = build_.Here();
  build_.Emit(Op::kIconst0);
  build_.Jump(Op::kIfeq, head);
  build_.InvokeStatic("C", "m", "()V");
  build_.Emit(Op::kReturn);
  CountPlan plan = Plan();
  EXPECT_EQ(Checks(plan), 0);
  EXPECT_TRUE(plan.unbounded);
  EXPECT_EQ(plan.add, (std::vector<uint32_t>{0, 2, 0, 1, 1}));
  EXPECT_TRUE(plan.flush[4]);
}

TEST_F(CountPlanTest, BranchesMeetWithTheSumPending) {
  Label join = build_.NewLabel();
  build_.Emit(Op::kIconst0);
  build_.Jump(Op::kIfeq, join);
  build_.InvokeStatic("C", "m", "()V");
  build_.Bind(join);
  build_.Emit(Op::kReturn);
  CountPlan plan = Plan();
  EXPECT_EQ(plan.add, (std::vector<uint32_t>{2, 0, 1, 0, 1}));
  EXPECT_FALSE(plan.flush[2]);  // a call happens with the sum pending
  EXPECT_TRUE(plan.flush[4]);
  EXPECT_FALSE(plan.unbounded);
}

TEST_F(CountPlanTest, AThrowLeavesItsSumToTheHandler) {
  Label join = build_.NewLabel();
  build_.Emit(Op::kIconst0);
  build_.Jump(Op::kIfeq, join);
  build_.Emit(Op::kAconstNull);
  build_.Emit(Op::kAthrow);
  build_.Bind(join);
  build_.Emit(Op::kReturn);
  CountPlan plan = Plan();
  EXPECT_EQ(plan.add, (std::vector<uint32_t>{2, 0, 2, 0, 0, 1}));
  EXPECT_EQ(std::count(plan.flush.begin(), plan.flush.end(), 1), 1);
  EXPECT_TRUE(plan.sums);
}

TEST_F(CountPlanTest, AnEndlessLoopIsNotStraight) {
  Label head = build_.Here();
  Nops(1);
  build_.Jump(Op::kGoto, head);
  EXPECT_FALSE(Plan().straight);
}

TEST_F(CountPlanTest, NoPathIsLongerThanMaxPath) {
  // Two branches of different length that join: the longer one decides.
  Label other = build_.NewLabel(), join = build_.NewLabel();
  build_.Emit(Op::kIconst0);
  build_.Jump(Op::kIfeq, other);
  Nops(2);
  build_.Jump(Op::kGoto, join);
  build_.Bind(other);
  Nops(6);
  build_.Bind(join);
  Nops(25);
  build_.Emit(Op::kReturn);
  CountPlan plan = Plan(10);
  EXPECT_EQ(Sum(plan), 2u + 3u + 6u + 26u);
  int since = 2 + 6;  // along the longer branch
  bool joined = false;
  for (size_t i = 0; i < code_.elements.size(); ++i) {
    if (code_.elements[i].IsLabel() && code_.elements[i].label() == join) joined = true;
    if (!joined || !code_.elements[i].IsInstruction()) continue;
    since = plan.check[i] ? 1 : since + 1;
    EXPECT_LE(since, 10);
  }
  EXPECT_EQ(Checks(plan), 3);
}

TEST_F(CountPlanTest, EveryBlockIsCheckedWhenAsked) {
  Label join = build_.NewLabel();
  build_.Emit(Op::kIconst0);
  build_.Jump(Op::kIfeq, join);
  Nops(1);
  build_.Bind(join);
  build_.Emit(Op::kReturn);
  EXPECT_EQ(Checks(Plan(0, false)), 3);
}

// javac's handler of `synchronized`, which covers itself up to the monitorexit.
TEST_F(CountPlanTest, NothingIsCalledWhereTheHandlerWouldCatchItAgain) {
  Label start = build_.Here();
  build_.InvokeStatic("C", "m", "()V");
  Label end = build_.Here();
  build_.Emit(Op::kReturn);
  Label handler = build_.Here();
  build_.Store(Op::kAstore, 1);
  build_.Load(Op::kAload, 0);
  build_.Emit(Op::kMonitorexit);
  Label free = build_.Here();
  const size_t behind = code_.elements.size();
  build_.Load(Op::kAload, 1);
  build_.Emit(Op::kAthrow);
  build_.Handler(start, end, handler);
  build_.Handler(handler, free, handler);
  Finished();
  for (uint32_t max_path : {0u, 1u}) {
    for (bool fewer_checks : {true, false}) {
      SCOPED_TRACE(std::to_string(max_path) + (fewer_checks ? " few checks" : " all checks"));
      auto plan = PlanCounting(code_, max_path, fewer_checks);
      ASSERT_TRUE(plan.ok());
      EXPECT_EQ(Sum(*plan), 7u);
      EXPECT_EQ(std::count(plan->handler.begin(), plan->handler.end(), 1), 1);
      EXPECT_TRUE(plan->handler[behind]);
      for (size_t i = behind - 4; i < behind; ++i) {
        EXPECT_EQ(plan->count[i] + plan->check[i] + plan->flush[i], 0u) << i;
      }
      EXPECT_TRUE(plan->sums);
    }
  }
}

}  // namespace
}  // namespace assay::instrument
