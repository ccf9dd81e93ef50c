#include "src/instrument/duplicate_plan.h"

#include <algorithm>
#include <cmath>

#include "src/bytecode/decode.h"
#include "src/bytecode/simulator.h"

namespace assay::instrument {

using bytecode::Code;
using bytecode::Element;
using bytecode::ElementKind;
using bytecode::Op;
using bytecode::VerificationType;

uint32_t EstimateBytes(const Code& code) {
  uint32_t bytes = 0;
  for (const Element& element : code.elements) {
    if (!element.IsInstruction()) continue;
    uint32_t size = bytecode::InfoOf(element.op).size;
    if (bytecode::IsSwitch(element.op)) {
      const auto& table = code.switches[static_cast<size_t>(element.value)];
      size = 16 + 8 * static_cast<uint32_t>(table.targets.size());
    } else if (bytecode::IsLoad(element.op) || bytecode::IsStore(element.op)) {
      size = element.index <= 3 ? 1 : element.index <= 255 ? 2 : 4;
    } else if (element.Is(Op::kLdc)) {
      size = element.index <= 255 ? 2 : 3;
    }
    bytes += size;
  }
  return bytes;
}

bool IsCalledByCode(const classfile::ClassFile& file, const classfile::Method& method) {
  std::string_view name = file.NameOf(method);
  return name != "<clinit>" && name != "main" && name != "run" && !name.starts_with("lambda$") &&
         !method.Has(classfile::kAccSynthetic);
}

bool IsSmall(const Code& code) {
  // HotSpot's MaxInlineSize: such methods are inlined wherever they are called at all.
  if (code.original_length > 35) return false;
  std::vector<bool> seen(code.label_count);
  auto back = [&seen](bytecode::Label label) { return seen[label.id]; };
  for (const Element& element : code.elements) {
    if (element.IsLabel()) seen[element.label().id] = true;
    if (!element.IsInstruction()) continue;
    if (bytecode::IsJump(element.op) && back(element.label())) return false;
    if (!bytecode::IsSwitch(element.op)) continue;
    const auto& table = code.switches[static_cast<size_t>(element.value)];
    if (back(table.fallback)) return false;
    for (bytecode::Label label : table.targets) {
      if (back(label)) return false;
    }
  }
  return true;
}

bool IsStraight(const Code& code) {
  if (!code.tries.empty()) return false;
  for (const Element& element : code.elements) {
    if (!element.IsInstruction()) continue;
    if (bytecode::IsJump(element.op) || bytecode::IsSwitch(element.op) || element.Is(Op::kAthrow)) {
      return false;
    }
  }
  return true;
}

namespace {

class Planner {
 public:
  Planner(const DuplicateOptions& options, std::span<const Instrumentation* const> plugins,
          PointIds& ids, classfile::ClassFile& file, const classfile::Method& method, Code& code)
      : options_(options),
        plugins_(plugins),
        ids_(ids),
        file_(file),
        method_(method),
        code_(code) {}

  Result<Plan> Run() {
    for (const Element& element : code_.elements) {
      if (element.Is(Op::kJsr) || element.Is(Op::kRet)) return Error{"jsr/ret"};
    }
    ASSAY_ASSIGN(plan_.flow, bytecode::ControlFlow::Build(code_));
    Body body{file_, method_, code_, plan_.flow};
    for (const Instrumentation* plugin : plugins_) {
      std::vector<Point> points;
      ASSAY_TRY(plugin->Select(body, ids_, &points));
      for (const Point& point : points) plan_.operations.push_back({point, plugin});
    }
    if (plan_.operations.empty()) return std::move(plan_);
    FindInstrumented(body);
    ASSAY_TRY(FindFacts());
    Decide();
    plan_.small = options_.by_calls && !plan_.copied.empty() && IsSmall(code_) &&
                  IsCalledByCode(file_, method_);
    if (!plan_.copied.empty()) ASSAY_TRY(CheckTransitions());
    return std::move(plan_);
  }

 private:
  uint32_t size() const { return static_cast<uint32_t>(plan_.flow.blocks().size()); }
  const std::vector<uint32_t>& Successors(uint32_t b) const {
    return plan_.flow.blocks()[b].successors;
  }

  void FindInstrumented(const Body& body) {
    instrumented_.assign(size(), 0);
    for (const Operation& operation : plan_.operations) {
      const Point& point = operation.point;
      whole_region_ |= operation.by->needs_whole_region();
      switch (point.place) {
        case Place::kEntry:
          ++instrumented_[0];
          break;
        case Place::kBefore:
          ++instrumented_[body.BlockOf(point.element)];
          break;
        case Place::kEdge:
          ++instrumented_[point.from];
          break;
        case Place::kRegion:
          ++instrumented_[point.to];
          break;
      }
    }
  }

  Status FindFacts() {
    plan_.blocks.resize(size());
    plan_.frame_before.assign(code_.elements.size(), 0);
    for (uint32_t b = 0; b < size(); ++b) {
      uint32_t i = plan_.flow.blocks()[b].begin;
      while (i < plan_.flow.blocks()[b].end && !code_.elements[i].IsInstruction()) {
        plan_.blocks[b].has_frame |= code_.elements[i].kind == ElementKind::kFrame;
        ++i;
      }
      plan_.blocks[b].first_instruction = i;
    }
    for (const auto& range : code_.tries) {
      uint32_t handler = plan_.flow.BlockOf(range.handler);
      uint32_t end = std::min(plan_.flow.BlockOf(range.end), size());
      if (handler < end) continue;
      for (uint32_t b = plan_.flow.BlockOf(range.start); b < end; ++b) {
        plan_.blocks[b].handlers.push_back(handler);
      }
    }
    if (!code_.has_frames) return {};
    ASSAY_TRY(bytecode::EnsureEntryFrame(file_, method_, code_));
    return FollowTypes();
  }

  Status FollowTypes() {
    std::vector<bool> wanted(code_.elements.size());
    for (const Operation& operation : plan_.operations) {
      if (operation.point.place == Place::kBefore) wanted[operation.point.element] = true;
    }
    bytecode::Simulator state(file_, method_, code_);
    ASSAY_TRY(state.Start());
    uint32_t next = 0;
    for (uint32_t i = 0; i < code_.elements.size(); ++i) {
      Element& element = code_.elements[i];
      if (element.IsInstruction() && state.reachable()) {
        bool starts = next < size() && plan_.blocks[next].first_instruction == i;
        uint32_t frame = starts || wanted[i] ? state.CaptureFrame() : 0;
        // The pass assigns its own variables before anything else.
        if (frame != 0) code_.frames[frame].exact = false;
        if (wanted[i]) plan_.frame_before[i] = frame;
        if (starts) {
          plan_.blocks[next].frame = frame;
          plan_.blocks[next].knows_frame = true;
          plan_.blocks[next].uninitialized = HasUninitialized(frame);
        }
      }
      if (next < size() && plan_.blocks[next].first_instruction == i) ++next;
      ASSAY_TRY(state.Step(element));
    }
    return {};
  }

  bool HasUninitialized(uint32_t number) const {
    const bytecode::Frame& frame = code_.frames[number];
    auto any = [&](uint32_t begin, uint32_t count) {
      for (uint32_t i = begin; i < begin + count; ++i) {
        if (code_.types[i].tag == VerificationType::kUninitialized) return true;
      }
      return false;
    };
    return any(frame.locals_begin, frame.locals_count) || any(frame.stack_begin, frame.stack_count);
  }

  void Decide() {
    // Before version 50 no types are known where checks would move to.
    bool can_choose = code_.has_frames && !whole_region_;
    switch (options_.duplication) {
      case Duplication::kFull:
        CopyAll();
        break;
      case Duplication::kPartial:
        can_choose ? CopyPart() : CopyAll();
        break;
      case Duplication::kNone:
        if (whole_region_) CopyAll();
        break;
      case Duplication::kAutomatic:
        can_choose ? CopyPart() : CopyAll();
        if (!whole_region_ && !(options_.by_calls && Calls()) && NoneIsBetter())
          plan_.copied.clear(), plan_.partial = false;
        break;
    }
  }

  void CopyAll() {
    plan_.copied.assign(size(), false);
    for (uint32_t b = 0; b < size(); ++b) plan_.copied[b] = plan_.flow.Reachable(b);
  }

  // The graph without jumps backwards is acyclic and ordered by block number.
  void CopyPart() {
    plan_.partial = true;
    std::vector<bool> forced(size());
    for (uint32_t b = 0; b < size(); ++b) forced[b] = instrumented_[b] != 0;
    for (uint32_t round = 0; round < size() + 2; ++round) {
      ComputePart(forced);
      if (!ForceMore(forced)) return;
    }
    plan_.partial = false;
    CopyAll();
  }

  void ComputePart(const std::vector<bool>& forced) {
    std::vector<bool> down(size()), up(size());
    for (uint32_t b = size(); b-- > 0;) {
      down[b] = forced[b];
      for (uint32_t to : Successors(b)) down[b] = down[b] || (to > b && down[to]);
      for (uint32_t to : plan_.blocks[b].handlers) down[b] = down[b] || down[to];
    }
    for (uint32_t b = 0; b < size(); ++b) {
      if (forced[b]) up[b] = true;
      // An exception cannot carry a check: what may throw to an operation is copied.
      for (uint32_t to : plan_.blocks[b].handlers) up[b] = up[b] || down[to];
      if (!up[b]) continue;
      for (uint32_t to : Successors(b)) {
        if (to > b) up[to] = true;
      }
      for (uint32_t to : plan_.blocks[b].handlers) up[to] = true;
    }
    plan_.copied.assign(size(), false);
    for (uint32_t b = 0; b < size(); ++b) {
      plan_.copied[b] = up[b] && down[b] && plan_.flow.Reachable(b);
    }
  }

  // An object between `new` and its constructor has another type in the copy: no way leads over
  // there.
  bool ForceMore(std::vector<bool>& forced) {
    bool more = false;
    for (uint32_t b = 0; b < size(); ++b) {
      for (uint32_t to : Successors(b)) {
        if (to <= b || !plan_.blocks[to].uninitialized) continue;
        if (plan_.copied[b] == plan_.copied[to] || !plan_.flow.Reachable(b)) continue;
        forced[plan_.copied[b] ? to : b] = true;
        more = true;
      }
    }
    return more;
  }

  // Only a copy tells the methods that it calls.
  bool Calls() const {
    for (const Element& element : code_.elements) {
      if (element.IsInstruction() && bytecode::IsInvoke(element.op)) return true;
    }
    return false;
  }

  // Estimated executions of operations against those of checks, a loop counting as ten.
  bool NoneIsBetter() const {
    std::vector<double> weight(size(), 1);
    for (uint32_t b = 0; b < size(); ++b) {
      for (uint32_t to : Successors(b)) {
        if (to > b) continue;
        for (uint32_t i = to; i <= b; ++i) weight[i] = std::min(weight[i] * 10, 1e6);
      }
    }
    double operations = 0;
    double checks = plan_.copied[0] ? 1 : 0;
    uint32_t copied_bytes = 0;
    for (uint32_t b = 0; b < size(); ++b) {
      operations += weight[b] * instrumented_[b];
      for (uint32_t to : Successors(b)) {
        if (to <= b ? plan_.copied[to] : !plan_.copied[b] && plan_.copied[to]) checks += weight[b];
      }
      if (!plan_.copied[b]) continue;
      copied_bytes += plan_.flow.blocks()[b].end - plan_.flow.blocks()[b].begin;
    }
    if (operations <= checks) return true;
    return EstimateBytes(code_) <= options_.max_bytes &&
           EstimateBytes(code_) + 3 * copied_bytes + 10 * plan_.operations.size() >
               options_.max_bytes;
  }

  Status CheckTransitions() const {
    for (uint32_t b = 0; b < size(); ++b) {
      for (uint32_t to : Successors(b)) {
        if (to <= b && plan_.blocks[to].uninitialized) {
          return Error{"a jump backwards with an object that is not initialized"};
        }
      }
    }
    for (const auto& range : code_.tries) {
      uint32_t handler = plan_.flow.BlockOf(range.handler);
      if (handler < size() && plan_.blocks[handler].uninitialized) {
        return Error{"an exception handler with an object that is not initialized"};
      }
    }
    return {};
  }

  const DuplicateOptions& options_;
  std::span<const Instrumentation* const> plugins_;
  PointIds& ids_;
  classfile::ClassFile& file_;
  const classfile::Method& method_;
  Code& code_;
  Plan plan_;
  std::vector<uint32_t> instrumented_;  // operations per block
  bool whole_region_ = false;
};

}  // namespace

Result<Plan> MakePlan(const DuplicateOptions& options,
                      std::span<const Instrumentation* const> plugins, PointIds& ids,
                      classfile::ClassFile& file, const classfile::Method& method, Code& code) {
  return Planner(options, plugins, ids, file, method, code).Run();
}

}  // namespace assay::instrument
