#include "src/sampling/site_arena.h"

#include "src/sampling/mapped_memory.h"

namespace assay::sampling {

bool SiteArena::Init() {
  return units_ != nullptr || MapZeroed(&units_, size_t{kUnits} * kUnitBytes);
}

uint32_t SiteArena::SizeOf(size_t bytes) {
  uint32_t size = 0;
  while (size < kSizes && (size_t{kUnitBytes} << size) < bytes) size++;
  return size;
}

uint32_t SiteArena::Take(size_t bytes) {
  const uint32_t size = SizeOf(bytes);
  if (size >= kSizes) return kNone;
  uint64_t head = free_[size].load(std::memory_order_acquire);
  while (static_cast<uint32_t>(head) != kNone) {
    auto block = static_cast<uint32_t>(head);
    uint64_t next = NextOf(block).load(std::memory_order_relaxed);
    uint64_t after = ((head >> 32) + 1) << 32 | next;
    if (free_[size].compare_exchange_weak(head, after, std::memory_order_acquire)) return block;
  }
  const uint32_t units = 1u << size;
  uint32_t block = used_.load(std::memory_order_relaxed);
  do {
    if (block + units > kUnits) return kNone;
  } while (!used_.compare_exchange_weak(block, block + units, std::memory_order_relaxed));
  return block;
}

void SiteArena::Give(uint32_t block, size_t bytes) {
  const uint32_t size = SizeOf(bytes);
  if (block == kNone || size >= kSizes) return;
  uint64_t head = free_[size].load(std::memory_order_relaxed);
  uint64_t after;
  do {
    NextOf(block).store(static_cast<uint32_t>(head), std::memory_order_relaxed);
    after = ((head >> 32) + 1) << 32 | block;
  } while (!free_[size].compare_exchange_weak(head, after, std::memory_order_release));
}

}  // namespace assay::sampling
