#include "src/sampling/burst.h"

#include <x86intrin.h>

#include <algorithm>

#include "src/base/clock.h"
#include "src/base/hash.h"
#include "src/sampling/mapped_memory.h"

namespace assay::sampling {
namespace {

// A tail is looked at after so many calls, and ends after so many looks or, where calls are rare, after a time that is short
// beside a tick.
constexpr uint32_t kTailPieces = 2, kTailPiece = 256, kTailPieceOfSplit = 160;
constexpr uint64_t kTailCycles = 1'500'000;

// Linux keeps the processor's number in the lower bits of what RDTSCP gives beside the time (arch/x86/include/asm/segment.h).
constexpr uint32_t kProcessorMask = 0xfff;

uint64_t ThreadCpuNs() { return ClockNs(CLOCK_THREAD_CPUTIME_ID); }

uint32_t Fit(uint64_t value) { return static_cast<uint32_t>(std::min<uint64_t>(value, UINT32_MAX)); }

}  // namespace

bool BurstQueue::Init() {
  if (cells_ != nullptr) return true;
  return MapZeroed(&cells_, kBlocks);
}

bool BurstQueue::Push(const BurstBlock& block) {
  uint64_t head = head_.load(std::memory_order_relaxed);
  for (;;) {
    Cell& cell = cells_[head % kBlocks];
    const uint64_t place = head % kBlocks;
    uint64_t turn = place + cell.turn.load(std::memory_order_acquire);
    if (turn < head) return false;
    if (turn == head) {
      if (!head_.compare_exchange_weak(head, head + 1, std::memory_order_relaxed)) continue;
      cell.block = block;
      cell.turn.store(head + 1 - place, std::memory_order_release);
      return true;
    }
    head = head_.load(std::memory_order_relaxed);
  }
}

bool BurstQueue::Pop(BurstBlock* block) {
  Cell& cell = cells_[tail_ % kBlocks];
  const uint64_t place = tail_ % kBlocks;
  if (place + cell.turn.load(std::memory_order_acquire) != tail_ + 1) return false;
  *block = cell.block;
  cell.turn.store(tail_ + kBlocks - place, std::memory_order_release);
  tail_++;
  return true;
}

void BurstRecorder::Begin(ThreadSlot& slot, uint32_t tick) {
  Cut(slot);
  slot.burst_tick = tick;
  uint32_t samples = parameters_->samples.load(std::memory_order_relaxed);
  uint32_t stride = parameters_->stride.load(std::memory_order_relaxed);
  slot.left = samples > 0 ? samples : 1;
  slot.later = 0;
  slot.stride = stride > 0 ? stride : 1;
  if (slot.random == 0) {
    slot.random = Mix64(parameters_->seed.load(std::memory_order_relaxed) * 0x9e3779b97f4a7c15ull +
                        slot.number) | 1;
  }
  slot.random = slot.random * 6364136223846793005ull + 1442695040888963407ull;
  slot.skip = 1 + static_cast<uint32_t>((slot.random >> 33) % slot.stride);
  const uint32_t every = parameters_->tail_every.load(std::memory_order_relaxed);
  slot.tail = every > 0 && (slot.random >> 20) % every == 0 ? kTailPieces : 0;
  slot.in_tail = slot.after_tail = false;
  if (slot.tail > 0 && parameters_->split.load(std::memory_order_relaxed)) {
    slot.later = slot.left / 2;
    slot.left -= slot.later;
  }
  BurstBlock& block = slot.block;
  block.tick_tsc = slot.tick_tsc.load(std::memory_order_relaxed);
  uint32_t processor = 0;
  block.first_tsc = block.last_tsc = __rdtscp(&processor);
  slot.processor.store((processor & kProcessorMask) + 1, std::memory_order_relaxed);
  block.walk_cycles = 0;
  block.cpu_ns = 0;
  block.interval_ns = slot.java_ns.exchange(0, std::memory_order_relaxed);
  block.counted_calls = Fit(slot.counted_calls.exchange(0, std::memory_order_relaxed));
  block.thread = slot.number;
  block.events = slot.events_at_sample = 0;
  block.count = 0;
  block.failed = 0;
  block.tail_calls = 0;
  block.tail_restored = 0;
  block.later_events = 0;
  block.tail_wanted = slot.tail > 0;
  block.period_us = parameters_->period_us.load(std::memory_order_relaxed);
}

void BurstRecorder::BeginTail(ThreadSlot& slot) {
  slot.in_tail = true;
  slot.is_timed.store(true, std::memory_order_relaxed);
  slot.restored_at_tail = slot.restored.load(std::memory_order_relaxed);
  slot.left = 1;
  slot.skip = slot.later > 0 ? kTailPieceOfSplit : kTailPiece;
  slot.walks_at_tail = slot.block.walk_cycles;
  slot.tail_cpu_ns = ThreadCpuNs();
  slot.tail_tsc = __rdtsc();
}

bool BurstRecorder::IsTailOver(ThreadSlot& slot) {
  BurstBlock& block = slot.block;
  const uint64_t now = __rdtsc();
  if (--slot.tail > 0 && now - slot.tail_tsc < kTailCycles) {
    slot.skip = slot.later > 0 ? kTailPieceOfSplit : kTailPiece;
    return false;
  }
  block.tail_calls = block.events - slot.events_at_sample;
  block.tail_cycles = Fit(now - slot.tail_tsc - (block.walk_cycles - slot.walks_at_tail));
  block.tail_cpu_ns = Fit(ThreadCpuNs() - slot.tail_cpu_ns);
  const uint32_t restored = slot.restored.load(std::memory_order_relaxed) - slot.restored_at_tail;
  block.tail_restored = static_cast<uint8_t>(std::min<uint32_t>(restored, UINT8_MAX));
  slot.in_tail = false;
  slot.is_timed.store(false, std::memory_order_relaxed);
  slot.after_tail = true;
  slot.left = slot.later;
  slot.skip = slot.stride;
  return true;
}

// True after everything that the burst was to take.
bool BurstRecorder::IsComplete(ThreadSlot& slot) {
  if (slot.left > 0) return false;
  End(slot, BurstBlock::kLast);
  slot.done_tick.store(slot.burst_tick, std::memory_order_release);
  return true;
}

// What is said of a burst is said of it up to its tail.
void BurstRecorder::End(ThreadSlot& slot, uint16_t flags) {
  BurstBlock& block = slot.block;
  if (slot.after_tail) block.later_events = static_cast<uint16_t>(std::min<uint32_t>(block.events - slot.events_at_sample - block.tail_calls, UINT16_MAX));
  if (slot.in_tail || slot.after_tail) block.walk_cycles = slot.walks_at_tail;
  block.events = slot.events_at_sample;
  slot.in_tail = slot.after_tail = false;
  slot.is_timed.store(false, std::memory_order_relaxed);
  slot.left = slot.skip = 0;
  Flush(slot, flags);
}

// A burst that took long may have been off the processor or blocked in between: only then is its CPU time
// worth the system call.
void BurstRecorder::MeasureCpu(ThreadSlot& slot) {
  constexpr uint64_t kSuspiciousCycles = 10000;
  uint64_t at_tick = slot.tick_cpu_ns.load(std::memory_order_relaxed);
  if (at_tick == 0 || slot.block.last_tsc - slot.block.tick_tsc < kSuspiciousCycles) return;
  const uint64_t cpu = ThreadCpuNs();
  if (cpu > at_tick) slot.block.cpu_ns = cpu - at_tick;
}

void BurstRecorder::Flush(ThreadSlot& slot, uint16_t flags) {
  BurstBlock& block = slot.block;
  block.flags = flags;
  if (!queue_->Push(block)) {
    dropped_.fetch_add(1, std::memory_order_relaxed);
    // The interval is not lost with the burst: the next one stands for it.
    if (flags & BurstBlock::kLast) {
      slot.java_ns.fetch_add(block.interval_ns, std::memory_order_relaxed);
      slot.counted_calls.fetch_add(block.counted_calls, std::memory_order_relaxed);
    }
  }
  block.count = 0;
  block.failed = 0;
}

}  // namespace assay::sampling
