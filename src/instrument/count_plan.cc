// A method counts once, when it ends: until then what it executed is in a local sum, also while it
// calls. A counter that is written before every call and read by the next one is a chain through
// memory, five cycles a link; on programs that call every six it was a fifth of what counting cost
// (docs/03-bytecodes.md). In the sum blocks end at calls, so that an exception out of a call finds
// there what was executed (count_pass.cc counts it). A method of a single block has no sum: all of
// it is counted when it begins, as in P3, where an exception leaves the rest of the block counted.
// Loops that call count at their head.
//
// Few checks: callees have one at their entry, so the only ones needed are at the heads of loops
// that call (a callee may be one that does not check). A loop without calls stays in one context
// and in the local sum; what it executed is charged to that context however much it is.
//
// Where nothing may be called (handler_entries.h) there is no check, and what is executed goes to
// the local sum.
//
// max_path: walking the blocks in reverse postorder, the longest distance since a check is known
// at the start of each block, because only retreating edges come from later blocks.
#include "src/instrument/count_plan.h"

#include <algorithm>

#include "src/bytecode/control_flow.h"
#include "src/bytecode/handler_entries.h"

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
        weights_(weights),
        blocks_(flow.blocks().size()) {
    for (auto* counts : {&plan_.add, &plan_.count, &plan_.leave}) {
      counts->assign(code.elements.size(), 0);
    }
    for (auto* marks : {&plan_.check, &plan_.flush}) marks->assign(code.elements.size(), 0);
    auto entries = bytecode::FindHandlerEntries(code);
    plan_.handler.assign(entries.place.begin(), entries.place.end());
    silent_ = std::move(entries.silent);
  }

  CountPlan Run() {
    for (const auto& edge : flow_.BackEdges()) {
      blocks_[edge.to].head = true;
      blocks_[edge.to].check |= LoopCalls(edge.to);
    }
    for (const auto& edge : flow_.IrreducibleEdges()) {
      blocks_[edge.to].head = blocks_[edge.to].check = true;
    }
    for (const auto& range : code_.tries) blocks_[flow_.BlockOf(range.handler)].handler = true;
    single_ = blocks_.size() == 1 && !blocks_[0].head;
    for (uint32_t block : flow_.ReversePostorder()) Visit(block);
    plan_.straight = !plan_.calls && single_ && !throws_;
    return std::move(plan_);
  }

 private:
  struct State {
    bool head = false;
    bool check = false;
    bool handler = false;
    bool pending = false;   // the local sum may be other than 0 at the start
    uint32_t distance = 0;  // since the last check, at the start
  };
  // Instructions that are counted together.
  struct Stretch {
    uint32_t first = 0;
    uint32_t bytecodes = 0;
    bool checked = false;
    bool silent = false;
  };

  bool LoopCalls(uint32_t head) const {
    const auto loop = flow_.LoopOf(head);
    return std::any_of(loop.begin(), loop.end(), [&](uint32_t id) {
      const Block& block = flow_.blocks()[id];
      return std::any_of(code_.elements.begin() + block.begin, code_.elements.begin() + block.end,
                         [](const Element& e) { return e.IsInstruction() && bytecode::IsInvoke(e.op); });
    });
  }

  void Visit(uint32_t id) {
    const Block& block = flow_.blocks()[id];
    const State& state = blocks_[id];
    pending_ = state.pending || (fewer_checks_ && (state.handler || state.head));
    uint32_t first = NextInstruction(block.begin, block.end);
    if (first == block.end) return Pass(block, state.distance);
    const bool silent = silent_[first];
    const bool check = (state.check || !fewer_checks_) && !silent;
    plan_.unbounded |= state.head && !check;
    uint32_t distance = check || state.handler ? 0 : state.distance;
    Stretch run{first, 0, check, silent};
    for (uint32_t i = first; i < block.end; ++i) {
      const Element& element = code_.elements[i];
      if (!element.IsInstruction()) continue;
      if (max_path_ != 0 && distance >= max_path_ && !silent) {
        if (i != run.first) EndInside(run);
        run = {i, 0, true, false};
        distance = 0;
      }
      ++distance;
      const uint32_t weight = weights_.of[static_cast<uint8_t>(element.op)];
      plan_.bytecodes += weight;
      run.bytecodes += weight;
      throws_ |= element.op == Op::kAthrow;
      const bool call = bytecode::IsInvoke(element.op);
      plan_.calls |= call;
      if (call) distance = 0;
      if (call && single_ && fewer_checks_) continue;
      if (call || bytecode::IsReturn(element.op) || element.op == Op::kAthrow) {
        EndAt(run, i);
        run = {NextInstruction(i + 1, block.end), 0, false, false};
      }
    }
    if (run.bytecodes > 0) EndInside(run);
    Pass(block, distance);
  }

  // A run that other instructions of the method follow.
  void EndInside(const Stretch& run) {
    if (Checked(run)) return;
    if (!fewer_checks_ && !run.silent) {
      plan_.count[run.first] = run.bytecodes;
      return;
    }
    plan_.add[run.first] = run.bytecodes;
    plan_.sums = pending_ = true;
  }

  // A run that ends with the call or exit `last`.
  void EndAt(const Stretch& run, uint32_t last) {
    const Op op = code_.elements[last].op;
    const bool returns = bytecode::IsReturn(op);
    if (((fewer_checks_ && !single_) || run.silent) && !returns) return EndInside(run);
    if (Checked(run)) return;
    if ((pending_ && returns) || run.silent) {
      plan_.add[run.first] = run.bytecodes;
      plan_.flush[last] = 1;
      plan_.sums = true;
    } else if (returns && fewer_checks_ && !(single_ && plan_.calls)) {
      plan_.leave[last] = run.bytecodes;
    } else {
      plan_.count[run.first] = run.bytecodes;
    }
  }

  // The local sum is counted where it is checked, together with the run that begins there.
  bool Checked(const Stretch& run) {
    if (!run.checked) return false;
    (pending_ ? plan_.add : plan_.count)[run.first] = run.bytecodes;
    plan_.check[run.first] = pending_ ? CountPlan::kFlushAndCheck : CountPlan::kCheck;
    plan_.sums |= pending_;
    pending_ = false;
    return true;
  }

  void Pass(const Block& block, uint32_t distance) {
    for (uint32_t next : block.successors) {
      blocks_[next].distance = std::max(blocks_[next].distance, distance);
      blocks_[next].pending |= pending_;
    }
  }

  uint32_t NextInstruction(uint32_t i, uint32_t end) const {
    while (i < end && !code_.elements[i].IsInstruction()) ++i;
    return i;
  }

  const Code& code_;
  const ControlFlow& flow_;
  const uint32_t max_path_;
  const bool fewer_checks_;
  const OpcodeWeights& weights_;
  CountPlan plan_;
  std::vector<uint8_t> silent_;
  std::vector<State> blocks_;
  bool single_ = false;  // the whole method is one block
  bool pending_ = false;
  bool throws_ = false;
};

}  // namespace

Result<CountPlan> PlanCounting(const Code& code, uint32_t max_path, bool fewer_checks,
                               const OpcodeWeights& weights) {
  ASSAY_ASSIGN(ControlFlow flow, ControlFlow::Build(code));
  return Planner(code, flow, max_path, fewer_checks, weights).Run();
}

}  // namespace assay::instrument
