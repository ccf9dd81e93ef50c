// Puts marks back that the VM takes away in the middle of a burst. At every return of interpreted
// or native code HotSpot works out anew what a thread's poll word should be
// (StackWatermarkSet::before_unwind, SafepointMechanism::update_poll_values;
// runtime/stackWatermarkSet.cpp), and the calls that follow would not be seen until the next tick:
// most of a burst, and always the same calls. So the thread that ticks stays awake for as long as a
// burst takes and looks at the words of those that it armed. A word is looked at often while
// samples are taken, because what passes between taking and putting back is missed, and rarely
// while the burst is timed: the sampled thread writes beside its word at every passage, and each
// look takes the cache line from it.
// All of that is in vain on the processor of the sampled thread, which then waits for us: the kernel does wake us up there, and we move away if another
// one is free of such threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "src/sampling/thread_states.h"
#include "src/sampling/thread_table.h"
#include "src/sampling/yieldpoint.h"

namespace assay::sampling {

class MarkKeeper {
 public:
  // Bursts that take longer than this go on by themselves until the VM ends them.
  static constexpr uint64_t kBurstCycles = 150'000;
  // Of those running; more than there are processors for cannot be in a burst at the same time.
  static constexpr int kMostThreads = 32;
  // Ticks in a row on the wrong processor before we move. The others are mostly busy with something else, such as the JIT compiler, and whoever moves there
  // waits in line: moving every time cost 5 points of accuracy.
  static constexpr int kPatience = 8;

  void set_states(const ThreadStates& states) { states_ = states; }

  // On the thread that ticks, which has just armed: until the bursts then begun are complete, their
  // threads have left Java, or the time is over. ThreadEnd of a thread that is being watched waits
  // that long.
  void KeepBursts(ThreadTable& threads, Yieldpoint& yieldpoint, uint64_t cycles = kBurstCycles);
  // The same where threads stay armed for good (`--samples all`).
  void KeepAll(ThreadTable& threads, Yieldpoint& yieldpoint, uint64_t cycles);

  uint64_t restored() const { return restored_.load(std::memory_order_relaxed); }
  void ResetCounts() { restored_ = 0; }

 private:
  struct Watched {
    ThreadSlot* slot;
    uintptr_t thread;
    uint32_t tick;
  };
  int Gather(ThreadTable& threads, bool all, Watched* watched);
  // False where there is nowhere to go and every one of them waits for us.
  bool MakeWay(std::span<const Watched> watched);
  void Keep(ThreadTable& threads, Yieldpoint& yieldpoint, uint64_t cycles, bool all);

  ThreadStates states_;
  int in_a_row_ = 0;  // ticks that found us on the processor of a sampled thread
  std::atomic<uint64_t> restored_{0};
};

}  // namespace assay::sampling
