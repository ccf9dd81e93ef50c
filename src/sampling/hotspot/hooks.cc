#include "src/sampling/hotspot/hooks.h"

#include <ucontext.h>
#include <x86intrin.h>

#include <cstring>

#include "src/sampling/code_shapes.h"
#include "src/sampling/guard_word.h"

void* assay_entry_resume = nullptr;
void* assay_return_resume = nullptr;

namespace assay::sampling {
namespace {

alignas(64) constinit HookContext g_hooks;

// A caller's frame, seen from its callee.
struct CallerFrame {
  uintptr_t* return_slot;  // holds the pc in the caller
  uintptr_t fp;            // rbp as the caller left it
};

bool IsInterpreter(const HookContext& hooks, uintptr_t pc) {
  return pc >= hooks.interpreter_begin && pc < hooks.interpreter_end;
}

// The VM's own walker, started at the caller. Costs microseconds; used for interpreted callers, whose
// return address does not say where they are, and where the accounting asked for it.
uint32_t WalkSample(HookContext& hooks, ThreadSlot& slot, uintptr_t callee_pc, CallerFrame caller,
                    uint32_t depth) {
  auto sp = reinterpret_cast<uintptr_t>(caller.return_slot + 1);
  if (hooks.walker == nullptr || slot.env == nullptr || sp < slot.stack_limit) {
    hooks.walk_failures[kWalkReasons - 1].fetch_add(1, std::memory_order_relaxed);
    return SiteTable::kNoId;
  }
  hooks.walks.fetch_add(1, std::memory_order_relaxed);
  uint64_t began = __rdtsc();
  // At a pc in compiled code the VM takes the debug information of the next one that has some
  // (forte.cpp, is_decipherable_compiled_frame), so it has to be the call and not what follows.
  const uintptr_t pc = *caller.return_slot - (IsInterpreter(hooks, *caller.return_slot) ? 0 : 1);
  ucontext_t context;
  memset(&context, 0, sizeof context);
  context.uc_mcontext.gregs[REG_RIP] = static_cast<greg_t>(pc);
  context.uc_mcontext.gregs[REG_RSP] = static_cast<greg_t>(sp);
  context.uc_mcontext.gregs[REG_RBP] = static_cast<greg_t>(caller.fp);
  context.uc_mcontext.gregs[REG_R15] = static_cast<greg_t>(slot.thread.load(std::memory_order_relaxed));
  AsgctFrame raw[kMaxDepth];
  AsgctTrace trace{slot.env, 0, raw};
  hooks.walker(&trace, static_cast<int32_t>(depth - 1), &context);
  slot.block.walk_cycles += __rdtsc() - began;
  if (trace.count <= 0 || raw[0].method == nullptr) {
    int reason = trace.count <= 0 && trace.count > -kWalkReasons + 1 ? -trace.count : kWalkReasons - 2;
    hooks.walk_failures[reason].fetch_add(1, std::memory_order_relaxed);
    return SiteTable::kNoId;
  }
  WalkedFrame frames[kMaxDepth];
  uint32_t count = 0;
  for (; count < static_cast<uint32_t>(trace.count) && raw[count].method != nullptr; count++) {
    frames[count] = {reinterpret_cast<uintptr_t>(raw[count].method), raw[count].bci};
  }
  return hooks.sites.FindOrAddWalked(callee_pc, frames, count);
}

// The chain of callers beyond the first, over compiled frames only.
uint32_t ExtendChain(HookContext& hooks, ThreadSlot& slot, uint32_t id, uintptr_t callee_pc,
                     CallerFrame caller, uint32_t depth) {
  CallerFrame frame = caller;
  for (uint32_t have = 2; have < depth && id != SiteTable::kNoId; have++) {
    uintptr_t pc = *frame.return_slot;
    if (pc == hooks.call_stub_return) break;
    uintptr_t blob = hooks.code.FindBlob(pc);
    int32_t size = blob == 0 ? 0 : hooks.code.FrameSize(blob);
    if (size <= 1 || size > 65536) break;
    uintptr_t* next = frame.return_slot + size;
    if (IsInterpreter(hooks, *next)) return WalkSample(hooks, slot, callee_pc, caller, depth);
    frame.return_slot = next;
    id = hooks.sites.FindOrAdd(SiteTable::kChainTag | id, *next);
  }
  return id;
}

uint32_t TakeSample(HookContext& hooks, ThreadSlot& slot, uintptr_t callee_pc, CallerFrame caller) {
  uint32_t depth = hooks.parameters.depth.load(std::memory_order_relaxed);
  uintptr_t caller_pc = *caller.return_slot;
  if (IsInterpreter(hooks, caller_pc)) {
    hooks.interpreted_callers.fetch_add(1, std::memory_order_relaxed);
    return WalkSample(hooks, slot, callee_pc, caller, depth);
  }
  uint32_t id = hooks.sites.FindOrAdd(callee_pc, caller_pc);
  if (id == SiteTable::kNoId) return id;
  if (hooks.sites.WantsWalk(id)) return WalkSample(hooks, slot, callee_pc, caller, depth);
  return depth > 2 ? ExtendChain(hooks, slot, id, callee_pc, caller, depth) : id;
}

// True when the thread's burst is over.
bool OnCall(HookContext& hooks, ThreadSlot& slot, uintptr_t callee_pc, CallerFrame caller) {
  if (hooks.parameters.exhaustive.load(std::memory_order_relaxed)) {
    uint32_t id = TakeSample(hooks, slot, callee_pc, caller);
    if (id != SiteTable::kNoId) hooks.sites.Count(id, slot.number);
    return false;
  }
  return hooks.recorder.OnCall(slot) &&
         hooks.recorder.Took(slot, TakeSample(hooks, slot, callee_pc, caller));
}

}  // namespace

HookContext& Hooks() { return g_hooks; }

bool OnProbedCall(ThreadSlot& slot, ProbeWalk walk) {
  HookContext& hooks = g_hooks;
  bool exhaustive = hooks.parameters.exhaustive.load(std::memory_order_relaxed);
  if (!exhaustive && !hooks.recorder.OnCall(slot)) return false;
  uint64_t began = __rdtsc();
  WalkedFrame frames[kMaxDepth];
  uint32_t count = walk(frames, hooks.parameters.depth.load(std::memory_order_relaxed));
  hooks.walks.fetch_add(1, std::memory_order_relaxed);
  uint32_t id = count == 0 ? SiteTable::kNoId
                           : hooks.sites.FindOrAddWalked(SiteTable::kCalleeInFrames, frames, count);
  if (count == 0) hooks.walk_failures[0].fetch_add(1, std::memory_order_relaxed);
  slot.block.walk_cycles += __rdtsc() - began;
  if (!exhaustive) return hooks.recorder.Took(slot, id);
  if (id != SiteTable::kNoId) hooks.sites.Count(id, slot.number);
  return false;
}

}  // namespace assay::sampling

using namespace assay::sampling;

int assay_entry_hook(uintptr_t* return_slot, uintptr_t thread) {
  HookContext& hooks = g_hooks;
  std::atomic<uint32_t>& word = hooks.EntryWord(thread);
  uint32_t value = word.load(std::memory_order_relaxed);
  ThreadSlot* slot = hooks.threads.Find(thread);
  if (slot == nullptr) {
    hooks.unknown_threads.fetch_add(1, std::memory_order_relaxed);
    EntryGuard::Disarm(word);
    return 0;
  }
  if (!EntryGuard::IsMarked(value)) {
    // The VM's own business; when counting everything, the VM has just replaced our mark.
    if (hooks.active.load(std::memory_order_relaxed) &&
        hooks.parameters.exhaustive.load(std::memory_order_relaxed)) {
      EntryGuard::Arm(word);
    }
    return 0;
  }
  uintptr_t callee_pc = *return_slot;
  uintptr_t blob = hooks.code.FindBlob(callee_pc);
  int32_t frame_size = blob == 0 ? 0 : hooks.code.FrameSize(blob);
  if (frame_size < 2) {
    EntryGuard::Disarm(word);
    return 0;
  }
  if (hooks.code.IsOsr(blob)) {
    hooks.osr_entries.fetch_add(1, std::memory_order_relaxed);
  } else {
    // The frame is complete: the caller's return address ends it, the saved rbp lies below
    // (barrierSetNMethod_x86.cpp, BarrierSetNMethod::deoptimize).
    CallerFrame caller{return_slot + frame_size, return_slot[frame_size - 1]};
    if (OnCall(hooks, *slot, callee_pc, caller)) EntryGuard::Disarm(word);
  }
  // What the compiled code would have found without our mark: equal means that it goes on.
  auto immediate = ImmediateOfEntryCheck(reinterpret_cast<const uint8_t*>(callee_pc),
                                         hooks.entry_displacement);
  if (immediate && static_cast<uint32_t>(*immediate) == EntryGuard::Plain(value)) return 1;
  hooks.vm_passes.fetch_add(1, std::memory_order_relaxed);
  return 0;
}

int assay_return_hook(uintptr_t* return_slot, uintptr_t thread, uintptr_t caller_fp) {
  HookContext& hooks = g_hooks;
  if (auto* function = hooks.on_return.load(std::memory_order_acquire)) {
    return function(return_slot, thread, caller_fp);
  }
  std::atomic<uint64_t>& word = hooks.PollWord(thread);
  if (!ReturnGuard::IsMarked(word.load(std::memory_order_relaxed))) return 0;
  ThreadSlot* slot = hooks.threads.Find(thread);
  if (slot == nullptr) {
    hooks.unknown_threads.fetch_add(1, std::memory_order_relaxed);
    ReturnGuard::Disarm(word);
    return 0;
  }
  uintptr_t callee_pc = *reinterpret_cast<uintptr_t*>(thread + hooks.saved_pc_displacement);
  if (OnCall(hooks, *slot, callee_pc, {return_slot, caller_fp})) ReturnGuard::Disarm(word);
  // The word held our mark, so the VM wants nothing; if it began to, the next poll will tell.
  return 1;
}
