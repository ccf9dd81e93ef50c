// Takes samples for the partial calling context tree: on the sampled thread, in a signal handler at
// a tick, or at its next return when the tick found it in a place whose frames are not clear. A
// walk goes down to the newest frame that the sample before it saw and that the watermark says is
// still the same activation; without a valid mark it goes down to the end and is compared with what
// was there before (so a frame that returned and was called again from the same place looks old).
// Nothing here locks or allocates.
#pragma once

#include <atomic>
#include <cstdint>

#include "src/sampling/cycle_histogram.h"
#include "src/sampling/hotspot/context_trail.h"
#include "src/sampling/hotspot/frame_walker.h"
#include "src/sampling/thread_table.h"

namespace assay::sampling {

class ContextRecorder {
 public:
  FrameWalker walker;
  std::atomic<uint32_t> max_frames{10000};
  std::atomic<bool> wall{false};
  std::atomic<bool> verify{false};
  std::atomic<bool> marks{false};                // the return hook is in place
  std::atomic<uintptr_t> continuation_entry{0};  // Method* of Continuation.enterSpecial

  struct Counters {
    std::atomic<uint64_t> samples{0}, trusted_walks{0}, whole_walks{0}, frames_walked{0},
        deferred{0}, deferred_taken{0}, busy{0}, no_room{0}, broken{0}, detached_depth{0},
        detached_outside{0}, no_frames{0}, returns{0}, marks_lost{0}, walk_cycles{0},
        hook_cycles{0}, oracle_walks{0}, oracle_cycles{0};
    CycleHistogram samples_by_cycles, oracle_by_cycles;
  };
  Counters counters;
  void ResetCounters();

  // In a signal handler on the slot's thread.
  void OnTick(ThreadSlot& slot, ContextTrail& trail, void* context);
  // In the return hook; as assay_return_hook.
  int OnReturn(ThreadSlot& slot, ContextTrail& trail, uintptr_t thread, uintptr_t* return_slot, uintptr_t caller_fp);

  uint64_t Clock() const;

 private:
  struct Walk {
    FrameCursor cursor;
    uint32_t count = 0;  // frames in trail.walk, newest first
    uint32_t known = 0;  // frames that the mark guards, as far as the walk has not passed them
    bool met = false;    // the oldest found is the newest of those
    bool detached = false;
    bool in_continuation = false;
  };
  bool WalkOn(uintptr_t thread, ContextTrail& trail, bool trusted, Walk* walk);
  bool Record(ThreadSlot& slot, ContextTrail& trail, bool trusted, Walk& walk, uint16_t flags,
              void* context, bool context_is_caller);
  bool StillThere(const VisitedStack& visited, uint32_t depth) const;
  void Mark(ContextTrail& trail, uintptr_t thread, bool trusted);
  void Defer(ContextTrail& trail, uintptr_t thread);
  uint32_t AskOracle(ThreadSlot& slot, ContextTrail& trail, void* context);
};

}  // namespace assay::sampling
