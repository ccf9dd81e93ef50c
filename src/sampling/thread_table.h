// Finds a thread's slot from its JavaThread*, without thread-local storage (which may allocate in a
// signal handler or hook). Find() is lock-free and may run anywhere; Add() and Remove() are called
// on threads where taking a lock is fine.
#pragma once

#include <cstddef>
#include <mutex>

#include "src/sampling/burst.h"
#include "src/sampling/trampoline_layout.h"

namespace assay::sampling {

// Of a slot whose CPU clock is known.
inline int32_t ThreadIdOf(const ThreadSlot& slot) { return ~(slot.cpu_clock >> 3); }

class ThreadTable {
 public:
  static constexpr uint32_t kSlots = 1 << 14;
  static constexpr uint32_t kCells = 1 << 16;
  static constexpr uint32_t kProbes = 128;

  // Maps the memory; false when there is none.
  bool Init();

  ThreadSlot* Find(uintptr_t thread) const {
    uint32_t at = Home(thread);
    for (uint32_t probe = 0; probe < kProbes; probe++, at = (at + 1) % kCells) {
      uintptr_t key = cells_[at].thread.load(std::memory_order_acquire);
      if (key == thread) return cells_[at].slot;
      if (key == 0) return nullptr;
    }
    return nullptr;
  }

  // Null when the table is full. Finding the thread already there returns its slot.
  ThreadSlot* Add(uintptr_t thread);
  // Takes the thread out and waits until the ticker has let go of it: afterwards nobody touches the
  // JavaThread any more. The caller has disarmed the thread's word.
  void Remove(uintptr_t thread);

  // Numbers threads from 0 again, unless there are some.
  void RestartNumbers();

  // Waits until every handler that had begun has ended (see InHandler); those that begin later have to find for
  // themselves that nothing is wanted any more. Handlers wait for nothing, so this ends as soon as their threads have run.
  void WaitForHandlers();

  // Slots ever used are those below this index.
  uint32_t high_water() const { return high_water_.load(std::memory_order_acquire); }
  ThreadSlot& slot(uint32_t index) { return slots_[index]; }
  uint32_t live() const { return live_; }
  // For the trampolines, which look into a thread's first cell and leave the rest to Find().
  const void* cells() const { return cells_; }

 private:
  static constexpr uintptr_t kGone = 1;
  struct Cell {
    std::atomic<uintptr_t> thread;  // 0 = never used, kGone = free again
    ThreadSlot* slot;
  };
  static_assert(offsetof(Cell, thread) == ASSAY_CELL_THREAD && offsetof(Cell, slot) == ASSAY_CELL_SLOT);
  static_assert(sizeof(Cell) == 1 << ASSAY_LOG2_CELL_BYTES && uint64_t{kCells} << ASSAY_HOME_SHIFT == 0);
  static uint32_t Home(uintptr_t thread) {
    return static_cast<uint32_t>((thread >> 4) * ASSAY_HOME_FACTOR >> ASSAY_HOME_SHIFT);
  }

  std::mutex mutex_;
  ThreadSlot* slots_ = nullptr;
  Cell* cells_ = nullptr;
  std::atomic<uint32_t> high_water_{0};
  uint32_t live_ = 0;
  uint32_t first_free_ = 0;
  uint32_t next_number_ = 0;
};

// In a signal handler, around all that it does with a slot, and before it asks whether it is wanted: a thread may be taken off
// the processor in the middle of it for as long as the scheduler likes, while another one detaches and gives slots away.
class InHandler {
 public:
  explicit InHandler(ThreadSlot& slot) : slot_(slot) { slot_.inside.fetch_add(1); }
  ~InHandler() { slot_.inside.fetch_sub(1); }
  InHandler(const InHandler&) = delete;
  InHandler& operator=(const InHandler&) = delete;

 private:
  ThreadSlot& slot_;
};

// Keeps the JavaThread of a slot alive while it is in scope: Remove() waits for it.
class SlotPin {
 public:
  explicit SlotPin(ThreadSlot& slot) : slot_(slot), thread_(slot.Pin()) {}
  ~SlotPin() { slot_.Unpin(); }
  SlotPin(const SlotPin&) = delete;
  SlotPin& operator=(const SlotPin&) = delete;
  uintptr_t thread() const { return thread_; }  // 0: gone

 private:
  ThreadSlot& slot_;
  uintptr_t thread_;
};

}  // namespace assay::sampling
