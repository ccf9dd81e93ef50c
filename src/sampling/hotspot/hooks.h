// What runs when an armed thread passes a yieldpoint: on the sampled Java thread itself, in the
// middle of its compiled code, with the VM unaware of it. Nothing here may block, allocate, or
// touch thread-local storage.
#pragma once

#include <atomic>
#include <cstdint>

#include "src/sampling/burst.h"
#include "src/sampling/hotspot/code_heap.h"
#include "src/sampling/hotspot/frame_walker.h"
#include "src/sampling/hotspot/method_ids.h"
#include "src/sampling/site_table.h"
#include "src/sampling/thread_table.h"

namespace assay::sampling {

// The VM's stack walker for profilers (forte.cpp). Frames are given innermost first.
struct AsgctFrame {
  int32_t bci;
  void* method;
};
struct AsgctTrace {
  void* env;
  int32_t count;  // negative: why there is none
  AsgctFrame* frames;
};
using AsyncGetCallTrace = void (*)(AsgctTrace*, int32_t depth, void* ucontext);

constexpr uint32_t kMaxDepth = SiteTable::kMaxFrames;
constexpr int kWalkReasons = 16;
constexpr int kUnknownFrame = 5;  // ticks_unknown_Java of forte.cpp

// What the trampolines read, in one cache line. Written before a stub is diverted to them.
struct alignas(64) TrampolineState {
  const void* cells = nullptr;  // of the ThreadTable
  int64_t entry_displacement = 0;
  int64_t poll_displacement = 0;
  uint32_t entry_check = 0;  // the first bytes of a method's entry check
  std::atomic<uint32_t> counts_returns{1};  // 0: somebody else wants them all, see HookContext::TakeReturns
  // Where the trampolines go on when the VM's stub is to run.
  void* entry_resume = nullptr;
  void* return_resume = nullptr;
};

}  // namespace assay::sampling

extern "C" __attribute__((visibility("hidden"))) assay::sampling::TrampolineState assay_trampolines;

namespace assay::sampling {

struct HookContext {
  ThreadTable threads;
  SiteTable sites;
  BurstQueue queue;
  BurstParameters parameters;
  BurstRecorder recorder{&parameters, &queue};
  CodeHeap code;
  MethodIds method_ids;
  FrameWalker frames;  // of chains of callers
  AsyncGetCallTrace walker = nullptr;
  uintptr_t interpreter_begin = 0, interpreter_end = 0;
  uintptr_t call_stub_return = 0;
  int32_t saved_pc_displacement = 0;
  std::atomic<bool> active{false};
  // Takes returns over from the counting of calls, or gives them back (null): see ContextRecorder. As assay_return_hook.
  using ReturnFunction = int (*)(uintptr_t* return_slot, uintptr_t thread, uintptr_t caller_fp);
  std::atomic<ReturnFunction> on_return{nullptr};
  void TakeReturns(ReturnFunction function) {
    assay_trampolines.counts_returns = 0;
    on_return = function;
    assay_trampolines.counts_returns = function == nullptr;
  }

  // Before a stub is diverted. `displacement` is that of the word in the thread.
  void UseEntries(int32_t displacement, void* resume);
  void UseReturns(int32_t displacement, int32_t saved_pc, void* resume);

  // Counted here, reported as lost or not seen.
  std::atomic<uint64_t> walks{0};
  std::atomic<uint64_t> walk_failures[kWalkReasons] = {};  // by -count
  std::atomic<uint64_t> unknown_threads{0};
  std::atomic<uint64_t> unknown_callees{0};  // compiled methods without an id
  std::atomic<uint64_t> osr_entries{0};
  std::atomic<uint64_t> interpreted_callers{0};
  std::atomic<uint64_t> vm_passes{0};  // entries handed on to the VM's own check

  // For a new session, while no hook runs.
  void ResetCounts() {
    for (auto* count : {&walks, &unknown_threads, &unknown_callees, &osr_entries, &interpreted_callers, &vm_passes}) *count = 0;
    for (auto& count : walk_failures) count = 0;
    recorder.ResetCounts();
    sites.ResetCounts();
  }

  std::atomic<uint32_t>& EntryWord(uintptr_t thread) const {
    return *reinterpret_cast<std::atomic<uint32_t>*>(thread + assay_trampolines.entry_displacement);
  }
  std::atomic<uint64_t>& PollWord(uintptr_t thread) const {
    return *reinterpret_cast<std::atomic<uint64_t>*>(thread + assay_trampolines.poll_displacement);
  }
};

// Fills in the callee and its callers, innermost first; returns how many.
using ProbeWalk = uint32_t (*)(WalkedFrame* frames, uint32_t depth);
// An armed thread came by a probe in a method it just entered: on that thread, in native code called from
// Java. True: its burst is over, disarm it.
bool OnProbedCall(ThreadSlot& slot, ProbeWalk walk);

// The only one; lives as long as the process, because a thread may be in a hook at any time.
HookContext& Hooks();

}  // namespace assay::sampling

extern "C" {
// Assembly; see trampoline.S.
__attribute__((visibility("hidden"))) void assay_entry_trampoline();
__attribute__((visibility("hidden"))) void assay_return_trampoline();
// Called by the trampolines. Non-zero: go straight back; zero: run the VM's stub.
__attribute__((visibility("hidden"))) int assay_entry_hook(uintptr_t* return_slot, uintptr_t thread);
__attribute__((visibility("hidden"))) int assay_return_hook(uintptr_t* return_slot, uintptr_t thread,
                                                            uintptr_t caller_fp);
}
