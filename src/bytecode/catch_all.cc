#include "src/bytecode/catch_all.h"

#include "src/bytecode/opcode.h"
#include "src/bytecode/this_init.h"

namespace assay::bytecode {

using V = VerificationType;

namespace {

uint32_t HandlerFrame(Code& code, bool this_uninitialized) {
  std::vector<V> locals;
  if (this_uninitialized) locals.push_back({V::kUninitializedThis, 0});
  return code.AddFrame(locals, {code.ObjectNamed("java/lang/Throwable")});
}

// Whether element `i` is the call that initializes `this`.
bool InitializesThis(const std::vector<Element>& elements,
                     const std::vector<uint8_t>& uninitialized, size_t i) {
  if (uninitialized.empty() || !uninitialized[i] || !elements[i].Is(Op::kInvokespecial)) {
    return false;
  }
  for (++i; i < elements.size(); ++i) {
    if (elements[i].IsInstruction()) return !uninitialized[i];
  }
  return true;
}

class CatchAll {
 public:
  CatchAll(Code& code, std::vector<uint8_t> uninitialized)
      : code_(code), uninitialized_(std::move(uninitialized)) {}

  Status Run(Label begin, Label end) {
    std::vector<Element> old = std::move(code_.elements);
    code_.elements.clear();
    code_.elements.reserve(old.size() + 8);
    bool inside = false, ended = false;
    const bool keeps_this = KeepsThis(old);
    for (size_t i = 0; i < old.size(); ++i) {
      const Element& element = old[i];
      if (inside && element.IsLabel() && element.label() == end) {
        Close(end);
        inside = false;
        ended = true;
      }
      if (inside && element.IsInstruction()) {
        bool now = !uninitialized_.empty() && uninitialized_[i] != 0;
        bool gap = InitializesThis(old, uninitialized_, i) || (now && !keeps_this);
        if (start_.valid() && (gap || now != state_)) Close(BindHere());
        if (!start_.valid() && !gap) {
          start_ = BindHere();
          state_ = now;
        }
      }
      code_.elements.push_back(element);
      if (element.IsLabel() && element.label() == begin) inside = true;
    }
    if (!ended) return Error{"the end of the protected code is not bound behind its start"};
    return {};
  }
  std::vector<CatchRegion> Take() { return std::move(regions_); }

 private:
  bool KeepsThis(const std::vector<Element>& elements) const {
    for (size_t i = 0; i < uninitialized_.size(); ++i) {
      if (uninitialized_[i] && OverwritesThis(elements[i])) return false;
    }
    return true;
  }
  Label BindHere() {
    Label label = code_.NewLabel();
    code_.elements.push_back(
        {ElementKind::kLabel, Op::kNop, 0, static_cast<int32_t>(label.id), Element::kInserted, {}});
    return label;
  }
  void Close(Label to) {
    if (!start_.valid()) return;
    if (!handlers_[state_].valid()) {
      handlers_[state_] = code_.NewLabel();
      regions_.push_back({handlers_[state_], state_, HandlerFrame(code_, state_)});
    }
    code_.tries.push_back({start_, to, handlers_[state_], 0, code_.try_count++});
    start_ = {};
  }

  Code& code_;
  std::vector<uint8_t> uninitialized_;
  std::vector<CatchRegion> regions_;
  Label handlers_[2];
  Label start_;
  bool state_ = false;
};

}  // namespace

Result<std::vector<CatchRegion>> AddCatchAll(const classfile::ClassFile& file,
                                             const classfile::Method& method, Code& code,
                                             Label begin, Label end) {
  ASSAY_ASSIGN(std::vector<uint8_t> uninitialized, ThisUninitialized(file, method, code));
  CatchAll catch_all(code, std::move(uninitialized));
  ASSAY_TRY(catch_all.Run(begin, end));
  return catch_all.Take();
}

}  // namespace assay::bytecode
