#include "src/agent/sampled_memory.h"

#include <sys/mman.h>

#include <cstddef>

namespace assay::agent {
namespace {

// Address space; pages come with their first use.
void* Map(size_t size) {
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

}  // namespace

static_assert(offsetof(SampledShared, counts) == 24);
static_assert(offsetof(SampledShared, tick) == 48);
static_assert(offsetof(SampledShared, notes) == 64 && sizeof(SampledShared) == 64 * 4);
static_assert(sizeof(SampledKey) == 16);

bool SampledMemory::Reserve() {
  if (shared_ != nullptr) return true;
  auto* shared = static_cast<SampledShared*>(Map(sizeof(SampledShared)));
  void* counts = Map(sizeof(int64_t) * kMaxCounters);
  void* keys = Map(sizeof(SampledKey) * kKeys);
  if (shared == nullptr || counts == nullptr || keys == nullptr) return false;
  shared->counts = static_cast<std::atomic<int64_t>*>(counts);
  shared->keys = static_cast<SampledKey*>(keys);
  shared->key_mask = kKeys - 1;
  shared_ = shared;
  return true;
}

std::atomic<int64_t>* SampledMemory::NewKey(int64_t key, bool is_value, std::string text) {
  std::lock_guard lock(mutex_);
  // The same sequence as in AssaySampled.countKey.
  uint64_t hash = static_cast<uint64_t>(key) * 0x9e3779b97f4a7c15ull;
  hash ^= hash >> 32;
  for (uint64_t i = 0; i < 64; ++i) {
    uint32_t slot = static_cast<uint32_t>((hash + i) & (kKeys - 1));
    SampledKey& entry = shared_->keys[slot];
    if (entry.key == key) return &entry.count;
    if (entry.key != 0) continue;
    uint32_t id = static_cast<uint32_t>(key >> 32);
    if (is_value && values_[id]++ >= kValuesPerCounter) {
      ++dropped_values_;
      return nullptr;
    }
    texts_[slot] = std::move(text);
    used_.push_back(slot);
    entry.key.store(key, std::memory_order_release);
    return &entry.count;
  }
  ++dropped_keys_;
  return nullptr;
}

void SampledMemory::ResetCounts(uint32_t counters) {
  std::lock_guard lock(mutex_);
  for (uint32_t i = 0; i < counters; ++i) shared_->counts[i] = 0;
  for (uint32_t slot : used_) shared_->keys[slot].count = 0;
  for (auto& note : shared_->notes) note.count = 0;
  dropped_values_ = 0;
  dropped_keys_ = 0;
}

}  // namespace assay::agent
