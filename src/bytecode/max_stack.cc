// Verifiable code has one depth at each instruction, so the depth that the first path brings to a
// label is the depth there. Each piece of straight-line code is walked once: from the entry, from
// every label that a jump reached, from every handler (depth one), and from frames that no path
// reaches: compilers leave dead code with a frame in front, and the verifier looks at it too.
#include "src/bytecode/max_stack.h"

#include <algorithm>

#include "src/bytecode/stack_effect.h"

namespace assay::bytecode {

namespace {

class DepthWalk {
 public:
  DepthWalk(const classfile::ConstantPool& pool, const Code& code)
      : pool_(pool), code_(code), place_(code.label_count, kNowhere), seen_(code.label_count),
        passed_(code.elements.size()) {
    for (size_t i = 0; i < code.elements.size(); ++i) {
      if (code.elements[i].IsLabel()) place_[code.elements[i].label().id] = i;
    }
  }

  Status Run() {
    for (const TryRange& range : code_.tries) Reach(range.handler, 1);
    ASSAY_TRY(Walk(0, 0));
    ASSAY_TRY(WalkPending());
    for (size_t i = 0; i < code_.elements.size(); ++i) {
      const Element& element = code_.elements[i];
      if (element.kind != ElementKind::kFrame || passed_[i]) continue;
      ASSAY_TRY(Walk(i + 1, code_.StackWords(code_.frames[static_cast<size_t>(element.value)])));
      ASSAY_TRY(WalkPending());
    }
    return {};
  }
  int max() const { return max_; }

 private:
  static constexpr size_t kNowhere = ~size_t{0};

  Status WalkPending() {
    while (!pending_.empty()) {
      auto [start, depth] = pending_.back();
      pending_.pop_back();
      ASSAY_TRY(Walk(start, depth));
    }
    return {};
  }

  void Reach(Label label, int depth) {
    max_ = std::max(max_, depth);
    if (label.id >= seen_.size() || seen_[label.id] || place_[label.id] == kNowhere) return;
    seen_[label.id] = true;
    // The walk marks labels that it meets, so it starts behind this one.
    pending_.push_back({place_[label.id] + 1, depth});
  }

  Status Walk(size_t i, int depth) {
    max_ = std::max(max_, depth);
    for (; i < code_.elements.size(); ++i) {
      const Element& element = code_.elements[i];
      if (element.IsLabel()) {
        if (seen_[element.label().id]) return {};
        seen_[element.label().id] = true;
      }
      if (element.kind == ElementKind::kFrame) passed_[i] = true;
      if (!element.IsInstruction()) continue;
      ASSAY_ASSIGN(StackEffect effect, EffectOf(pool_, element));
      depth -= effect.pop;
      if (depth < 0) return Error{"stack underflow"};
      depth += effect.push;
      max_ = std::max(max_, depth);
      if (IsJump(element.op)) {
        Reach(element.label(), depth);
        // The subroutine consumes the return address and comes back here.
        if (element.op == Op::kJsr) {
          --depth;
          continue;
        }
      } else if (IsSwitch(element.op)) {
        const Switch& table = code_.switches[static_cast<size_t>(element.value)];
        Reach(table.fallback, depth);
        for (Label target : table.targets) Reach(target, depth);
      }
      if (EndsFlow(element.op)) return {};
    }
    return {};
  }

  const classfile::ConstantPool& pool_;
  const Code& code_;
  std::vector<size_t> place_;
  std::vector<bool> seen_;    // labels
  std::vector<bool> passed_;  // elements; only of frames
  std::vector<std::pair<size_t, int>> pending_;
  int max_ = 0;
};

}  // namespace

Status ComputeMaxStack(const classfile::ConstantPool& pool, Code& code) {
  DepthWalk walk(pool, code);
  ASSAY_TRY(walk.Run());
  code.max_stack = static_cast<uint32_t>(walk.max());
  return {};
}

}  // namespace assay::bytecode
