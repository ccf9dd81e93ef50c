#include "src/sampling/hotspot/frame_walker.h"

#include <cstring>

#include "src/sampling/code_shapes.h"
#include "src/sampling/hotspot/vm_memory.h"

namespace assay::sampling {
namespace {

constexpr uintptr_t kWord = 8;
// Of an interpreted frame, in words from rbp.
constexpr int kSenderSp = -1, kMethod = -3, kBcp = -8, kExpressions = -9;
constexpr int kCallWrapper = -6;  // of a call stub's frame

uintptr_t At(uintptr_t base, int64_t words) { return VmWord(base + words * 8); }

bool Matches(uintptr_t pc, int64_t offset, std::initializer_list<uint8_t> bytes) {
  auto* p = reinterpret_cast<const uint8_t*>(pc + offset);
  for (uint8_t byte : bytes) {
    if (*p++ != byte) return false;
  }
  return true;
}

bool IsPollCompare(uintptr_t pc, int64_t end) {  // cmp rsp, [r15 + disp] that ends at pc + end
  return Matches(pc, end - 7, {0x49, 0x3b, 0xa7}) || Matches(pc, end - 4, {0x49, 0x3b, 0x67});
}
bool IsFramePop(uintptr_t pc, int64_t end) {  // add rsp, imm that ends at pc + end
  return Matches(pc, end - 4, {0x48, 0x83, 0xc4}) || Matches(pc, end - 7, {0x48, 0x81, 0xc4});
}

// How many words of the frame are left at `pc`, the return address included, when the method is
// on its way out: 2 before "pop rbp", 1 after it. 0: not on its way out.
int WordsLeftAtExit(uintptr_t pc) {
  if (Matches(pc, 0, {0x5d}) && IsFramePop(pc, 0)) return 2;
  if (Matches(pc, -1, {0x5d}) && IsFramePop(pc, -1)) return 1;
  if (Matches(pc, 0, {0x0f, 0x87}) && IsPollCompare(pc, 0)) return 1;
  if (Matches(pc, 0, {0xc3}) && Matches(pc, -6, {0x0f, 0x87})) return 1;
  // The slow path of the poll: r10 = address; [r15 + S] = r10; jmp handler.
  if (Matches(pc, 0, {0x49, 0xba}) && Matches(pc, 10, {0x4d, 0x89})) return 1;
  if (Matches(pc, 0, {0x4c, 0x8d, 0x15}) && Matches(pc, 7, {0x4d, 0x89})) return 1;
  if (Matches(pc, 0, {0x4d, 0x89, 0x97}) || Matches(pc, 0, {0x4d, 0x89, 0x57})) return 1;
  if (Matches(pc, 0, {0xe9}) &&
      (Matches(pc, -7, {0x4d, 0x89, 0x97}) || Matches(pc, -4, {0x4d, 0x89, 0x57}))) {
    return 1;
  }
  return 0;
}

}  // namespace

Status FrameWalker::Load(const VmStructs& structs, const CodeHeap* code,
                         const InterpretedMethods* methods, uintptr_t call_stub_return) {
  code_ = code;
  methods_ = methods;
  call_stub_return_ = call_stub_return;
  ASSAY_ASSIGN(anchor_, structs.Offset("JavaThread::_anchor"));
  ASSAY_ASSIGN(anchor_sp_, structs.Offset("JavaFrameAnchor::_last_Java_sp"));
  ASSAY_ASSIGN(anchor_fp_, structs.Offset("JavaFrameAnchor::_last_Java_fp"));
  ASSAY_ASSIGN(anchor_pc_, structs.Offset("JavaFrameAnchor::_last_Java_pc"));
  ASSAY_ASSIGN(wrapper_anchor_, structs.Offset("JavaCallWrapper::_anchor"));
  ASSAY_ASSIGN(states_, structs.StatesOfThreads());
  ASSAY_ASSIGN(stack_base_, structs.Offset("JavaThread::_stack_base"));
  ASSAY_ASSIGN(blob_name_, structs.Offset("CodeBlob::_name"));
  ASSAY_ASSIGN(frame_complete_, structs.Offset("CodeBlob::_frame_complete_offset"));
  ASSAY_ASSIGN(original_pc_, structs.Offset("nmethod::_orig_pc_offset"));
  auto deopt = structs.Offset("CompiledMethod::_deopt_handler_begin");
  auto deopt_mh = structs.Offset("CompiledMethod::_deopt_mh_handler_begin");
  deopt_is_offset_ = !deopt.ok();
  if (deopt_is_offset_) {
    deopt = structs.Offset("nmethod::_deopt_handler_offset");
    deopt_mh = structs.Offset("nmethod::_deopt_mh_handler_offset");
  }
  if (!deopt.ok()) deopt = structs.Offset("nmethod::_deopt_handler_entry_offset");  // since 26, one for all
  if (!deopt.ok()) return deopt.error();
  deopt_ = *deopt;
  deopt_mh_ = deopt_mh.ok() ? *deopt_mh : *deopt;
  return {};
}

uintptr_t FrameWalker::MethodOf(const StackFrame& frame) const {
  if (frame.where.interpreted()) return frame.identity;
  return code_->MethodOf(frame.identity);
}

uintptr_t FrameWalker::StackBase(uintptr_t thread) const { return VmWord(thread + stack_base_); }

FrameWalker::Code FrameWalker::KindOf(uintptr_t blob) const {
  const char* name = reinterpret_cast<const char*>(VmWord(blob + blob_name_));
  if (name == nullptr) return Code::kOther;
  if (memcmp(name, "nmethod", 8) == 0) return Code::kMethod;
  return strncmp(name, "native nmethod", 15) == 0 ? Code::kNative : Code::kOther;
}

uintptr_t FrameWalker::OriginalPc(uintptr_t blob, uintptr_t pc, uintptr_t sp,
                                  bool* deoptimized) const {
  uintptr_t handler = deopt_is_offset_ ? blob + VmInt(blob + deopt_) : VmWord(blob + deopt_);
  uintptr_t handler_mh = deopt_is_offset_ ? blob + VmInt(blob + deopt_mh_) : VmWord(blob + deopt_mh_);
  *deoptimized = pc == handler || pc == handler_mh;
  return *deoptimized ? VmWord(sp + VmInt(blob + original_pc_)) : pc;
}

uintptr_t FrameWalker::CallIn(uintptr_t blob, uintptr_t pc, uintptr_t sp) const {
  if (KindOf(blob) != Code::kMethod) return pc;
  bool deoptimized;
  uintptr_t original = OriginalPc(blob, pc, sp, &deoptimized);
  return original > blob && original < blob + code_->BlobSize(blob) ? original : pc;
}

bool FrameWalker::FromAnchor(uintptr_t anchor, FrameCursor* cursor) const {
  uintptr_t sp = VmWord(anchor + anchor_sp_);
  if (sp == 0) return false;
  uintptr_t pc = VmWord(anchor + anchor_pc_);
  *cursor = {pc != 0 ? pc : At(sp, -1), sp, VmWord(anchor + anchor_fp_)};
  return true;
}

FrameWalker::Step FrameWalker::NextEntry(FrameCursor* cursor, uintptr_t base) const {
  uintptr_t fp = cursor->fp;
  if (fp < cursor->sp || fp + 2 * kWord > base || fp % kWord != 0) return kBroken;
  uintptr_t wrapper = At(fp, kCallWrapper);
  if (wrapper <= fp || wrapper >= base || wrapper % kWord != 0) return kBroken;
  FrameCursor older;
  if (!FromAnchor(wrapper + wrapper_anchor_, &older)) return kEnd;
  if (older.sp <= fp || older.sp >= base || older.sp % kWord != 0) return kBroken;
  *cursor = older;
  return kPassed;
}

FrameWalker::Step FrameWalker::NextInterpreted(FrameCursor* cursor, uintptr_t base, uintptr_t bcp,
                                               StackFrame* frame) const {
  uintptr_t fp = cursor->fp;
  if (fp < cursor->sp || fp + 2 * kWord > base || fp % kWord != 0) return kBroken;
  uintptr_t method = At(fp, kMethod);
  uintptr_t sender_sp = At(fp, kSenderSp);
  if (bcp == 0) bcp = At(fp, kBcp);
  if (sender_sp <= fp || sender_sp > base || sender_sp % kWord != 0) return kBroken;
  // A native method has no bytecodes; any value that is no Kind will do.
  *frame = {fp + kWord, At(fp, 1), method, {method, bcp > RawFrame::kLastKind ? bcp : RawFrame::kNoBytecode}};
  *cursor = {At(fp, 1), sender_sp, At(fp, 0)};
  return kFrame;
}

FrameWalker::Step FrameWalker::Next(FrameCursor* cursor, uintptr_t base, StackFrame* frame) const {
  uintptr_t pc = cursor->pc;
  if (pc == call_stub_return_) return NextEntry(cursor, base);
  if (IsInterpreter(pc)) return NextInterpreted(cursor, base, 0, frame);
  uintptr_t blob = code_->FindBlob(pc);
  if (blob == 0) return kBroken;
  int32_t size = code_->FrameSize(blob);
  if (size <= 0) return kOutside;
  uintptr_t slot = cursor->sp + (static_cast<uintptr_t>(size) - 1) * kWord;
  if (size > 1 << 17 || slot >= base || slot % kWord != 0) return kBroken;
  Code kind = KindOf(blob);
  if (kind == Code::kNative) {
    *frame = {slot, VmWord(slot), blob, RawFrame::Compiled(pc, RawFrame::kNative, code_->Compilation(blob))};
  } else if (kind == Code::kMethod) {
    bool deoptimized = false;
    uintptr_t original = OriginalPc(blob, pc, cursor->sp, &deoptimized);
    bool inside = original > blob && original < blob + code_->BlobSize(blob);
    *frame = {slot,
              VmWord(slot),
              blob,
              RawFrame::Compiled(inside ? original : pc, inside ? RawFrame::kAtCall : RawFrame::kMethodOnly,
                                 code_->Compilation(blob))};
  }
  *cursor = {VmWord(slot), slot + kWord, size > 1 ? At(slot, -1) : cursor->fp};
  return kind == Code::kOther ? kPassed : kFrame;
}

// Between two bytecodes rbp, r13 and the frame fit each other. At entry and exit they do not: r13
// is then a stack pointer or belongs to another method, or the frame lies too far up.
FrameWalker::Top FrameWalker::TopInterpreted(const Registers& registers, uintptr_t base,
                                             FrameCursor* cursor, StackFrame* frame) const {
  uintptr_t fp = registers.fp;
  if (fp <= registers.sp || fp + 2 * kWord > base || fp % kWord != 0) return kTopUnclear;
  const InterpretedMethods::Entry* method = methods_->Find(At(fp, kMethod));
  if (method == nullptr || method->code_bytes == 0) return kTopUnclear;
  if (registers.bcp < method->code || registers.bcp >= method->code + method->code_bytes) {
    return kTopUnclear;
  }
  uintptr_t expressions = fp + kExpressions * static_cast<intptr_t>(kWord);
  constexpr uintptr_t kSlack = 16;  // monitors, and what the interpreter itself pushes
  if (registers.sp > expressions + kWord ||
      registers.sp < expressions - (method->max_stack + kSlack) * kWord) {
    return kTopUnclear;
  }
  *cursor = {registers.pc, registers.sp, fp};
  return NextInterpreted(cursor, base, registers.bcp, frame) == kFrame ? kTopFrame : kTopUnclear;
}

FrameWalker::Top FrameWalker::TopCompiled(const Registers& registers, uintptr_t blob,
                                          uintptr_t base, FrameCursor* cursor,
                                          StackFrame* frame) const {
  uintptr_t pc = registers.pc;
  uintptr_t begin = code_->CodeBegin(blob);
  // 32 bits before 22 and 16 after; it is small and not negative, or -1.
  int16_t complete = *reinterpret_cast<volatile int16_t*>(blob + frame_complete_);
  int32_t size = code_->FrameSize(blob);
  if (complete < 0 || pc < begin + complete || size < 2) return kTopUnclear;
  int left = WordsLeftAtExit(pc);
  uintptr_t slot = registers.sp + (static_cast<uintptr_t>(left > 0 ? left : size) - 1) * kWord;
  if (slot >= base || slot % kWord != 0) return kTopUnclear;
  // The caller must be code that calls: its pc is checked again when the walk goes on.
  uintptr_t caller = VmWord(slot);
  if (caller != call_stub_return_ && !IsInterpreter(caller) && code_->FindBlob(caller) == 0) {
    return kTopUnclear;
  }
  *frame = {slot, caller, blob, RawFrame::Compiled(pc, RawFrame::kNear, code_->Compilation(blob))};
  *cursor = {caller, slot + kWord, left == 1 ? registers.fp : At(slot, -1)};
  return left > 0 ? kTopLeaving : kTopFrame;
}

FrameWalker::Top FrameWalker::FindTop(uintptr_t thread, const Registers& registers, uintptr_t base,
                                      FrameCursor* cursor, StackFrame* frame) const {
  if (FromAnchor(thread + anchor_, cursor)) {
    bool sane = cursor->sp >= registers.sp && cursor->sp < base && cursor->sp % kWord == 0;
    return sane ? kTopCall : kTopUnclear;
  }
  if (!states_.IsInJava(thread)) return kTopNone;
  if (IsInterpreter(registers.pc)) return TopInterpreted(registers, base, cursor, frame);
  uintptr_t blob = code_->FindBlob(registers.pc);
  if (blob == 0 || KindOf(blob) != Code::kMethod) return kTopUnclear;
  return TopCompiled(registers, blob, base, cursor, frame);
}

}  // namespace assay::sampling
