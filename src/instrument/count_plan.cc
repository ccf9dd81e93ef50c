// P3's basic blocks do not end at calls. Ours do, because the counter is in a register and has to
// be written back at a call anyway: then nothing is counted that an exception out of the call
// skips. What is left of the paper's inexactness is an exception thrown by an instruction itself,
// whose block was counted up to the next call.
//
// Checks: exits have one of their own, and so have callees. Others are needed at loop heads, and
// where a path would be longer than max_path; walking the blocks in reverse postorder, the longest
// distance since a check is known at the start of each block, because only retreating edges come
// from later blocks, and those end at a loop head.
#include "src/instrument/count_plan.h"

#include <algorithm>

#include "src/bytecode/control_flow.h"

namespace assay::instrument {
namespace {

using bytecode::Block;
using bytecode::Code;
using bytecode::ControlFlow;
using bytecode::Element;
using bytecode::Op;

class Planner {
 public:
  Planner(const Code& code, const ControlFlow& flow, uint32_t max_path, bool fewer_checks,
          const OpcodeWeights& weights)
      : code_(code),
        flow_(flow),
        max_path_(max_path),
        fewer_checks_(fewer_checks),
        weights_(weights) {
    plan_.count.assign(code.elements.size(), 0);
    plan_.check.assign(code.elements.size(), 0);
    plan_.handler.assign(code.elements.size(), 0);
    distance_.assign(flow.blocks().size(), 0);
    is_head_.assign(flow.blocks().size(), 0);
    is_handler_.assign(flow.blocks().size(), 0);
  }

  CountPlan Run() {
    for (const auto& edge : flow_.BackEdges()) is_head_[edge.to] = 1;
    for (const auto& edge : flow_.IrreducibleEdges()) is_head_[edge.to] = 1;
    for (const auto& range : code_.tries) is_handler_[flow_.BlockOf(range.handler)] = 1;
    for (uint32_t block : flow_.ReversePostorder()) Visit(block);
    plan_.straight = !plan_.calls && flow_.blocks().size() == 1 && !throws_ && is_head_[0] == 0;
    return std::move(plan_);
  }

 private:
  void Visit(uint32_t id) {
    const Block& block = flow_.blocks()[id];
    uint32_t first = FirstInstruction(block);
    if (first == block.end) return Pass(block, distance_[id]);
    plan_.handler[first] = is_handler_[id];
    bool check = is_head_[id] || !fewer_checks_;
    if (check) plan_.check[first] = 1;
    uint32_t distance = check || is_handler_[id] ? 0 : distance_[id];
    uint32_t segment = first;
    for (uint32_t i = first; i < block.end; ++i) {
      const Element& element = code_.elements[i];
      if (!element.IsInstruction()) continue;
      const uint32_t weight = weights_.of[static_cast<uint8_t>(element.op)];
      plan_.bytecodes += weight;
      throws_ |= element.op == Op::kAthrow;
      if (max_path_ != 0 && distance >= max_path_) {
        plan_.check[i] = 1;
        segment = i;
        distance = 0;
      }
      ++distance;
      plan_.count[segment] += weight;
      if (bytecode::IsInvoke(element.op)) {
        plan_.calls = true;
        distance = 0;
        segment = NextInstruction(i, block.end);
      }
    }
    Pass(block, distance);
  }

  void Pass(const Block& block, uint32_t distance) {
    for (uint32_t next : block.successors) distance_[next] = std::max(distance_[next], distance);
  }

  uint32_t FirstInstruction(const Block& block) const {
    uint32_t i = block.begin;
    while (i < block.end && !code_.elements[i].IsInstruction()) ++i;
    return i;
  }
  uint32_t NextInstruction(uint32_t i, uint32_t end) const {
    for (++i; i < end && !code_.elements[i].IsInstruction();) ++i;
    return i;
  }

  const Code& code_;
  const ControlFlow& flow_;
  const uint32_t max_path_;
  const bool fewer_checks_;
  const OpcodeWeights& weights_;
  CountPlan plan_;
  std::vector<uint32_t> distance_;  // since the last check, at the start of each block
  std::vector<uint8_t> is_head_;
  std::vector<uint8_t> is_handler_;
  bool throws_ = false;
};

}  // namespace

Result<CountPlan> PlanCounting(const Code& code, uint32_t max_path, bool fewer_checks,
                               const OpcodeWeights& weights) {
  ASSAY_ASSIGN(ControlFlow flow, ControlFlow::Build(code));
  return Planner(code, flow, max_path, fewer_checks, weights).Run();
}

}  // namespace assay::instrument
