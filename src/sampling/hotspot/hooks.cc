#include "src/sampling/hotspot/hooks.h"

#include <ucontext.h>
#include <x86intrin.h>

#include <cstddef>
#include <cstring>

#include "src/sampling/code_shapes.h"
#include "src/sampling/guard_word.h"
#include "src/sampling/trampoline_layout.h"

constinit assay::sampling::TrampolineState assay_trampolines;

namespace assay::sampling {

static_assert(offsetof(ThreadSlot, tick_number) == ASSAY_SLOT_TICK_NUMBER);
static_assert(offsetof(ThreadSlot, burst_tick) == ASSAY_SLOT_BURST_TICK);
static_assert(offsetof(ThreadSlot, skip) == ASSAY_SLOT_SKIP);
static_assert(offsetof(ThreadSlot, block) + offsetof(BurstBlock, events) == ASSAY_SLOT_EVENTS);
static_assert(offsetof(TrampolineState, cells) == ASSAY_STATE_CELLS);
static_assert(offsetof(TrampolineState, entry_displacement) == ASSAY_STATE_ENTRY_DISPLACEMENT);
static_assert(offsetof(TrampolineState, poll_displacement) == ASSAY_STATE_POLL_DISPLACEMENT);
static_assert(offsetof(TrampolineState, entry_check) == ASSAY_STATE_ENTRY_CHECK);
static_assert(offsetof(TrampolineState, counts_returns) == ASSAY_STATE_COUNTS_RETURNS);
static_assert(offsetof(TrampolineState, entry_resume) == ASSAY_STATE_ENTRY_RESUME);
static_assert(offsetof(TrampolineState, return_resume) == ASSAY_STATE_RETURN_RESUME);
static_assert(EntryGuard::kMark == 1u << ASSAY_ENTRY_MARK_BIT && ReturnGuard::kMark == ASSAY_RETURN_MARK);

namespace {

alignas(64) constinit HookContext g_hooks;

// A caller's frame, seen from its callee.
struct CallerFrame {
  uintptr_t* return_slot;  // holds the pc in the caller
  uintptr_t fp;            // rbp as the caller left it
};

FrameCursor CursorAt(CallerFrame caller) {
  return {*caller.return_slot, reinterpret_cast<uintptr_t>(caller.return_slot + 1), caller.fp};
}

bool IsInterpreter(const HookContext& hooks, uintptr_t pc) {
  return pc >= hooks.interpreter_begin && pc < hooks.interpreter_end;
}

// The VM's own walker, started at the caller, which is at `caller_pc`. Costs microseconds: used once for every new site.
// Frames go to `frames`, at most `most`; returns how many, 0 when it failed.
uint32_t WalkCallers(HookContext& hooks, ThreadSlot& slot, CallerFrame caller, uintptr_t caller_pc, WalkedFrame* frames,
                     uint32_t most) {
  auto sp = reinterpret_cast<uintptr_t>(caller.return_slot + 1);
  if (hooks.walker == nullptr || slot.env == nullptr || sp < slot.stack_limit) {
    hooks.walk_failures[kWalkReasons - 1].fetch_add(1, std::memory_order_relaxed);
    return 0;
  }
  hooks.walks.fetch_add(1, std::memory_order_relaxed);
  // At a pc in compiled code the VM takes the debug information of the next one that has some
  // (forte.cpp, is_decipherable_compiled_frame), so it has to be the call and not what follows.
  const uintptr_t pc = caller_pc - (IsInterpreter(hooks, caller_pc) ? 0 : 1);
  ucontext_t context;
  memset(&context, 0, sizeof context);
  context.uc_mcontext.gregs[REG_RIP] = static_cast<greg_t>(pc);
  context.uc_mcontext.gregs[REG_RSP] = static_cast<greg_t>(sp);
  context.uc_mcontext.gregs[REG_RBP] = static_cast<greg_t>(caller.fp);
  context.uc_mcontext.gregs[REG_R15] = static_cast<greg_t>(slot.thread.load(std::memory_order_relaxed));
  AsgctFrame raw[kMaxDepth];
  AsgctTrace trace{slot.env, 0, raw};
  hooks.walker(&trace, static_cast<int32_t>(most), &context);
  if (trace.count <= 0 || raw[0].method == nullptr) {
    int reason = trace.count <= 0 && trace.count > -kWalkReasons + 1 ? -trace.count : kWalkReasons - 2;
    hooks.walk_failures[reason].fetch_add(1, std::memory_order_relaxed);
    return 0;
  }
  uint32_t count = 0;
  for (; count < static_cast<uint32_t>(trace.count) && raw[count].method != nullptr; count++) {
    frames[count] = {reinterpret_cast<uintptr_t>(raw[count].method), raw[count].bci};
  }
  return count;
}

// What tells a chain of calls from others: the program counters of its frames; of interpreted ones, where that
// is always the same, the method and the bytecode pointer.
struct Chain {
  SiteTable::Key key;
  uintptr_t code[kMaxDepth];  // see SiteMeaning
  uint32_t codes = 0;
};

// A jmethodID is never used again, while the memory of an unloaded method is.
uint64_t InterpretedPlace(const HookContext& hooks, uintptr_t method, uintptr_t bytecode) {
  return HashCombine(reinterpret_cast<uintptr_t>(hooks.method_ids.Find(method)), bytecode) | 1;
}

// 0 when the caller's frame is not where its callee says.
uint64_t InterpretedCaller(const HookContext& hooks, const ThreadSlot& slot, CallerFrame caller) {
  FrameCursor cursor = CursorAt(caller);
  StackFrame frame;
  const uintptr_t base = hooks.frames.StackBase(slot.thread.load(std::memory_order_relaxed));
  if (hooks.frames.Next(&cursor, base, &frame) != FrameWalker::kFrame) return 0;
  return InterpretedPlace(hooks, frame.identity, frame.where.b);
}

// The callers beyond the first.
void AddOuterFrames(const HookContext& hooks, ThreadSlot& slot, CallerFrame caller, uint32_t depth, Chain* chain) {
  if (*caller.return_slot == hooks.call_stub_return) return;
  const uintptr_t base = hooks.frames.StackBase(slot.thread.load(std::memory_order_relaxed));
  FrameCursor cursor = CursorAt(caller);
  for (uint32_t have = 1; have < depth;) {
    StackFrame frame;
    FrameWalker::Step step = hooks.frames.Next(&cursor, base, &frame);
    if (step == FrameWalker::kPassed) continue;
    if (step != FrameWalker::kFrame) return;
    if (have++ == 1) continue;  // the caller itself is in the key already
    if (frame.where.interpreted()) {
      chain->key = SiteTable::Longer(chain->key, InterpretedPlace(hooks, frame.identity, frame.where.b));
    } else {
      chain->key = SiteTable::Longer(chain->key, frame.where.a);
      chain->code[chain->codes++] = hooks.code.CodeBegin(frame.identity);
    }
  }
}

uint32_t AddSite(HookContext& hooks, ThreadSlot& slot, uintptr_t callee, CallerFrame caller, uint32_t depth, Chain& chain) {
  const uint64_t began = __rdtsc();
  uintptr_t caller_pc = *caller.return_slot;
  const uintptr_t blob = IsInterpreter(hooks, caller_pc) ? 0 : hooks.code.FindBlob(caller_pc);
  if (blob != 0) {
    chain.code[chain.codes++] = hooks.code.CodeBegin(blob);
    caller_pc = hooks.frames.CallIn(blob, caller_pc, reinterpret_cast<uintptr_t>(caller.return_slot + 1));
    // Returns of a deoptimized frame all go to one place, which does not tell its calls apart.
    if (caller_pc != *caller.return_slot) {
      chain.key = SiteTable::Longer(chain.key, caller_pc);
      uint32_t known = hooks.sites.Find(chain.key);
      if (known != SiteTable::kNoId) return known;
    }
  }
  chain.code[chain.codes++] = hooks.code.CodeBegin(callee);
  WalkedFrame frames[kMaxDepth];
  jmethodID id = hooks.method_ids.Find(hooks.code.MethodOf(callee));
  frames[0] = {reinterpret_cast<uintptr_t>(id), -1};
  uint32_t callers = 0;
  if (id == nullptr) {
    hooks.unknown_callees.fetch_add(1, std::memory_order_relaxed);
  } else if (caller_pc == hooks.call_stub_return) {
    frames[1] = {kNativeFrame, -1};
    callers = 1;
  } else {
    callers = WalkCallers(hooks, slot, caller, caller_pc, frames + 1, depth - 1);
  }
  uint32_t site = SiteTable::kNoId;
  if (callers > 0) {
    site = hooks.sites.Add(chain.key, {.frames = {frames, callers + 1}, .code = {chain.code, chain.codes}});
  }
  slot.block.walk_cycles += __rdtsc() - began;
  return site;
}

uint32_t TakeSample(HookContext& hooks, ThreadSlot& slot, uintptr_t callee_pc, CallerFrame caller) {
  const uint32_t depth = hooks.parameters.depth.load(std::memory_order_relaxed);
  Chain chain;
  chain.key = {callee_pc, *caller.return_slot};
  if (IsInterpreter(hooks, chain.key.b)) {
    hooks.interpreted_callers.fetch_add(1, std::memory_order_relaxed);
    chain.key = {SiteTable::kInterpretedTag | callee_pc, InterpretedCaller(hooks, slot, caller)};
  }
  if (depth > 2) AddOuterFrames(hooks, slot, caller, depth, &chain);
  uint32_t id = chain.key.b == 0 ? SiteTable::kNoId : hooks.sites.Find(chain.key);
  if (id != SiteTable::kNoId) return id;
  uintptr_t callee = hooks.code.FindBlob(callee_pc);
  if (callee != 0 && chain.key.b != 0) return AddSite(hooks, slot, callee, caller, depth, chain);
  hooks.walk_failures[kUnknownFrame].fetch_add(1, std::memory_order_relaxed);
  return SiteTable::kNoId;
}

// True when the thread's burst is over.
bool OnSample(HookContext& hooks, ThreadSlot& slot, uintptr_t callee_pc, CallerFrame caller) {
  uint32_t id = TakeSample(hooks, slot, callee_pc, caller);
  if (!hooks.parameters.exhaustive.load(std::memory_order_relaxed)) return hooks.recorder.Took(slot, id);
  if (id != SiteTable::kNoId) hooks.sites.Count(id, slot.number);
  return false;
}

// Whether the call at hand is one to look at.
bool IsWanted(HookContext& hooks, ThreadSlot& slot) {
  return hooks.parameters.exhaustive.load(std::memory_order_relaxed) || hooks.recorder.OnCall(slot);
}

// An entry into compiled code from a call: true when the thread's burst is over.
bool OnEntry(HookContext& hooks, ThreadSlot& slot, uintptr_t* return_slot) {
  const uintptr_t callee_pc = *return_slot;
  const uintptr_t blob = hooks.code.FindBlob(callee_pc);
  const int32_t frame_size = blob == 0 ? 0 : hooks.code.FrameSize(blob);
  if (frame_size < 2) return true;
  if (hooks.code.IsOsr(blob)) {
    hooks.osr_entries.fetch_add(1, std::memory_order_relaxed);
    hooks.recorder.TakeNext(slot);
    return false;
  }
  // The frame is complete: the caller's return address ends it, the saved rbp lies below
  // (barrierSetNMethod_x86.cpp, BarrierSetNMethod::deoptimize).
  return OnSample(hooks, slot, callee_pc, {return_slot + frame_size, return_slot[frame_size - 1]});
}

}  // namespace

HookContext& Hooks() { return g_hooks; }

void HookContext::UseEntries(int32_t displacement, void* resume) {
  assay_trampolines.cells = threads.cells();
  assay_trampolines.entry_displacement = displacement;
  assay_trampolines.entry_check = EntryCheckBytes(displacement);
  assay_trampolines.entry_resume = resume;
}

void HookContext::UseReturns(int32_t displacement, int32_t saved_pc, void* resume) {
  assay_trampolines.cells = threads.cells();
  assay_trampolines.poll_displacement = displacement;
  assay_trampolines.return_resume = resume;
  saved_pc_displacement = saved_pc;
}

bool OnProbedCall(ThreadSlot& slot, ProbeWalk walk) {
  HookContext& hooks = g_hooks;
  if (!IsWanted(hooks, slot)) return false;
  uint64_t began = __rdtsc();
  WalkedFrame frames[kMaxDepth];
  uint32_t count = walk(frames, hooks.parameters.depth.load(std::memory_order_relaxed));
  hooks.walks.fetch_add(1, std::memory_order_relaxed);
  uint32_t id = SiteTable::kNoId;
  if (count == 0) {
    hooks.walk_failures[0].fetch_add(1, std::memory_order_relaxed);
  } else {
    SiteTable::Key key = SiteTable::KeyOf({frames, count});
    id = hooks.sites.Find(key);
    if (id == SiteTable::kNoId) id = hooks.sites.Add(key, {.frames = {frames, count}, .code = {}});
  }
  slot.block.walk_cycles += __rdtsc() - began;
  if (!hooks.parameters.exhaustive.load(std::memory_order_relaxed)) return hooks.recorder.Took(slot, id);
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
  const uintptr_t callee_pc = *return_slot;
  if (IsWanted(hooks, *slot) && OnEntry(hooks, *slot, return_slot)) EntryGuard::Disarm(word);
  // What the compiled code would have found without our mark: equal means that it goes on.
  auto immediate = ImmediateOfEntryCheck(reinterpret_cast<const uint8_t*>(callee_pc),
                                         static_cast<int32_t>(assay_trampolines.entry_displacement));
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
  if (IsWanted(hooks, *slot) && OnSample(hooks, *slot, callee_pc, {return_slot, caller_fp})) ReturnGuard::Disarm(word);
  // The word held our mark, so the VM wants nothing; if it began to, the next poll will tell.
  return 1;
}
