// The call  ..., receiver, a1 .. an -> invoke m  becomes
//
//   store an .. a1                         in locals of our own
//   dup; ifnull original
//   dup; getClass(); CLASSES[i]; if_acmpne next
//   load a1 .. an; invoke m; goto done     the copy for class i
//   next: ...                              a second guard, without the null test
//   original: load a1 .. an; invoke m
//   done:
//
// Why this shape keeps the program's behaviour:
// - Both copies have the constant pool entry of the original: the same resolution, access checks,
//   loader constraints and errors. Nothing is retargeted, so a guard that holds by mistake would
//   still make the right call.
// - The receiver never leaves its stack slot, so its verification type is unchanged (protected
//   methods), and the message of a NullPointerException, which HotSpot derives by following the
//   slot back to the instruction that filled it (interpreter/bytecodeUtils.cpp), is the same.
// - For the same reason a value that a call returns must not reach an instruction that would name
//   its origin in such a message: with two copies it has two origins, and the message would lose
//   "because the return value of ... is null". Sites whose result is dereferenced at once, or is
//   an array index, are left alone; results that go into variables, fields, arguments are fine,
//   also where a copy is kept.
// - CLASSES is an array of a class on the boot loader: reading it loads and initializes nothing of
//   the program, whatever loader or package the expected class belongs to. Where the caller's
//   loader may be unloaded it is OF_LOADERS[i].get() instead, which keeps no class alive.
//
// Why it helps: C2 predicts receivers by the type profile of each call instruction. The copies have
// profiles of their own, with one class each, and the original's profile loses the classes that
// took most of it. The elements of CLASSES are constants to C2 (@Stable), so on the equal side it
// also knows the receiver's exact class (opto/parse2.cpp, sharpen_type_after_if).
#include "src/instrument/devirtualize_pass.h"

#include <algorithm>

#include "src/bytecode/code_builder.h"
#include "src/bytecode/max_stack.h"
#include "src/bytecode/simulator.h"
#include "src/classfile/descriptor.h"
#include "src/instrument/call_result.h"

namespace assay::instrument {
namespace {

using bytecode::Code;
using bytecode::CodeBuilder;
using bytecode::Element;
using bytecode::ElementKind;
using bytecode::Label;
using bytecode::Op;
using bytecode::VerificationType;

// HotSpot compiles no longer methods (HugeMethodLimit).
constexpr uint32_t kHugeMethod = 8000;

struct Parameter {
  Op load;
  Op store;
  uint16_t slot;
};

Parameter ParameterOf(char type, uint16_t slot) {
  switch (type) {
    case 'J':
      return {Op::kLload, Op::kLstore, slot};
    case 'D':
      return {Op::kDload, Op::kDstore, slot};
    case 'F':
      return {Op::kFload, Op::kFstore, slot};
    case 'L':
    case '[':
      return {Op::kAload, Op::kAstore, slot};
    default:
      return {Op::kIload, Op::kIstore, slot};
  }
}

class Rewriter {
 public:
  Rewriter(classfile::ClassFile& file, const classfile::Method& method, Code& code,
           std::span<const GuardedSite* const> sites)
      : file_(file),
        code_(code),
        sites_(sites),
        refusals_(sites.size()),
        build_(file, code),
        state_(file, method, code) {
    int words = 0;
    for (const GuardedSite* site : sites) {
      words = std::max(words, classfile::CountWords(site->callee_descriptor).parameters);
    }
    scratch_ = static_cast<uint16_t>(code.max_locals);
    for (int i = 0; i < words; ++i) code.AddLocal({VerificationType::kTop}, false);
  }

  Status Run() {
    if (code_.has_frames) ASSAY_TRY(state_.Start());
    std::span<Element> old = build_.Old();
    for (size_t i = 0; i < old.size(); ++i) {
      size_t site = SiteAt(old[i]);
      if (site != kNoSite) refusals_[site] = Refusal();
      if (site != kNoSite && refusals_[site].empty()) {
        ASSAY_TRY(Guard(*sites_[site], old, i));
        continue;
      }
      // First the step, which may give the element a label.
      if (code_.has_frames) ASSAY_TRY(state_.Step(old[i]));
      build_.Copy(old[i]);
    }
    ASSAY_TRY(build_.Finish());
    return bytecode::ComputeMaxStack(file_.pool, code_);
  }

  // By number of site: why it was left alone; "" when it was rewritten.
  const std::vector<std::string>& refusals() const { return refusals_; }

 private:
  static constexpr size_t kNoSite = ~size_t{0};

  size_t SiteAt(const Element& element) const {
    if (!element.IsInstruction() || element.bci < 0) return kNoSite;
    for (size_t i = 0; i < sites_.size(); ++i) {
      if (sites_[i]->bci == static_cast<uint32_t>(element.bci)) return i;
    }
    return kNoSite;
  }

  std::string Refusal() const {
    if (!code_.has_frames) return "";
    if (!state_.reachable()) return "the call cannot be reached";
    return state_.ThisIsUninitialized() ? "the call is before super()" : "";
  }

  Status Guard(const GuardedSite& site, std::span<Element> old, size_t at) {
    Element& call = old[at];
    FindParameters(site.callee_descriptor);
    ASSAY_ASSIGN(uint32_t before, CaptureBefore());
    for (size_t i = parameters_.size(); i-- > 0;) {
      build_.Store(parameters_[i].store, parameters_[i].slot);
    }
    Label original = build_.NewLabel();
    Label done = build_.NewLabel();
    build_.Emit(Op::kDup);
    build_.Jump(Op::kIfnull, original);
    for (size_t i = 0; i < site.guards.size(); ++i) {
      bool last = i + 1 == site.guards.size();
      Label next = last ? original : build_.NewLabel();
      Test(site.guards[i], next);
      LoadParameters();
      build_.Emit(call.op, call.index, call.value);
      build_.Jump(Op::kGoto, done);
      build_.Bind(next);
      build_.Frame(before);
    }
    LoadParameters();
    build_.Copy(call);
    build_.Bind(done);
    if (!code_.has_frames) return {};
    ASSAY_TRY(state_.Step(call));
    if (!FrameFollows(old, at + 1)) build_.Frame(state_.CaptureFrame());
    return {};
  }

  void Test(Guarded guard, Label otherwise) {
    build_.Emit(Op::kDup);
    build_.InvokeVirtual("java/lang/Object", "getClass", "()Ljava/lang/Class;");
    if (guard.of_loader) {
      build_.GetStatic(kGuardsClass, "OF_LOADERS", "[Ljava/lang/ref/WeakReference;");
    } else {
      build_.GetStatic(kGuardsClass, "CLASSES", "[Ljava/lang/Class;");
    }
    build_.PushInt(static_cast<int32_t>(guard.index));
    build_.Emit(Op::kAaload);
    if (guard.of_loader) {
      build_.InvokeVirtual("java/lang/ref/WeakReference", "get", "()Ljava/lang/Object;");
    }
    build_.Jump(Op::kIfAcmpne, otherwise);
  }

  void FindParameters(std::string_view descriptor) {
    parameters_.clear();
    uint16_t slot = scratch_;
    classfile::DescriptorReader types(descriptor);
    for (std::string_view type; types.NextParameter(&type);) {
      parameters_.push_back(ParameterOf(type[0], slot));
      slot = static_cast<uint16_t>(slot + classfile::TypeWords(type));
    }
    words_ = static_cast<size_t>(slot - scratch_);
  }

  // The state with the parameters in our locals and the receiver on top of the stack.
  Result<uint32_t> CaptureBefore() {
    if (!code_.has_frames) return 0;
    auto& stack = state_.stack();
    auto& locals = state_.locals();
    if (stack.size() <= words_) return Error{"stack underflow"};
    std::vector<VerificationType> saved_stack = stack;
    std::vector<VerificationType> saved_locals = locals;
    locals.resize(std::max<size_t>(locals.size(), scratch_ + words_));
    std::copy(stack.end() - static_cast<ptrdiff_t>(words_), stack.end(), locals.begin() + scratch_);
    stack.resize(stack.size() - words_);
    uint32_t frame = state_.CaptureFrame();
    stack = std::move(saved_stack);
    locals = std::move(saved_locals);
    return frame;
  }

  void LoadParameters() {
    for (const Parameter& parameter : parameters_) build_.Load(parameter.load, parameter.slot);
  }

  // Two frames at one place are not allowed, and what follows accepts our state already.
  static bool FrameFollows(std::span<const Element> old, size_t at) {
    for (; at < old.size() && !old[at].IsInstruction(); ++at) {
      if (old[at].kind == ElementKind::kFrame) return true;
    }
    return false;
  }

  classfile::ClassFile& file_;
  Code& code_;
  std::span<const GuardedSite* const> sites_;
  std::vector<std::string> refusals_;
  CodeBuilder build_;
  bytecode::Simulator state_;
  std::vector<Parameter> parameters_;
  size_t words_ = 0;
  uint16_t scratch_ = 0;
};

}  // namespace

DevirtualizePass::DevirtualizePass(std::span<const GuardedSite> sites)
    : sites_(sites), outcomes_(sites.size(), "stale: there is no such method") {}

Result<bool> DevirtualizePass::Apply(classfile::ClassFile& file, const classfile::Method& method,
                                     Code& code) {
  std::vector<const GuardedSite*> chosen;
  std::vector<size_t> numbers;
  uint32_t length = code.original_length;
  for (size_t i = 0; i < sites_.size(); ++i) {
    const GuardedSite& site = sites_[i];
    if (site.method != file.NameOf(method) || site.descriptor != file.DescriptorOf(method)) {
      continue;
    }
    const Element* element = nullptr;
    for (const Element& each : code.elements) {
      if (each.IsInstruction() && each.bci == static_cast<int32_t>(site.bci)) element = &each;
    }
    std::string& outcome = outcomes_[i];
    outcome = Mismatch(file.pool, element, site);
    if (site.code_bytes != 0 && site.code_bytes != code.original_length) {
      outcome = "stale: the method has " + std::to_string(code.original_length) + " bytes, not " +
                std::to_string(site.code_bytes);
    }
    if (outcome.empty()) {
      outcome = OriginShows(file.pool, code.elements, element, site.callee_descriptor);
    }
    if (outcome.empty() && !code.has_frames && file.NameOf(method) == "<init>") {
      outcome = "a constructor without stack maps";
    }
    if (outcome.empty() && length <= kHugeMethod && length + GrowthOf(site) > kHugeMethod) {
      outcome = "the method would pass 8,000 bytes, beyond which HotSpot compiles nothing";
    }
    if (!outcome.empty()) continue;
    length += GrowthOf(site);
    chosen.push_back(&site);
    numbers.push_back(i);
  }
  if (chosen.empty()) return false;
  Rewriter rewriter(file, method, code, chosen);
  Status status = rewriter.Run();
  bool changed = false;
  for (size_t i = 0; i < numbers.size(); ++i) {
    std::string why = status.ok() ? rewriter.refusals()[i] : status.error().message;
    changed |= why.empty();
    outcomes_[numbers[i]] = std::move(why);
  }
  if (!status.ok()) return status.error();
  return changed;
}

}  // namespace assay::instrument
