// Arming and disarming a thread through the word that its compiled code already compares. Two rules
// make it safe against a VM that writes the same word at any time: every write of ours is a
// compare-and-swap, and a word is changed only between the VM's resting value and a mark that can
// be told from anything the VM writes. Usable from any thread and from signal handlers.
#pragma once

#include <atomic>
#include <cstdint>

namespace assay::sampling {

// The entry guard, a 32-bit value that the VM counts up from 1 at GC phases (barrierSetNMethod.cpp,
// arm_all_nmethods) or, with ZGC, the low bits of a pointer color. The mark is bit 30 on top of the
// VM's own value: the value to restore is in the word itself, so no saved copy can go stale. Not bit
// 31, which newer VMs use in a method's immediate for "not entrant".
class EntryGuard {
 public:
  static constexpr uint32_t kMark = 1u << 30;

  static bool IsMarked(uint32_t word) { return (word & kMark) != 0; }
  static uint32_t Plain(uint32_t word) { return word & ~kMark; }

  // True when the word is now marked by this call.
  static bool Arm(std::atomic<uint32_t>& word) {
    uint32_t value = word.load(std::memory_order_relaxed);
    if (value == 0 || value >= kMark) return false;
    return word.compare_exchange_strong(value, value | kMark);
  }
  static void Disarm(std::atomic<uint32_t>& word) {
    uint32_t value = word.load(std::memory_order_relaxed);
    while (value < 2 * kMark && IsMarked(value) &&
           !word.compare_exchange_weak(value, Plain(value))) {
    }
  }
};

// The poll word (safepointMechanism.cpp): ~1 when at rest, 1 when the VM wants the thread, otherwise
// a stack watermark of the VM. Only the resting value is ever replaced. Bit 0 of the mark is clear,
// so the VM's own test for "armed" never sees it.
class ReturnGuard {
 public:
  static constexpr uint64_t kResting = ~uint64_t{1};
  static constexpr uint64_t kMark = 2;

  static bool IsMarked(uint64_t word) { return word == kMark; }

  static bool Arm(std::atomic<uint64_t>& word) {
    uint64_t value = kResting;
    return word.compare_exchange_strong(value, kMark);
  }
  static void Disarm(std::atomic<uint64_t>& word) {
    uint64_t value = kMark;
    word.compare_exchange_strong(value, kResting);
  }
};

}  // namespace assay::sampling
