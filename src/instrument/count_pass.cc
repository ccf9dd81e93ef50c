// What a rewritten method does, around its own code:
//
//   counter = AssayCounter.enter(number); top = counter.sp;      // takes the sample that is due
//   sum += n;                                    // before each run of n bytecodes
//   AssayCounter.count(counter, n);              // instead, if the method is one run
//   sum = AssayCounter.flush(counter, sum);      // in loops that call, and where max_path is reached
//   AssayCounter.check(counter, top);            // there too
//   AssayCounter.caught(counter, top);           // at the entry of each handler
//   AssayCounter.leave(counter, top, sum or n);  // before each return
//
// A method with a sum has a handler for all exceptions, its own and those out of calls, that counts the
// sum. The stack pointer is restored by whoever catches. Where the JDK is not rewritten and may be the one
// that catches, every method on the stack gets such a handler (CountOptions::unwind).
//
// An exit calls nothing: it notes how deep the stack was when the counter had run down, and the next
// entry or check takes the sample there. Only entries and checks can call, and a call that the
// compiler has to reckon with costs more than what it does: everything read from memory before is
// forgotten. Methods without calls need no place on the stack (P3, 5.1); they keep the sum and
// end with AssayCounter.leaf(number, sum), which never calls anything.
//
// All branches are inside the helpers, which the compiler inlines: no frame is added or recomputed.
#include "src/instrument/count_pass.h"

#include <algorithm>

#include "src/bytecode/catch_all.h"
#include "src/bytecode/code_builder.h"
#include "src/bytecode/opcode.h"
#include "src/instrument/count_plan.h"
#include "src/instrument/count_scope.h"

namespace assay::instrument {
namespace {

using bytecode::Code;
using bytecode::CodeBuilder;
using bytecode::Element;
using bytecode::Label;
using bytecode::Op;
using bytecode::VerificationType;

// A body is at most twice what the class-file format allows to count at once.
constexpr uint32_t kMaxIinc = 32768;

class Counter {
 public:
  Counter(const std::string& runtime, classfile::ClassFile& file, Code& code, const CountPlan& plan,
          uint32_t number, bool starts, bool on_stack, bool check_always)
      : runtime_(runtime),
        type_("L" + runtime + ";"),
        plan_(plan),
        body_(file, code),
        code_(code),
        number_(static_cast<int32_t>(number)),
        starts_(starts),
        on_stack_(on_stack),
        check_always_(check_always) {}

  // Adds a handler for what no other handler takes: what was summed up is counted, for the method itself and not for one that it
  // called, and on with the exception; off the stack too, if the JDK may be the one that catches.
  Status AddHandler(const classfile::Method& method, bool unwind) {
    if (!plan_.sums && !unwind) return {};
    Label begin, end;
    {
      CodeBuilder build(body_.file(), code_);
      size_t index = 0;
      for (const Element& element : build.Old()) {
        if (index++ == prologue_) begin = build.Here();
        build.Copy(element);
      }
      end = build.Here();
      ASSAY_TRY(build.Finish());
    }
    ASSAY_ASSIGN(auto regions, bytecode::AddCatchAll(body_.file(), method, code_, begin, end));
    CodeBuilder build(body_.file(), code_, CodeBuilder::Append{});
    build_ = &build;
    for (const auto& region : regions) {
      build.Bind(region.handler);
      build.Frame(region.frame);
      if (plan_.sums && on_stack_ && !unwind) PushStackAndCall("caught");
      if (plan_.sums) Flush();
      if (unwind) PushStackAndCall("abandon");
      build.Emit(Op::kAthrow);
    }
    return build.Finish();
  }

  Status Run() {
    Enter();
    prologue_ = code_.elements.size();
    uint32_t index = 0;
    for (const Element& element : build_->Old()) {
      if (element.IsInstruction()) Before(element, index);
      build_->Copy(element);
      ++index;
    }
    return build_->Finish();
  }

 private:
  void Enter() {
    if (on_stack_) {
      counter_ = code_.AddLocal(code_.ObjectNamed(runtime_), true);
      top_ = code_.AddLocal({VerificationType::kInteger}, true);
      build_->PushInt(number_);
      Call(starts_ ? "enterApp" : "enter", "(I)" + type_);
      build_->Emit(Op::kDup);
      build_->Store(Op::kAstore, counter_);
      auto sp = build_->file().pool.AddFieldRef(runtime_, "sp", "I");
      build_->Emit(Op::kGetfield, sp.ok() ? *sp : 0);
      build_->Store(Op::kIstore, top_);
    }
    if (!plan_.sums) return;
    sum_ = code_.AddLocal({plan_.unbounded ? VerificationType::kLong : VerificationType::kInteger}, true);
    ResetSum();
  }

  void Before(const Element& element, uint32_t index) {
    const bool exit = bytecode::IsReturn(element.op);
    if (plan_.handler[index] && on_stack_) PushStackAndCall("caught");
    if (plan_.add[index] != 0) Add(plan_.add[index]);
    if (plan_.count[index] != 0) Count(plan_.count[index]);
    if (plan_.check[index] == CountPlan::kFlushAndCheck) Flush();
    if (plan_.check[index] != CountPlan::kNoCheck && on_stack_) PushStackAndCall("check");
    const bool throws = element.op == Op::kAthrow;
    if (check_always_ && (exit || throws || bytecode::IsInvoke(element.op))) PushStackAndCall("check");
    if (exit) Leave(index);
  }

  void Add(uint32_t n) {
    if (plan_.unbounded) {
      build_->Load(Op::kLload, sum_);
      build_->PushInt(static_cast<int32_t>(n));
      build_->Emit(Op::kI2l);
      build_->Emit(Op::kLadd);
      return build_->Store(Op::kLstore, sum_);
    }
    for (; n > 0; n -= std::min(n, kMaxIinc)) {
      build_->Emit(Op::kIinc, sum_, static_cast<int32_t>(std::min(n, kMaxIinc)));
    }
  }

  void Count(uint32_t n) {
    PushWho();
    build_->PushInt(static_cast<int32_t>(n));
    Call(on_stack_ ? "count" : "leaf", "(" + WhoType() + "I)V");
  }

  // The sum is counted and begins anew.
  void Flush() {
    PushWho();
    LoadSum();
    if (!on_stack_) {
      Call("leaf", "(I" + SumType() + ")V");
      return ResetSum();
    }
    Call("flush", "(" + type_ + SumType() + ")" + SumType());
    StoreSum();
  }

  void Leave(uint32_t index) {
    PushWho();
    if (on_stack_) build_->Load(Op::kIload, top_);
    if (plan_.flush[index]) {
      LoadSum();
    } else {
      build_->PushInt(static_cast<int32_t>(plan_.leave[index]));
    }
    const std::string value = plan_.flush[index] ? SumType() : "I";
    if (!on_stack_) return Call("leaf", "(I" + value + ")V");
    Call(starts_ ? "leaveApp" : "leave", "(" + type_ + "I" + value + ")V");
  }

  void PushWho() {
    if (on_stack_) {
      build_->Load(Op::kAload, counter_);
    } else {
      build_->PushInt(number_);
    }
  }
  std::string WhoType() const { return on_stack_ ? type_ : "I"; }

  void PushStackAndCall(std::string_view helper) {
    build_->Load(Op::kAload, counter_);
    build_->Load(Op::kIload, top_);
    Call(helper, "(" + type_ + "I)V");
  }

  std::string SumType() const { return plan_.unbounded ? "J" : "I"; }
  void LoadSum() { build_->Load(plan_.unbounded ? Op::kLload : Op::kIload, sum_); }
  void StoreSum() { build_->Store(plan_.unbounded ? Op::kLstore : Op::kIstore, sum_); }
  void ResetSum() {
    build_->Emit(plan_.unbounded ? Op::kLconst0 : Op::kIconst0);
    StoreSum();
  }

  void Call(std::string_view name, std::string_view descriptor) {
    build_->InvokeStatic(runtime_, name, descriptor);
  }

  const std::string& runtime_;
  const std::string type_;
  const CountPlan& plan_;
  CodeBuilder body_;
  CodeBuilder* build_ = &body_;  // what is being written: the body, or a handler
  Code& code_;
  const int32_t number_;
  const bool starts_;
  const bool on_stack_;
  const bool check_always_;  // at every call and exit too
  size_t prologue_ = 0;
  uint16_t counter_ = 0;
  uint16_t top_ = 0;
  uint16_t sum_ = 0;
};

Status CountStraight(const std::string& runtime, classfile::ClassFile& file, Code& code,
                     uint32_t number, uint32_t bytecodes) {
  CodeBuilder build(file, code);
  build.PushInt(static_cast<int32_t>(number));
  build.PushInt(static_cast<int32_t>(bytecodes));
  build.InvokeStatic(runtime, "leaf", "(II)V");
  for (const Element& element : build.Old()) build.Copy(element);
  return build.Finish();
}

// token = enter; try { ... leave(token) before each return } catch (any) { leave(token); throw }
Status MakeOpaque(const std::string& runtime, classfile::ClassFile& file,
                  const classfile::Method& method, Code& code, uint32_t number) {
  constexpr std::string_view kLeave = "leaveOpaque";
  uint16_t token = code.AddLocal({VerificationType::kLong}, true);
  Label begin, end;
  {
    CodeBuilder build(file, code);
    build.PushInt(static_cast<int32_t>(number));
    build.InvokeStatic(runtime, "enterOpaque", "(I)J");
    build.Store(Op::kLstore, token);
    begin = build.Here();
    for (const Element& element : build.Old()) {
      if (element.IsInstruction() && bytecode::IsReturn(element.op)) {
        build.Load(Op::kLload, token);
        build.InvokeStatic(runtime, kLeave, "(J)V");
      }
      build.Copy(element);
    }
    end = build.Here();
    ASSAY_TRY(build.Finish());
  }
  ASSAY_ASSIGN(auto regions, bytecode::AddCatchAll(file, method, code, begin, end));
  CodeBuilder build(file, code, CodeBuilder::Append{});
  for (const auto& region : regions) {
    build.Bind(region.handler);
    build.Frame(region.frame);
    build.Load(Op::kLload, token);
    build.InvokeStatic(runtime, kLeave, "(J)V");
    build.Emit(Op::kAthrow);
  }
  return build.Finish();
}

}  // namespace

Result<bool> CountPass::Apply(classfile::ClassFile& file, const classfile::Method& method,
                              Code& code) {
  for (const Element& element : code.elements) {
    if (element.Is(Op::kJsr) || element.Is(Op::kRet)) return Error{"jsr/ret"};
  }
  // The root of all constructors; what it would cost is more than what it counts.
  if (file.Name() == "java/lang/Object" && file.NameOf(method) == "<init>") return false;
  if (options_.unwind && file.NameOf(method) == "getId" && file.DescriptorOf(method) == "()J" &&
      file.SuperName() != "java/lang/Object") {
    return Error{"could be Thread.getId, which the portable runtime calls"};
  }
  ASSAY_ASSIGN(CountPlan plan,
               PlanCounting(code, options_.max_path, options_.fewer_checks, options_.weights));
  const CountMode mode = CountModeOf(file, method, jdk_class_, plan.calls);
  if (mode == CountMode::kUntouched) return false;
  const uint32_t number =
      numbers_.Method(file.Name(), file.NameOf(method), file.DescriptorOf(method));
  if (mode == CountMode::kOpaque) {
    ASSAY_TRY(MakeOpaque(options_.runtime, file, method, code, number));
    return true;
  }
  const bool leaf = options_.leaf_methods && options_.fewer_checks && !plan.calls;
  if (leaf && plan.straight) {
    ASSAY_TRY(CountStraight(options_.runtime, file, code, number, plan.bytecodes));
    return true;
  }
  Counter counter(options_.runtime, file, code, plan, number, !jdk_class_, !leaf,
                  !options_.fewer_checks);
  ASSAY_TRY(counter.Run());
  ASSAY_TRY(counter.AddHandler(method, options_.unwind && !leaf));
  return true;
}

}  // namespace assay::instrument
