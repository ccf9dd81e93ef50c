// What a rewritten method does, around its own code:
//
//   counter = AssayCounter.enter(number); top = counter.sp; left = counter.left;
//   left -= n;                                        // before each run of n bytecodes
//   left = AssayCounter.check(counter, top, left);    // in loops and long blocks
//   counter.left = left; [left = IN_CALL;]   call   left = counter.left;
//   left = AssayCounter.caught(counter, top, left);   // at the entry of each handler
//   left = AssayCounter.settle(counter, top, left);   // before athrow
//   AssayCounter.leave(counter, top, left);           // before each return
//
// The counter lives in a local variable between calls. An exception from a callee leaves the right
// value in the object, one from the method's own code in the variable; in methods with handlers the
// variable is IN_CALL during calls, which tells the two apart. The stack pointer is restored by
// whoever catches, so no method needs a handler of its own. Where the JDK is not rewritten and may
// be the one that catches, every method on the stack gets one (CountOptions::unwind).
//
// Methods without calls need no place on the stack (P3, 5.1): their number is passed to the sample.
// Those that are straight-line code too are a single call: AssayCounter.leaf(number, bytecodes).
//
// All branches are inside the helpers, which the compiler inlines: no frame is added or recomputed,
// and the branch to the sampler has a profile that is never empty, so that it is not compiled to an
// uncommon trap.
#include "src/instrument/count_pass.h"

#include <algorithm>
#include <limits>

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

constexpr int32_t kInCall = std::numeric_limits<int32_t>::min();

// A body is at most twice what the class-file format allows to count at once.
constexpr uint32_t kMaxIinc = 32768;

class Counter {
 public:
  Counter(const std::string& runtime, classfile::ClassFile& file, Code& code, const CountPlan& plan,
          uint32_t number, bool starts, bool on_stack, bool check_calls)
      : runtime_(runtime),
        type_("L" + runtime + ";"),
        plan_(plan),
        build_(file, code),
        code_(code),
        number_(static_cast<int32_t>(number)),
        starts_(starts),
        on_stack_(on_stack),
        check_calls_(check_calls),
        has_handlers_(!code.tries.empty()) {}

  // The elements at the start that set up the counter's variables.
  size_t prologue() const { return prologue_; }

  // Adds a handler for what no other handler takes: off the stack, and on with the exception.
  Status Unwind(const classfile::Method& method) {
    Label begin, end;
    {
      CodeBuilder build(build_.file(), code_);
      size_t index = 0;
      for (const Element& element : build.Old()) {
        if (index++ == prologue_) begin = build.Here();
        build.Copy(element);
      }
      end = build.Here();
      ASSAY_TRY(build.Finish());
    }
    ASSAY_ASSIGN(auto regions, bytecode::AddCatchAll(build_.file(), method, code_, begin, end));
    CodeBuilder build(build_.file(), code_, CodeBuilder::Append{});
    for (const auto& region : regions) {
      build.Bind(region.handler);
      build.Frame(region.frame);
      build.Load(Op::kAload, counter_);
      build.Load(Op::kIload, top_);
      build.InvokeStatic(runtime_, "abandon", "(" + type_ + "I)V");
      build.Emit(Op::kAthrow);
    }
    return build.Finish();
  }

  Status Run() {
    Enter();
    prologue_ = code_.elements.size();
    uint32_t index = 0;
    for (const Element& element : build_.Old()) {
      if (element.IsInstruction()) {
        Before(element, index);
        build_.Copy(element);
        if (bytecode::IsInvoke(element.op)) ReloadLeft();
      } else {
        build_.Copy(element);
      }
      ++index;
    }
    return build_.Finish();
  }

 private:
  void Enter() {
    counter_ = code_.AddLocal(code_.ObjectNamed(runtime_), true);
    if (on_stack_) top_ = code_.AddLocal({VerificationType::kInteger}, true);
    left_ = code_.AddLocal({VerificationType::kInteger}, true);
    if (on_stack_) {
      build_.PushInt(number_);
      Call(starts_ ? "enterApp" : "enter", "(I)" + type_);
    } else {
      Call("enterLeaf", "()" + type_);
    }
    build_.Emit(Op::kDup);
    build_.Store(Op::kAstore, counter_);
    if (on_stack_) {
      build_.Emit(Op::kDup);
      GetField("sp");
      build_.Store(Op::kIstore, top_);
    }
    GetField("left");
    build_.Store(Op::kIstore, left_);
  }

  void Before(const Element& element, uint32_t index) {
    if (plan_.handler[index] && on_stack_) AskAndKeep("caught");
    for (uint32_t n = plan_.count[index]; n > 0; n -= std::min(n, kMaxIinc)) {
      build_.Emit(Op::kIinc, left_, -static_cast<int32_t>(std::min(n, kMaxIinc)));
    }
    bool leaves = bytecode::IsReturn(element.op) || element.op == Op::kAthrow;
    bool calls = bytecode::IsInvoke(element.op);
    if (plan_.check[index] && !leaves && !calls) Check();
    if (element.op == Op::kAthrow) Settle();
    if (bytecode::IsReturn(element.op)) Leave();
    if (calls) {
      FlushLeft();
      if (has_handlers_) {
        build_.PushInt(kInCall);
        build_.Store(Op::kIstore, left_);
      }
    }
  }

  void FlushLeft() {
    if (check_calls_) {
      PushState();
      return Call("call", "(" + type_ + "II)V");
    }
    build_.Load(Op::kAload, counter_);
    build_.Load(Op::kIload, left_);
    build_.Emit(Op::kPutfield, FieldRef("left"));
  }

  void ReloadLeft() {
    build_.Load(Op::kAload, counter_);
    GetField("left");
    build_.Store(Op::kIstore, left_);
  }

  void Check() { AskAndKeep(on_stack_ ? "check" : "checkLeaf"); }

  void Settle() {
    if (on_stack_) return AskAndKeep("settle");
    Check();
    build_.Load(Op::kAload, counter_);
    build_.Load(Op::kIload, left_);
    build_.Emit(Op::kPutfield, FieldRef("left"));
  }

  void Leave() {
    PushState();
    if (on_stack_) {
      Call(starts_ ? "leaveApp" : "leave", "(" + type_ + "II)V");
    } else {
      Call("leaveLeaf", "(" + type_ + "II)V");
    }
  }

  void AskAndKeep(std::string_view helper) {
    PushState();
    Call(helper, "(" + type_ + "II)I");
    build_.Store(Op::kIstore, left_);
  }

  void PushState() {
    build_.Load(Op::kAload, counter_);
    if (on_stack_) build_.Load(Op::kIload, top_);
    build_.Load(Op::kIload, left_);
    if (!on_stack_) build_.PushInt(number_);
  }

  void Call(std::string_view name, std::string_view descriptor) {
    build_.InvokeStatic(runtime_, name, descriptor);
  }

  uint16_t FieldRef(std::string_view name) {
    auto index = build_.file().pool.AddFieldRef(runtime_, name, "I");
    return index.ok() ? *index : 0;
  }
  void GetField(std::string_view name) { build_.Emit(Op::kGetfield, FieldRef(name)); }

  const std::string& runtime_;
  const std::string type_;
  const CountPlan& plan_;
  CodeBuilder build_;
  Code& code_;
  const int32_t number_;
  const bool starts_;
  const bool on_stack_;
  const bool check_calls_;
  const bool has_handlers_;
  size_t prologue_ = 0;
  uint16_t counter_ = 0;
  uint16_t top_ = 0;
  uint16_t left_ = 0;
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
// The first `prologue` elements are left out of the range: variables are set there that every frame
// has.
Status Wrap(const std::string& runtime, classfile::ClassFile& file, const classfile::Method& method,
            Code& code, std::string_view suffix, const uint32_t* number, size_t prologue) {
  const std::string leave = "leave" + std::string(suffix);
  uint16_t token = code.AddLocal({VerificationType::kLong}, true);
  Label begin, end;
  {
    CodeBuilder build(file, code);
    if (number != nullptr) build.PushInt(static_cast<int32_t>(*number));
    build.InvokeStatic(runtime, "enter" + std::string(suffix), number != nullptr ? "(I)J" : "()J");
    build.Store(Op::kLstore, token);
    size_t index = 0;
    for (const Element& element : build.Old()) {
      if (index++ == prologue) begin = build.Here();
      if (element.IsInstruction() && bytecode::IsReturn(element.op)) {
        build.Load(Op::kLload, token);
        build.InvokeStatic(runtime, leave, "(J)V");
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
    build.InvokeStatic(runtime, leave, "(J)V");
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
    ASSAY_TRY(Wrap(options_.runtime, file, method, code, "Opaque", &number, 0));
    return true;
  }
  const bool leaf = options_.leaf_methods && !plan.calls && mode == CountMode::kCounted;
  if (leaf && plan.straight) {
    ASSAY_TRY(CountStraight(options_.runtime, file, code, number, plan.bytecodes));
    return true;
  }
  Counter counter(options_.runtime, file, code, plan, number, !jdk_class_, !leaf,
                  !options_.fewer_checks);
  ASSAY_TRY(counter.Run());
  if (options_.unwind && !leaf && mode == CountMode::kCounted) ASSAY_TRY(counter.Unwind(method));
  if (mode == CountMode::kNested) {
    ASSAY_TRY(Wrap(options_.runtime, file, method, code, "Nested", nullptr, counter.prologue()));
  }
  return true;
}

}  // namespace assay::instrument
