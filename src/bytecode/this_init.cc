#include "src/bytecode/this_init.h"

#include "src/bytecode/simulator.h"

namespace assay::bytecode {

namespace {

// In code without frames the states at labels are those that the first path brings there. All
// paths agree on whether `this` is initialized: no verifier takes code where they do not.
class FirstPathWalk {
 public:
  FirstPathWalk(const classfile::ClassFile& file, const classfile::Method& method, Code& code)
      : code_(code),
        state_(file, method, code),
        place_(code.label_count, kNowhere),
        seen_(code.label_count),
        result_(code.elements.size(), 0) {
    for (size_t i = 0; i < code.elements.size(); ++i) {
      if (code.elements[i].IsLabel()) place_[code.elements[i].label().id] = i;
    }
  }

  Status Run() {
    ASSAY_TRY(state_.Start());
    ASSAY_TRY(Walk(0));
    while (!pending_.empty()) {
      Pending next = std::move(pending_.back());
      pending_.pop_back();
      state_.locals() = std::move(next.locals);
      state_.stack() = std::move(next.stack);
      state_.SetReachable();
      ASSAY_TRY(Walk(next.place));
    }
    return {};
  }
  std::vector<uint8_t> Take() { return std::move(result_); }

 private:
  static constexpr size_t kNowhere = ~size_t{0};
  using Types = std::vector<VerificationType>;
  struct Pending {
    size_t place;
    Types locals;
    Types stack;
  };

  void Reach(Label label, Types stack) {
    if (label.id >= seen_.size() || seen_[label.id] || place_[label.id] == kNowhere) return;
    seen_[label.id] = true;
    pending_.push_back({place_[label.id] + 1, state_.locals(), std::move(stack)});
  }

  void ReachHandlersFrom(Label start) {
    for (const TryRange& range : code_.tries) {
      if (range.start == start) {
        Reach(range.handler, {code_.ObjectNamed("java/lang/Throwable")});
      }
    }
  }

  Status Walk(size_t i) {
    // All walks but the first start behind the label that was reached.
    if (i > 0 && code_.elements[i - 1].IsLabel()) {
      result_[i - 1] = state_.ThisIsUninitialized();
      ReachHandlersFrom(code_.elements[i - 1].label());
    }
    for (; i < code_.elements.size() && state_.reachable(); ++i) {
      Element& element = code_.elements[i];
      result_[i] = state_.ThisIsUninitialized();
      if (element.IsLabel()) {
        if (seen_[element.label().id]) return {};
        seen_[element.label().id] = true;
        ReachHandlersFrom(element.label());
      }
      ASSAY_TRY(state_.Step(element));
      if (!element.IsInstruction()) continue;
      if (IsJump(element.op)) {
        Reach(element.label(), state_.stack());
        if (element.op == Op::kJsr) {  // comes back without the return address
          state_.SetReachable();
          if (!state_.stack().empty()) state_.stack().pop_back();
        }
      } else if (IsSwitch(element.op)) {
        const Switch& table = code_.switches[static_cast<size_t>(element.value)];
        Reach(table.fallback, state_.stack());
        for (Label target : table.targets) Reach(target, state_.stack());
      }
    }
    return {};
  }

  Code& code_;
  Simulator state_;
  std::vector<size_t> place_;
  std::vector<bool> seen_;
  std::vector<uint8_t> result_;
  std::vector<Pending> pending_;
};

}  // namespace

Result<std::vector<uint8_t>> ThisUninitialized(const classfile::ClassFile& file,
                                               const classfile::Method& method, Code& code) {
  if (file.NameOf(method) != "<init>") return std::vector<uint8_t>();
  if (!code.has_frames) {
    FirstPathWalk walk(file, method, code);
    ASSAY_TRY(walk.Run());
    return walk.Take();
  }
  std::vector<uint8_t> result(code.elements.size(), 0);
  Simulator state(file, method, code);
  ASSAY_TRY(state.Start());
  for (size_t i = 0; i < code.elements.size(); ++i) {
    Element& element = code.elements[i];
    // A frame speaks for the labels and lines in front of it.
    if (element.kind == ElementKind::kFrame) {
      ASSAY_TRY(state.Step(element));
      result[i] = state.ThisIsUninitialized();
      for (size_t j = i; j > 0 && !code.elements[j - 1].IsInstruction(); --j) {
        result[j - 1] = result[i];
      }
      continue;
    }
    result[i] = state.reachable() && state.ThisIsUninitialized();
    ASSAY_TRY(state.Step(element));
  }
  return result;
}

}  // namespace assay::bytecode
