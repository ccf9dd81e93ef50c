#include "src/sampling/site_table.h"

#include <cstring>

#include "src/sampling/mapped_memory.h"

namespace assay::sampling {

bool SiteTable::Init() {
  if (entries_ != nullptr) return true;
  Entry* entries = nullptr;
  bool ok = arena_.Init() && MapZeroed(&places_, kEntries) && MapZeroed(&recent_, kRecent);
  for (auto& shard : counts_) ok = ok && MapZeroed(&shard, kEntries);
  ok = ok && MapResident(&entries, kEntries);
  if (ok) entries_ = entries;
  return ok;
}

SiteTable::Key SiteTable::KeyOf(std::span<const WalkedFrame> frames) {
  uint64_t first = frames.size();
  uint64_t second = Mix64(frames.size());
  for (const WalkedFrame& frame : frames) {
    first = HashCombine(HashCombine(first, frame.method), static_cast<uint32_t>(frame.bci));
    second = HashCombine(HashCombine(second, static_cast<uint32_t>(frame.bci)), frame.method);
  }
  return {kHashTag | (first >> 3), second | 1};
}

uint32_t SiteTable::Find(const Key& key) const {
  uint32_t at = HomeOf(key);
  for (uint32_t probe = 0; probe < kProbes; probe++, at = (at + 1) & (kEntries - 1)) {
    const Entry& entry = entries_[at];
    uint64_t a = entry.a.load(std::memory_order_acquire);
    if (a == key.a && entry.b.load(std::memory_order_acquire) == key.b) {
      uint32_t id = IdOf(at);
      // Unchanged: it was not retired between reading the key and the generation.
      if (entry.b.load(std::memory_order_acquire) == key.b) return id;
    }
    if (a == kFree) break;
  }
  return kNoId;
}

uint32_t SiteTable::Add(const Key& key, const SiteMeaning& meaning) {
  uint32_t kept = Keep(meaning);
  for (int attempt = 0; attempt < 4 && kept != SiteArena::kNone; attempt++) {
    bool raced = false;
    uint32_t id = TryAdd(key, kept, &raced);
    if (id != kNoId) return id;
    if (!raced) break;
    // Another thread took the place: perhaps with this very site.
    if (id = Find(key); id != kNoId) {
      Drop(kept);
      return id;
    }
  }
  if (kept != SiteArena::kNone) Drop(kept);
  full_.fetch_add(1, std::memory_order_relaxed);
  return kNoId;
}

uint32_t SiteTable::TryAdd(const Key& key, uint32_t meaning, bool* raced) {
  uint32_t at = HomeOf(key);
  for (uint32_t probe = 0; probe < kProbes; probe++, at = (at + 1) & (kEntries - 1)) {
    Entry& entry = entries_[at];
    uint64_t a = entry.a.load(std::memory_order_relaxed);
    if (a != kFree && a != kRetired) continue;
    const bool fresh = a == kFree;
    if (!entry.a.compare_exchange_strong(a, key.a)) {
      *raced = true;
      return kNoId;
    }
    if (fresh) {
      uint32_t place = used_.fetch_add(1, std::memory_order_relaxed);
      if (place < kEntries) places_[place].store(at, std::memory_order_release);
    }
    uint32_t id = IdOf(at);
    entry.meaning.store(meaning, std::memory_order_relaxed);
    entry.b.store(key.b, std::memory_order_release);
    uint64_t n = added_.fetch_add(1, std::memory_order_acq_rel);
    recent_[n % kRecent].store(id + 1, std::memory_order_relaxed);
    return id;
  }
  return kNoId;
}

uint32_t SiteTable::Keep(const SiteMeaning& meaning) {
  Kept kept{static_cast<uint32_t>(meaning.frames.size()), static_cast<uint32_t>(meaning.code.size())};
  uint32_t block = arena_.Take(kept.bytes());
  if (block == SiteArena::kNone) return block;
  auto* memory = static_cast<unsigned char*>(arena_.At(block));
  memcpy(memory, &kept, sizeof kept);
  memcpy(memory + sizeof kept, meaning.frames.data(), meaning.frames.size_bytes());
  memcpy(memory + sizeof kept + meaning.frames.size_bytes(), meaning.code.data(), meaning.code.size_bytes());
  return block;
}

void SiteTable::Drop(uint32_t meaning) {
  arena_.Give(meaning, static_cast<Kept*>(arena_.At(meaning))->bytes());
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

bool SiteTable::GetAt(uint32_t index, SiteMeaning* meaning, uint32_t* id) const {
  const Entry& entry = entries_[index];
  if (entry.b.load(std::memory_order_acquire) == 0) return false;
  *id = IdOf(index);
  const auto* kept = static_cast<const Kept*>(arena_.At(entry.meaning.load(std::memory_order_relaxed)));
  const auto* frames = reinterpret_cast<const WalkedFrame*>(kept + 1);
  meaning->frames = {frames, kept->frames};
  meaning->code = {reinterpret_cast<const uintptr_t*>(frames + kept->frames), kept->code};
  return true;
}

bool SiteTable::Get(uint32_t id, SiteMeaning* meaning) const {
  uint32_t now;
  return GetAt(IndexOf(id), meaning, &now) && now == id;
}

void SiteTable::Retire(uint32_t index) {
  Entry& entry = entries_[index];
  if (entry.b.load(std::memory_order_acquire) == 0) return;
  entry.b.store(0, std::memory_order_release);
  Drop(entry.meaning.load(std::memory_order_relaxed));
  uint32_t generation = (entry.generation.load(std::memory_order_relaxed) + 1) % kGenerations;
  entry.generation.store(generation, std::memory_order_release);
  entry.a.store(kRetired, std::memory_order_release);
}

void SiteTable::RetireAll() {
  for (uint32_t at = 0; at < used(); at++) {
    TakeCount(index(at));
    Retire(index(at));
  }
}

}  // namespace assay::sampling
