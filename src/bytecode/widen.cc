// Jumps over more than 32 KB. goto and jsr have wide forms. A conditional jump has none: it becomes
// its opposite around a goto_w. The place behind the goto_w is then a new jump target, which needs
// a frame in classes that have frames; the simulator knows the state there.
#include "src/bytecode/encoder.h"
#include "src/bytecode/simulator.h"

namespace assay::bytecode {

namespace {

// Whether a frame is given for the instruction after element `i`.
bool FrameFollows(const std::vector<Element>& elements, size_t i) {
  for (++i; i < elements.size() && !elements[i].IsInstruction(); ++i) {
    if (elements[i].kind == ElementKind::kFrame) return true;
  }
  return false;
}

}  // namespace

Status Encoder::Widen() {
  std::vector<Element> old = std::move(code_.elements);
  std::vector<Element>& out = code_.elements;
  out.clear();
  out.reserve(old.size() + too_far_.size() * 3);
  Simulator state(file_, method_, code_);
  if (code_.has_frames) ASSAY_TRY(state.Start());
  size_t next = 0;
  for (uint32_t i = 0; i < old.size(); ++i) {
    Element& element = old[i];
    bool wide = next < too_far_.size() && too_far_[next] == i;
    if (wide) ++next;
    if (code_.has_frames) ASSAY_TRY(state.Step(element));
    if (!wide) {
      out.push_back(element);
      continue;
    }
    if (!IsConditional(element.op)) {
      element.index = 1;
      out.push_back(element);
      continue;
    }
    Label around = code_.NewLabel();
    Element jump{ElementKind::kInstruction, Op::kGoto, 1, element.value, element.bci, {}};
    element.op = Negate(element.op);
    element.value = static_cast<int32_t>(around.id);
    out.push_back(element);
    out.push_back(jump);
    out.push_back({ElementKind::kLabel,
                   Op::kNop,
                   0,
                   static_cast<int32_t>(around.id),
                   Element::kInserted,
                   {}});
    if (code_.has_frames && state.reachable() && !FrameFollows(old, i)) {
      uint32_t frame = state.CaptureFrame();
      out.push_back(
          {ElementKind::kFrame, Op::kNop, 0, static_cast<int32_t>(frame), Element::kInserted, {}});
    }
  }
  return {};
}

}  // namespace assay::bytecode
