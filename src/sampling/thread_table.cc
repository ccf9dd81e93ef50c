#include "src/sampling/thread_table.h"

#include <sched.h>

#include "src/sampling/mapped_memory.h"

namespace assay::sampling {

bool ThreadTable::Init() {
  if (slots_ != nullptr) return true;
  return MapZeroed(&cells_, kCells) && MapZeroed(&slots_, kSlots);
}

ThreadSlot* ThreadTable::Add(uintptr_t thread) {
  std::lock_guard lock(mutex_);
  if (ThreadSlot* known = Find(thread)) return known;
  Cell* cell = nullptr;
  uint32_t at = Home(thread);
  for (uint32_t probe = 0; probe < kProbes && cell == nullptr; probe++, at = (at + 1) % kCells) {
    if (cells_[at].thread.load() <= kGone) cell = &cells_[at];
  }
  while (first_free_ < kSlots && slots_[first_free_].thread.load() != 0) first_free_++;
  if (cell == nullptr || first_free_ == kSlots) return nullptr;
  ThreadSlot* slot = &slots_[first_free_];
  slot->Reset();
  slot->number = next_number_++;
  slot->thread.store(thread);
  if (first_free_ >= high_water_.load()) high_water_.store(first_free_ + 1);
  cell->slot = slot;
  cell->thread.store(thread, std::memory_order_release);
  live_++;
  return slot;
}

void ThreadTable::Remove(uintptr_t thread) {
  std::lock_guard lock(mutex_);
  uint32_t at = Home(thread);
  for (uint32_t probe = 0; probe < kProbes; probe++, at = (at + 1) % kCells) {
    Cell& cell = cells_[at];
    if (cell.thread.load() == 0) return;
    if (cell.thread.load() != thread) continue;
    ThreadSlot* slot = cell.slot;
    cell.thread.store(kGone);
    slot->thread.store(0);
    while (slot->pin.load() != 0) sched_yield();
    live_--;
    uint32_t index = static_cast<uint32_t>(slot - slots_);
    if (index < first_free_) first_free_ = index;
    return;
  }
}

void ThreadTable::RestartNumbers() {
  std::lock_guard lock(mutex_);
  if (live_ == 0) next_number_ = 0;
}

void ThreadTable::WaitForHandlers() {
  for (uint32_t i = 0; i < high_water(); i++) {
    while (slots_[i].inside.load() != 0) sched_yield();
  }
}

}  // namespace assay::sampling
