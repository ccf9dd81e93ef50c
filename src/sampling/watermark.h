// A stack watermark in the poll word (see ReturnGuard in guard_word.h for the word and its rules).
// Compiled code compares its stack pointer with the word at every return; with a watermark there a
// thread reports once, when it returns out of the marked frame, and costs nothing before. That is
// the visited bit of P4: as long as the word holds the mark, the marked frame and all older ones
// are the activations they were. Whatever the VM does to a stack behind our back (exceptions,
// deoptimization, returns of interpreted and native methods, safepoints) ends in
// SafepointMechanism::update_poll_values, which overwrites the mark; so a lost mark is always seen.
//
// A mark is the address of the frame's return address less 14: above the return address of any
// callee, below the place that compiled code (the return address) or the interpreter (rbp, 8 lower)
// compares, and 2 modulo 8, which tells it from the VM's own values (1, ~1, and aligned addresses).
#pragma once

#include <atomic>
#include <cstdint>

#include "src/sampling/guard_word.h"

namespace assay::sampling {

class Watermark {
 public:
  static constexpr uint64_t kResting = ReturnGuard::kResting;
  static constexpr uint64_t kNextReturn = ReturnGuard::kMark;  // any return at all

  static uint64_t For(uintptr_t return_slot) { return return_slot - 14; }
  static bool IsOurs(uint64_t word) { return (word & 7) == 2; }

  // `from` is the resting value or one of ours; anything else in the word stays.
  static bool Replace(std::atomic<uint64_t>& word, uint64_t from, uint64_t to) {
    return (from == kResting || IsOurs(from)) && word.compare_exchange_strong(from, to);
  }
  static void Remove(std::atomic<uint64_t>& word) {
    uint64_t value = word.load(std::memory_order_relaxed);
    while (IsOurs(value) && !word.compare_exchange_weak(value, kResting)) {
    }
  }
};

}  // namespace assay::sampling
