// What context sampling remembers of one thread: the frames its last sample saw, the samples not
// yet accounted, its clocks. Shared by the thread itself (signal handler, return hook), the tick
// thread and the accounting; each member says whose it is.
#pragma once

#include <atomic>
#include <cstdint>

#include "src/base/clock.h"
#include "src/sampling/hotspot/hooks.h"
#include "src/sampling/sample_ring.h"
#include "src/sampling/visited_stack.h"

namespace assay::sampling {

// Mapped, mostly never touched.
struct ContextTrail {
  static constexpr uint32_t kFrames = 1 << 14;
  static constexpr uint32_t kCells = 1 << 16;

  // Null when there is no memory.
  static ContextTrail* Map();
  // For a new owner, who clears `busy` when all is set.
  void Reset();

  // Shared with the ticker and the accounting.
  std::atomic<bool> signalled{false};     // a signal is on its way: they would queue
  std::atomic<uint64_t> accounted_ns{0};  // the thread's clock at its last sample
  std::atomic<uint64_t> idle_ns{0};       // wall clock: time since, on the same stack
  std::atomic<uint64_t> seen_cpu_ns{0};   // CPU clock at its last sample
  SampleRing ring;

  // Of the thread alone.
  std::atomic<bool> busy{false};
  bool trusted = false;   // `visited` held when the mark was set
  bool deferred = false;  // take a sample at the next return
  uint64_t mark = 0;      // what we last wrote to the poll word
  VisitedStack visited;

  StackFrame walk[kFrames];
  StackFrame memory[kFrames];
  AsgctFrame oracle[kFrames];
  alignas(4096) RawFrame cells[kCells];
};

}  // namespace assay::sampling
