#include "src/sampling/site_table.h"

#include <sys/mman.h>

#include <cstring>

namespace assay::sampling {
namespace {

template <typename T>
bool Map(T** memory, size_t count) {
  void* at = mmap(nullptr, count * sizeof(T), PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) return false;
  *memory = static_cast<T*>(at);
  return true;
}

}  // namespace

bool SiteTable::Init() {
  if (entries_ != nullptr) return true;
  bool ok = Map(&entries_, kEntries) && Map(&places_, kEntries) && Map(&arena_, kArenaFrames) &&
            Map(&walk_callee_, kArenaFrames) && Map(&walk_length_, kArenaFrames);
  for (auto& shard : counts_) ok = ok && Map(&shard, kEntries);
  return ok;
}

uint32_t SiteTable::FindOrAdd(uint64_t a, uint64_t b, uint32_t payload) {
  for (int attempt = 0; attempt < 4; attempt++) {  // again when another thread took the place
    bool raced = false;
    uint32_t id = TryFindOrAdd(a, b, payload, &raced);
    if (id != kNoId) return id;
    if (!raced) break;
  }
  full_.fetch_add(1, std::memory_order_relaxed);
  return kNoId;
}

uint32_t SiteTable::TryFindOrAdd(uint64_t a, uint64_t b, uint32_t payload, bool* raced) {
  uint32_t at = static_cast<uint32_t>(HashCombine(a, b)) & (kEntries - 1);
  uint32_t reusable = kNoId;
  for (uint32_t probe = 0; probe < kProbes; probe++, at = (at + 1) & (kEntries - 1)) {
    Entry& entry = entries_[at];
    uint64_t key = entry.a.load(std::memory_order_acquire);
    if (key == a && entry.b.load(std::memory_order_acquire) == b) {
      uint32_t id = IdOf(at);
      if (entry.a.load(std::memory_order_acquire) == a) return id;
    } else if (key == kRetired) {
      if (reusable == kNoId) reusable = at;
    } else if (key == kFree) {
      if (reusable == kNoId) reusable = at;
      break;
    }
  }
  if (reusable != kNoId) {
    Entry& entry = entries_[reusable];
    uint64_t expected = entry.a.load(std::memory_order_relaxed);
    if ((expected == kFree || expected == kRetired) && entry.a.compare_exchange_strong(expected, a)) {
      if (expected == kFree) {
        uint32_t place = used_.fetch_add(1, std::memory_order_relaxed);
        if (place < kEntries) places_[place].store(reusable, std::memory_order_release);
      }
      uint32_t id = IdOf(reusable);
      entry.payload.store(payload, std::memory_order_relaxed);
      entry.b.store(b, std::memory_order_release);
      return id;
    }
    *raced = true;
  }
  return kNoId;
}

uint32_t SiteTable::FindOrAddWalked(uint64_t callee_pc, const WalkedFrame* frames, uint32_t count) {
  uint64_t first = HashCombine(callee_pc, count);
  uint64_t second = Mix64(callee_pc);
  for (uint32_t i = 0; i < count; i++) {
    first = HashCombine(HashCombine(first, frames[i].method), static_cast<uint32_t>(frames[i].bci));
    second = HashCombine(HashCombine(second, static_cast<uint32_t>(frames[i].bci)), frames[i].method);
  }
  uint64_t a = kWalkTag | (first >> 2);
  uint64_t b = second | 1;
  // Look before taking arena space; FindOrAdd below may still find another thread's entry.
  uint32_t at = static_cast<uint32_t>(HashCombine(a, b)) & (kEntries - 1);
  for (uint32_t probe = 0; probe < kProbes; probe++, at = (at + 1) & (kEntries - 1)) {
    uint64_t key = entries_[at].a.load(std::memory_order_acquire);
    if (key == kFree) break;
    if (key == a && entries_[at].b.load(std::memory_order_acquire) == b) return IdOf(at);
  }
  uint32_t start = arena_used_.fetch_add(count, std::memory_order_relaxed);
  if (start + count > kArenaFrames || start + count < start) {
    arena_used_.fetch_sub(count, std::memory_order_relaxed);
    full_.fetch_add(1, std::memory_order_relaxed);
    return kNoId;
  }
  memcpy(&arena_[start], frames, count * sizeof(WalkedFrame));
  walk_callee_[start] = callee_pc;
  walk_length_[start] = static_cast<uint8_t>(count);
  return FindOrAdd(a, b, start);
}

uint64_t SiteTable::TakeCount(uint32_t index) {
  uint64_t total = 0;
  for (auto* shard : counts_) {
    if (shard[index].load(std::memory_order_relaxed) != 0) {
      total += shard[index].exchange(0, std::memory_order_relaxed);
    }
  }
  return total;
}

bool SiteTable::GetAt(uint32_t index, Key* key, uint32_t* id) const {
  const Entry& entry = entries_[index];
  key->a = entry.a.load(std::memory_order_acquire);
  key->b = entry.b.load(std::memory_order_acquire);
  key->payload = entry.payload.load(std::memory_order_relaxed);
  *id = IdOf(index);
  return key->a != kFree && key->a != kRetired && key->b != 0;
}

bool SiteTable::Get(uint32_t id, Key* key) const {
  uint32_t now;
  return GetAt(IndexOf(id), key, &now) && now == id;
}

const WalkedFrame* SiteTable::FramesOfWalk(const Key& key, uint32_t* count) const {
  *count = walk_length_[key.payload];
  return &arena_[key.payload];
}

void SiteTable::Retire(uint32_t index) {
  Entry& entry = entries_[index];
  entry.b.store(0, std::memory_order_release);
  entry.walk.store(0, std::memory_order_relaxed);
  uint16_t generation = (entry.generation.load(std::memory_order_relaxed) + 1) % kGenerations;
  entry.generation.store(generation, std::memory_order_release);
  entry.a.store(kRetired, std::memory_order_release);
}

void SiteTable::RetireAll() {
  for (uint32_t at = 0; at < used(); at++) {
    TakeCount(index(at));
    Retire(index(at));
  }
  arena_used_.store(1);
}

}  // namespace assay::sampling
