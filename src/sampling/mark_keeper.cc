#include "src/sampling/mark_keeper.h"

#include <sched.h>
#include <x86intrin.h>

#include <algorithm>

#include "src/base/system_calls.h"

namespace assay::sampling {
namespace {

// Between two looks while bursts are timed; each look that finds nothing to do makes the next pause
// longer.
constexpr uint64_t kPauseGrowth = 300, kLongestPause = 3000;

void Pause(uint64_t cycles) {
  for (const uint64_t until = __rdtsc() + cycles; __rdtsc() < until;) _mm_pause();
}

bool IsComplete(const ThreadSlot& slot, uint32_t tick) {
  return slot.done_tick.load(std::memory_order_acquire) == tick;
}

}  // namespace

// Pins what it finds.
int MarkKeeper::Gather(ThreadTable& threads, bool all, Watched* watched) {
  int count = 0;
  const uint32_t end = threads.high_water();
  for (uint32_t i = 0; i < end && count < kMostThreads; i++) {
    ThreadSlot& slot = threads.slot(i);
    const uint32_t tick = slot.tick_number.load(std::memory_order_relaxed);
    if (slot.thread.load(std::memory_order_relaxed) == 0 || (!all && IsComplete(slot, tick)))
      continue;
    const uintptr_t thread = slot.Pin();
    if (thread == 0 || !states_.IsRunning(thread)) {
      slot.Unpin();
      continue;
    }
    watched[count++] = {&slot, thread, tick};
  }
  return count;
}

bool MarkKeeper::MakeWay(std::span<const Watched> watched) {
  const int here = sched_getcpu();
  cpu_set_t mine, free;
  if (here < 0 || sched_getaffinity(0, sizeof mine, &mine) != 0) return true;
  free = mine;
  size_t in_our_way = 0;
  for (const Watched& one : watched) {
    const int processor = static_cast<int>(one.slot->processor.load(std::memory_order_relaxed)) - 1;
    if (processor < 0 || processor >= CPU_SETSIZE) continue;
    CPU_CLR(processor, &free);
    in_our_way += processor == here;
  }
  if (in_our_way == 0) {
    in_a_row_ = 0;
    return true;
  }
  if (CPU_COUNT(&free) == 0 || ++in_a_row_ < kPatience || HasSystemCallFilter()) return in_our_way < watched.size();
  in_a_row_ = 0;
  if (sched_setaffinity(0, sizeof free, &free) == 0) sched_setaffinity(0, sizeof mine, &mine);
  return true;
}

void MarkKeeper::KeepBursts(ThreadTable& threads, Yieldpoint& yieldpoint, uint64_t cycles) {
  Keep(threads, yieldpoint, cycles, false);
}

void MarkKeeper::KeepAll(ThreadTable& threads, Yieldpoint& yieldpoint, uint64_t cycles) {
  Keep(threads, yieldpoint, cycles, true);
}

void MarkKeeper::Keep(ThreadTable& threads, Yieldpoint& yieldpoint, uint64_t cycles, bool all) {
  Watched watched[kMostThreads];
  const int count = Gather(threads, all, watched);
  if (!MakeWay({watched, static_cast<size_t>(count)})) cycles = 0;
  const uint64_t end = __rdtsc() + cycles;
  uint64_t pause = 0, restored = 0;
  for (bool open = count > 0; open && __rdtsc() < end;) {
    open = false;
    bool is_sampling = false, put_back = false;
    for (const Watched& one : std::span(watched, count)) {
      if ((!all && IsComplete(*one.slot, one.tick)) || !states_.IsRunning(one.thread)) continue;
      open = true;
      is_sampling |= all || !one.slot->is_timed.load(std::memory_order_relaxed);
      if (yieldpoint.IsArmed(one.thread)) continue;
      // The thread completes its burst first and takes its mark away then. Not complete after the
      // mark is seen gone: it was the VM, and a thread without a mark completes nothing.
      if ((!all && IsComplete(*one.slot, one.tick)) || !yieldpoint.Arm(one.thread)) continue;
      one.slot->restored.fetch_add(1, std::memory_order_relaxed);
      put_back = true;
      restored++;
    }
    pause = is_sampling || put_back ? 0 : std::min(pause + kPauseGrowth, kLongestPause);
    Pause(pause);
  }
  for (const Watched& one : std::span(watched, count)) one.slot->Unpin();
  restored_.fetch_add(restored, std::memory_order_relaxed);
}

}  // namespace assay::sampling
