#include "src/bytecode/control_flow.h"

#include <gtest/gtest.h>

#include "src/bytecode/code_builder.h"
#include "src/bytecode/test_method.h"

namespace assay::bytecode {
namespace {

class ControlFlowTest : public testing::Test {
 protected:
  TestMethod test_;
  Code code_;
  CodeBuilder build_{test_.file, code_};

  ControlFlow Build() {
    EXPECT_TRUE(build_.Finish().ok());
    auto flow = ControlFlow::Build(code_);
    EXPECT_TRUE(flow.ok());
    return std::move(*flow);
  }
  void Test(Label target) {
    build_.Emit(Op::kIconst0);
    build_.Jump(Op::kIfeq, target);
  }
};

TEST_F(ControlFlowTest, Diamond) {
  Label other = build_.NewLabel(), join = build_.NewLabel();
  Test(other);                   // block 0
  build_.Jump(Op::kGoto, join);  // block 1
  build_.Bind(other);
  build_.Emit(Op::kNop);  // block 2
  build_.Bind(join);
  build_.Emit(Op::kReturn);  // block 3
  ControlFlow flow = Build();
  ASSERT_EQ(flow.blocks().size(), 4u);
  EXPECT_EQ(flow.blocks()[0].successors, (std::vector<uint32_t>{1, 2}));
  EXPECT_EQ(flow.blocks()[3].predecessors, (std::vector<uint32_t>{1, 2}));
  EXPECT_EQ(flow.ImmediateDominator(3), 0u);
  EXPECT_FALSE(flow.Dominates(1, 3));
  EXPECT_TRUE(flow.BackEdges().empty());
  EXPECT_TRUE(flow.IrreducibleEdges().empty());
}

TEST_F(ControlFlowTest, NestedLoops) {
  build_.Emit(Op::kNop);  // block 0
  Label outer = build_.Here();
  build_.Emit(Op::kNop);  // block 1
  Label inner = build_.Here();
  Test(inner);               // block 2
  Test(outer);               // block 3
  build_.Emit(Op::kReturn);  // block 4
  ControlFlow flow = Build();
  ASSERT_EQ(flow.BackEdges().size(), 2u);
  EXPECT_EQ(flow.BackEdges()[0], (Edge{2, 2}));
  EXPECT_EQ(flow.BackEdges()[1], (Edge{3, 1}));
  EXPECT_EQ(flow.LoopOf(1), (std::vector<uint32_t>{1, 3, 2}));
  EXPECT_EQ(flow.LoopOf(2), (std::vector<uint32_t>{2}));
}

TEST_F(ControlFlowTest, LoopWithTwoEntriesIsIrreducible) {
  Label left = build_.NewLabel(), right = build_.NewLabel();
  Test(right);  // block 0
  build_.Bind(left);
  build_.Emit(Op::kNop);  // block 1
  build_.Bind(right);
  Test(left);                // block 2
  build_.Emit(Op::kReturn);  // block 3
  ControlFlow flow = Build();
  EXPECT_TRUE(flow.BackEdges().empty());
  EXPECT_EQ(flow.IrreducibleEdges().size(), 1u);
}

TEST_F(ControlFlowTest, HandlersAreReachedFromTheirRange) {
  Label handler = build_.NewLabel();
  build_.Emit(Op::kNop);  // block 0
  Label start = build_.Here();
  build_.Emit(Op::kNop);  // block 1
  Label end = build_.Here();
  build_.Emit(Op::kReturn);  // block 2
  build_.Bind(handler);
  build_.Emit(Op::kAthrow);  // block 3
  build_.Emit(Op::kReturn);  // block 4, unreachable
  build_.Handler(start, end, handler);
  ControlFlow flow = Build();
  EXPECT_TRUE(flow.blocks()[0].handlers.empty());
  EXPECT_EQ(flow.blocks()[1].handlers, (std::vector<uint32_t>{3}));
  EXPECT_TRUE(flow.blocks()[2].handlers.empty());
  EXPECT_EQ(flow.ImmediateDominator(3), 1u);
  EXPECT_TRUE(flow.Reachable(3));
  EXPECT_FALSE(flow.Reachable(4));
}

TEST_F(ControlFlowTest, SubroutinesReturnBehindEveryCall) {
  Label subroutine = build_.NewLabel();
  build_.Jump(Op::kJsr, subroutine);  // block 0
  build_.Jump(Op::kJsr, subroutine);  // block 1
  build_.Emit(Op::kReturn);           // block 2
  build_.Bind(subroutine);
  build_.Store(Op::kAstore, 1);  // block 3
  build_.Emit(Op::kRet, 1);
  ControlFlow flow = Build();
  EXPECT_EQ(flow.blocks()[0].successors, (std::vector<uint32_t>{3}));
  EXPECT_EQ(flow.blocks()[3].successors, (std::vector<uint32_t>{1, 2}));
}

}  // namespace
}  // namespace assay::bytecode
