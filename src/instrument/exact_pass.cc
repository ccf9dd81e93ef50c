// What a rewritten method does, around its own code:
//
//   frame = AssayExact.enter(method); count = 0;
//   try { ... }                                  // with count += n before each run of n bytecodes
//   catch (Throwable t) { AssayExact.threw(t, frame, count); throw t; }
//
//   count = AssayExact.call(frame, site, count);  // before a call; count is 0 then
//   AssayExact.returned(frame);                   // after it
//   AssayExact.caught(exception, frame);          // at the entry of each handler of the program;
//   AssayExact.resumed(frame);                    // or later, if need be (handler_entries.h)
//   count = AssayExact.loop(frame, count);        // before a jump backwards
//   AssayExact.exit(frame, count);                // before each return
//
// A return that the program protects may throw (IllegalMonitorStateException), and the activation
// go on in its handler. It has ended for us: its frame, which others may use by then, becomes 0.
//
// Bytecodes are counted in runs that end with the first instruction that can throw: everything
// before it in the run is executed whenever it is, so the count is exact also when it throws.
//
// The catch-all range leaves out the probes before a return, and in constructors the call that
// initializes `this`: HotSpot checks the handler of that call both with the state before and after
// it (verifier.cpp, verify_invoke_init), so no frame fits. An exception from there is settled by
// the first older activation that a probe sees. Code before that call has a handler of its own,
// because its frame must say that `this` is uninitialized (JVMS 4.10.1.4); it has none if `this`
// may not be in local variable 0 there.
//
// A method that all this would make longer than 64 KB gets the brief form: entry, exits, and one
// call site for all its calls, noted at the entry and at handlers. Its callees are then still its
// own and not its caller's; its bytecodes and its calls of native methods are not counted.
#include "src/instrument/exact_pass.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "src/bytecode/code_builder.h"
#include "src/bytecode/handler_entries.h"
#include "src/bytecode/opcode.h"
#include "src/bytecode/simulator.h"
#include "src/bytecode/this_init.h"

namespace assay::instrument {
namespace {

using bytecode::Code;
using bytecode::CodeBuilder;
using bytecode::Element;
using bytecode::ElementKind;
using bytecode::HandlerEntries;
using bytecode::Label;
using bytecode::Op;
using bytecode::VerificationType;

constexpr std::string_view kRuntime = "java/lang/AssayExact";

bool CanThrow(const classfile::ConstantPool& pool, const Element& element) {
  Op op = element.op;
  if (op >= Op::kIaload && op <= Op::kSaload) return true;
  if (op >= Op::kIastore && op <= Op::kSastore) return true;
  if (op >= Op::kGetstatic && op <= Op::kMonitorexit) return true;  // fields, calls, new, casts...
  switch (op) {
    case Op::kIdiv:
    case Op::kLdiv:
    case Op::kIrem:
    case Op::kLrem:
    case Op::kMultianewarray:
      return true;
    case Op::kLdc:
    case Op::kLdc2W: {
      using classfile::Tag;
      Tag tag = pool.TagAt(element.index);
      return tag != Tag::kInteger && tag != Tag::kFloat && tag != Tag::kLong && tag != Tag::kDouble;
    }
    default:
      return false;
  }
}

bool IsSignaturePolymorphic(const classfile::MemberRef& target) {
  return target.owner == "java/lang/invoke/MethodHandle" ||
         target.owner == "java/lang/invoke/VarHandle";
}

class Rewriter {
 public:
  Rewriter(ExactIds& ids, classfile::ClassFile& file, const classfile::Method& method, Code& code,
           bool brief)
      : ids_(ids),
        file_(file),
        code_(code),
        handlers_(bytecode::FindHandlerEntries(code)),
        build_(file, code),
        state_(file, method, code),
        brief_(brief) {
    is_constructor_ = file.NameOf(method) == "<init>";
    // Without frames nobody can say where `this` is initialized.
    protect_ = !is_constructor_ || code.has_frames;
    method_id_ = ids.Method(file.Name(), file.NameOf(method), file.DescriptorOf(method));
    entry_ = static_cast<uint64_t>(ids.NameAndType(file.NameOf(method), file.DescriptorOf(method)))
                 << 32 |
             method_id_;
  }

  Status Run() {
    FindLabels();
    if (tracks_this()) ASSAY_TRY(state_.Start());
    Prologue();
    uint32_t index = 0;
    for (Element& element : build_.Old()) {
      ASSAY_TRY(Visit(element, index++));
    }
    CloseRange();
    Handlers();
    return build_.Finish();
  }

 private:
  struct Range {
    Label start;
    Label end;
    bool this_uninitialized;
  };

  bool tracks_this() const { return is_constructor_ && protect_; }

  void FindLabels() {
    positions_.assign(code_.label_count, 0);
    uint32_t index = 0;
    for (const Element& element : build_.Old()) {
      if (element.IsLabel()) positions_[element.label().id] = index;
      ++index;
    }
    // Ranges open and close here, then how many are open.
    protected_.assign(index + 1, 0);
    for (const auto& range : code_.tries) {
      ++protected_[positions_[range.start.id]];
      --protected_[positions_[range.end.id]];
    }
    std::partial_sum(protected_.begin(), protected_.end(), protected_.begin());
  }
  bool IsProtected(uint32_t index) const { return protected_[index] > 0; }

  void Prologue() {
    frame_ = code_.AddLocal({VerificationType::kLong}, true);
    count_ = code_.AddLocal({VerificationType::kInteger}, true);
    build_.PushLong(static_cast<int64_t>(entry_));
    build_.InvokeStatic(kRuntime, "enter", "(J)J");
    build_.Store(Op::kLstore, frame_);
    build_.PushInt(0);
    build_.Store(Op::kIstore, count_);
    if (brief_) NoteSite(0, ids_.Site(method_id_, -1, {}));
    OpenRange(is_constructor_);
  }

  Status Visit(Element& element, uint32_t index) {
    bool uninitialized = tracks_this() && state_.ThisIsUninitialized();
    if (tracks_this()) ASSAY_TRY(state_.Step(element));
    keeps_this_ &= !uninitialized || !bytecode::OverwritesThis(element);
    if (!element.IsInstruction()) {
      if (element.IsLabel()) FlushCount();
      build_.Copy(element);
      return {};
    }
    if (uninitialized != range_uninitialized_) {
      CloseRange();
      OpenRange(uninitialized);
    }
    if (handlers_.place[index]) Caught(index);
    if (!brief_) ++pending_;
    bool can_throw = CanThrow(file_.pool, element);
    range_throws_ |= can_throw;
    bool initializes_this =
        uninitialized && bytecode::IsInvoke(element.op) && !state_.ThisIsUninitialized();
    if (bytecode::IsReturn(element.op)) {
      Return(element, index);
    } else if (bytecode::IsInvoke(element.op) && !brief_) {
      Call(element, initializes_this);
    } else {
      if (can_throw || bytecode::IsJump(element.op) || bytecode::IsSwitch(element.op)) FlushCount();
      if (!brief_ && !handlers_.silent[index] && JumpsBackwards(element, index)) KeepCountSmall();
      if (initializes_this) CloseRange();
      build_.Copy(element);
      if (initializes_this) OpenRange(false);
    }
    return {};
  }

  void Return(const Element& element, uint32_t index) {
    FlushCount();
    CloseRange();
    build_.Load(Op::kLload, frame_);
    if (IsProtected(index)) {
      build_.PushLong(0);
      build_.Store(Op::kLstore, frame_);
    }
    build_.Load(Op::kIload, count_);
    build_.InvokeStatic(kRuntime, "exit", "(JI)V");
    build_.Copy(element);
    OpenRange(range_uninitialized_);
  }

  void Call(const Element& element, bool initializes_this) {
    classfile::MemberRef target;
    if (element.op != Op::kInvokedynamic) target = file_.pool.Member(element.index);
    bool anything = element.op == Op::kInvokedynamic || IsSignaturePolymorphic(target);
    uint32_t expected = anything ? 0 : ids_.NameAndType(target.name, target.descriptor);
    FlushCount();
    NoteSite(expected, ids_.Site(method_id_, element.bci, target));
    if (initializes_this) CloseRange();
    build_.Copy(element);
    if (initializes_this) OpenRange(false);
    Probe("returned", "(J)V");
  }

  void NoteSite(uint32_t expected, uint32_t site) {
    build_.Load(Op::kLload, frame_);
    build_.PushLong(static_cast<int64_t>(static_cast<uint64_t>(expected) << 32 | site));
    build_.Load(Op::kIload, count_);
    build_.InvokeStatic(kRuntime, "call", "(JJI)I");
    build_.Store(Op::kIstore, count_);
  }

  void Caught(uint32_t index) {
    if (brief_) return NoteSite(0, ids_.Site(method_id_, -1, {}));
    if (handlers_.place[index] == HandlerEntries::kLater) return Probe("resumed", "(J)V");
    build_.Emit(Op::kDup);
    Probe("caught", "(Ljava/lang/Object;J)V");
  }

  void Probe(std::string_view name, std::string_view descriptor) {
    build_.Load(Op::kLload, frame_);
    build_.InvokeStatic(kRuntime, name, descriptor);
  }

  void FlushCount() {
    for (; pending_ > 0; pending_ -= std::min(pending_, 32767)) {
      build_.Emit(Op::kIinc, count_, std::min(pending_, 32767));
    }
  }

  void KeepCountSmall() {
    build_.Load(Op::kLload, frame_);
    build_.Load(Op::kIload, count_);
    build_.InvokeStatic(kRuntime, "loop", "(JI)I");
    build_.Store(Op::kIstore, count_);
  }

  bool JumpsBackwards(const Element& element, uint32_t index) const {
    if (bytecode::IsJump(element.op)) return positions_[element.label().id] <= index;
    if (!bytecode::IsSwitch(element.op)) return false;
    const auto& table = code_.switches[static_cast<size_t>(element.value)];
    if (positions_[table.fallback.id] <= index) return true;
    for (Label target : table.targets) {
      if (positions_[target.id] <= index) return true;
    }
    return false;
  }

  void OpenRange(bool this_uninitialized) {
    range_start_ = build_.Here();
    range_throws_ = false;
    range_uninitialized_ = this_uninitialized;
  }

  void CloseRange() {
    if (!protect_ || !range_throws_) return;
    ranges_.push_back({range_start_, build_.Here(), range_uninitialized_});
    range_throws_ = false;
  }

  void Handlers() {
    for (bool uninitialized : {true, false}) {
      if (uninitialized && !keeps_this_) continue;
      Label handler;
      for (const Range& range : ranges_) {
        if (range.this_uninitialized != uninitialized) continue;
        if (!handler.valid()) handler = build_.NewLabel();
        build_.Handler(range.start, range.end, handler);
      }
      if (!handler.valid()) continue;
      std::vector<VerificationType> locals;
      if (uninitialized) locals.push_back({VerificationType::kUninitializedThis});
      build_.Bind(handler);
      build_.Frame(code_.AddFrame(locals, {code_.ObjectNamed("java/lang/Throwable")}));
      build_.Emit(Op::kDup);
      build_.Load(Op::kLload, frame_);
      build_.Load(Op::kIload, count_);
      build_.InvokeStatic(kRuntime, "threw", "(Ljava/lang/Object;JI)V");
      build_.Emit(Op::kAthrow);
    }
  }

  ExactIds& ids_;
  classfile::ClassFile& file_;
  Code& code_;
  const HandlerEntries handlers_;  // of the elements before build_ takes them
  CodeBuilder build_;
  bytecode::Simulator state_;
  const bool brief_;
  bool is_constructor_ = false;
  bool protect_ = true;
  bool keeps_this_ = true;  // in local variable 0 while it is uninitialized
  uint32_t method_id_ = 0;
  uint64_t entry_ = 0;
  uint16_t frame_ = 0;
  uint16_t count_ = 0;
  std::vector<uint32_t> positions_;
  std::vector<int> protected_;
  int pending_ = 0;  // bytecodes not yet added to the count
  Label range_start_;
  bool range_throws_ = false;
  bool range_uninitialized_ = false;
  std::vector<Range> ranges_;
};

}  // namespace

Result<bool> ExactPass::Apply(classfile::ClassFile& file, const classfile::Method& method,
                              Code& code) {
  ASSAY_TRY(Rewrite(file, method, code, false));
  return true;
}

Status ExactPass::ApplyBriefly(classfile::ClassFile& file, const classfile::Method& method,
                               Code& code) {
  return Rewrite(file, method, code, true);
}

Status ExactPass::Rewrite(classfile::ClassFile& file, const classfile::Method& method, Code& code,
                          bool brief) {
  for (const Element& element : code.elements) {
    if (element.Is(Op::kJsr) || element.Is(Op::kRet)) return Error{"jsr/ret"};
  }
  return Rewriter(ids_, file, method, code, brief).Run();
}

}  // namespace assay::instrument
