// Counter-based sampling (P0): a tick opens a burst; the burst takes every `stride`-th call until it
// has `samples` of them, the first after a random skip in [1..stride]. Then comes a tail: hundreds of calls more that are only counted,
// to learn how fast calls follow each other once the hook's path is in the caches. Where ticks follow each other fast only some bursts
// have one. A burst may be split: half of its samples come after the tail, because distant calls say more than near ones. This is the
// part that runs on the sampled thread, inside a yieldpoint: no locks, no allocation, only the thread's own slot and a bounded queue to the
// thread that does the accounting.
#pragma once

#include <time.h>
#include <x86intrin.h>

#include <atomic>
#include <cstdint>

namespace assay::sampling {

// What is changed while running; each field on its own, read at the start of a burst.
struct BurstParameters {
  std::atomic<uint32_t> samples{32};
  std::atomic<uint32_t> stride{7};
  std::atomic<uint32_t> depth{2};
  std::atomic<bool> exhaustive{false};
  std::atomic<uint32_t> period_us{0};  // of the ticks; 0: not known
  std::atomic<uint32_t> tail_every{0};  // one burst of so many, by chance, has a tail; 0: none
  std::atomic<bool> split{false};       // bursts that have a tail
  std::atomic<uint64_t> seed{1};
};

// One burst, or a piece of a long one, on its way to the accounting thread.
struct BurstBlock {
  static constexpr uint32_t kIds = 42;
  enum Flags : uint16_t {
    kLast = 1,  // the totals below are those of the whole burst
    kCut = 2,   // ended early: the VM took the word back, or the thread ended
  };
  uint64_t tick_tsc;        // when the tick armed the thread
  uint64_t first_tsc;       // at the first call
  uint64_t last_tsc;        // at the last sample before the tail; set with kLast
  uint64_t walk_cycles;     // spent walking stacks between first and last
  uint64_t cpu_ns;          // CPU time from tick to last call; 0: not measured, the time stamps will do
  uint64_t interval_ns;     // time in Java that the burst stands for
  uint32_t thread;          // number of the thread
  uint32_t events;          // calls seen up to the last sample before the tail, sampled or skipped
  uint16_t count;           // ids in this block
  uint16_t flags;
  uint32_t failed;          // samples whose caller could not be found
  uint32_t tail_calls;      // 0: no tail, or the VM cut it off
  uint32_t tail_cycles;     // from the last sample to the end of the tail, walks taken off
  uint32_t tail_cpu_ns;     // the same in CPU time of the thread
  uint8_t tail_wanted;      // 1: there should be one
  uint8_t tail_restored;    // how often the VM took the mark in it and got it put back
  uint16_t later_events;    // calls seen after the tail
  uint32_t period_us;       // of the ticks then
  uint32_t counted_calls;   // in the interval, by the processor's counter; 0: not counted
  uint32_t ids[kIds];
};
static_assert(sizeof(BurstBlock) == 256);

// Bounded queue, many producers and one consumer (after D. Vyukov's array queue). A full queue
// refuses; nobody ever waits.
class BurstQueue {
 public:
  static constexpr uint32_t kBlocks = 1 << 14;
  // Maps the memory; false when there is none.
  bool Init();
  bool Push(const BurstBlock& block);
  bool Pop(BurstBlock* block);

 private:
  struct Cell {
    std::atomic<uint64_t> turn;  // less the cell's place, so that zeroed memory is an empty queue
    BurstBlock block;
  };
  Cell* cells_ = nullptr;
  alignas(64) std::atomic<uint64_t> head_{0};
  alignas(64) uint64_t tail_ = 0;
};

struct ThreadSlot {
  // Shared with the ticker.
  std::atomic<uintptr_t> thread{0};      // JavaThread*, 0 = free
  std::atomic<uint32_t> inside{0};       // signal handlers of ours that run with this slot: see InHandler
  std::atomic<uint32_t> tick_number{0};  // changes with every tick that armed
  std::atomic<uint64_t> tick_tsc{0};
  std::atomic<uint64_t> tick_cpu_ns{0};  // CPU time of the thread at the tick; 0 when not known
  std::atomic<uint64_t> java_ns{0};      // time in Java not yet claimed by a burst
  std::atomic<uint32_t> probing{0};      // armed where a probe sees calls
  uint32_t number = 0;                   // of the thread, of no other one in this session
  uintptr_t stack_limit = 0;             // no hook below this address
  void* env = nullptr;                   // JNIEnv*
  int32_t cpu_clock = 0;                 // of the thread, for clock_gettime; 0: none
  uint64_t seen_ns = 0;                  // the ticker's: time in Java since it last armed
  timer_t timer{};                       // see CpuTimers
  bool has_timer = false;
  std::atomic<int> counter{0};           // see CallCounter: the descriptor and 1, because slots begin as zeroed memory; 0: none
  uint64_t counter_before = 0;           // its value at the last tick
  std::atomic<uint64_t> counted_calls{0};  // since the last burst; 0: not counted
  uint64_t signal_cpu_ns = 0;

  // Between MarkKeeper and a burst. Processors fetch lines of 64 bytes in pairs, and what one side writes must not be beside what the other one looks at
  // all the time: with all of it in neighbouring lines a burst took twice as long.
  alignas(128) std::atomic<uint32_t> done_tick{0};  // tick_number of the last burst that was completed
  std::atomic<bool> is_timed{false};               // the burst is in its tail
  std::atomic<uint32_t> processor{0};              // on which the last burst began, and 1; 0: not known
  alignas(128) std::atomic<uint32_t> restored{0};   // how often the mark was put back
  std::atomic<uint32_t> pin{0};                    // how many are touching the thread

  // Of the sampled thread alone.
  alignas(128) uint32_t burst_tick = 0;  // tick_number of the burst under way
  uint32_t left = 0;                    // samples still to take; 0 = no burst
  uint32_t skip = 0;
  uint32_t stride = 1;
  uint32_t events_at_sample = 0;  // block.events at block.last_tsc
  uint32_t tail = 0;              // pieces of it still to come
  uint32_t later = 0;             // samples to take after it
  bool in_tail = false;
  bool after_tail = false;
  uint64_t walks_at_tail = 0;     // block.walk_cycles when the tail began
  uint32_t restored_at_tail = 0;  // `restored` then
  uint64_t tail_tsc = 0, tail_cpu_ns = 0;  // when it began
  uint64_t random = 0;
  BurstBlock block{};

  // Until Unpin() the ticker, or whoever disarms, may touch the thread: it does not end. 0: it is gone.
  uintptr_t Pin() {
    pin.fetch_add(1);
    return thread.load();
  }
  void Unpin() { pin.fetch_sub(1, std::memory_order_release); }

  // For a new owner. Leaves the pin and `inside` alone: ticker and late handlers hold them on free slots too.
  void Reset() {
    tick_number.store(0);
    done_tick.store(0);
    is_timed.store(false);
    processor.store(0);
    tick_tsc.store(0);
    tick_cpu_ns.store(0);
    cpu_clock = 0;
    seen_ns = 0;
    has_timer = false;
    counter_before = 0;
    counted_calls.store(0);
    signal_cpu_ns = 0;
    java_ns.store(0);
    stack_limit = 0;
    env = nullptr;
    burst_tick = left = skip = events_at_sample = tail = 0;
    later = 0;
    in_tail = after_tail = false;
    random = 0;
    block = {};
  }
};

class BurstRecorder {
 public:
  constexpr BurstRecorder(const BurstParameters* parameters, BurstQueue* queue)
      : parameters_(parameters), queue_(queue) {}

  // A call was seen by an armed thread. True: take a sample, then call Took().
  bool OnCall(ThreadSlot& slot) {
    uint32_t tick = slot.tick_number.load(std::memory_order_acquire);
    if (slot.left == 0 || slot.burst_tick != tick) Begin(slot, tick);
    slot.block.events++;
    if (--slot.skip > 0) return false;
    slot.skip = slot.stride;
    return true;
  }
  // What OnCall() chose turned out not to be a call: the next one is to be taken in its place.
  void TakeNext(ThreadSlot& slot) {
    if (slot.block.events > 0) slot.block.events--;
    slot.skip = 1;
  }
  // The sample's id, or kNoId when its caller could not be found. True: the burst is complete and the
  // thread is to be disarmed.
  static constexpr uint32_t kNoId = UINT32_MAX;
  bool Took(ThreadSlot& slot, uint32_t id) {
    if (slot.in_tail) return IsTailOver(slot) && IsComplete(slot);
    if (!slot.after_tail) {
      // Whatever ends the burst, it is timed by its last sample: a burst that the VM cut short is noticed
      // only at the next tick.
      slot.block.last_tsc = __rdtsc();
      slot.events_at_sample = slot.block.events;
    }
    Append(slot, id);
    if (--slot.left > 0) return false;
    if (slot.after_tail) return IsComplete(slot);
    MeasureCpu(slot);
    if (slot.tail == 0) return IsComplete(slot);
    BeginTail(slot);
    return false;
  }
  // Ends a burst under way, if any, with what it has.
  void Cut(ThreadSlot& slot) {
    if (slot.left == 0) return;
    const bool complete = slot.in_tail || slot.after_tail;
    End(slot, complete ? BurstBlock::kLast : BurstBlock::kLast | BurstBlock::kCut);
  }

  uint64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }
  void ResetCounts() { dropped_ = 0; }

 private:
  void Begin(ThreadSlot& slot, uint32_t tick);
  void Append(ThreadSlot& slot, uint32_t id) {
    BurstBlock& block = slot.block;
    if (id == kNoId) {
      block.failed++;
      return;
    }
    if (block.count >= BurstBlock::kIds) Flush(slot, 0);
    // Checked on a copy: whatever happens to a slot, nothing is written outside of it.
    uint32_t at = block.count;
    if (at >= BurstBlock::kIds) return;
    block.ids[at] = id;
    block.count = static_cast<uint16_t>(at + 1);
  }
  void BeginTail(ThreadSlot& slot);
  bool IsTailOver(ThreadSlot& slot);
  bool IsComplete(ThreadSlot& slot);
  void End(ThreadSlot& slot, uint16_t flags);
  void Flush(ThreadSlot& slot, uint16_t flags);
  void MeasureCpu(ThreadSlot& slot);

  const BurstParameters* parameters_;
  BurstQueue* queue_;
  std::atomic<uint64_t> dropped_{0};
};

}  // namespace assay::sampling
