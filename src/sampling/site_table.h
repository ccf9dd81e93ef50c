// The cache that makes the sample of a known call cost tens of nanoseconds: a lock-free table from
// what a yieldpoint sees (program counters, or frames that had to be walked) to a small number. What
// a number means is worked out later, on the accounting thread, from the VM's own records.
//
// An entry holds while the compiled code that its program counters lie in lives. When code is
// unloaded its entries are retired; their place is reused under a new generation, so that a number
// still on its way cannot be taken for its successor.
#pragma once

#include <atomic>
#include <cstdint>

#include "src/base/hash.h"

namespace assay::sampling {

// A virtual frame: a method (a jmethodID, opaque here) and a bytecode index.
struct WalkedFrame {
  uintptr_t method;
  int32_t bci;
};

// In place of a method: code that is not Java.
constexpr uintptr_t kNativeFrame = 0;

class SiteTable {
 public:
  static constexpr uint32_t kEntries = 1 << 18;
  static constexpr uint32_t kIndexBits = 18;
  static constexpr uint32_t kProbes = 64;
  static constexpr uint32_t kShards = 8;
  static constexpr uint32_t kNoId = UINT32_MAX;
  static constexpr uint32_t kArenaFrames = 1 << 20;

  // Key kinds, in the top bits of `a`; program counters leave them clear.
  static constexpr uint64_t kChainTag = uint64_t{1} << 62;  // a = tag | id of the shorter chain, b = pc
  static constexpr uint64_t kWalkTag = uint64_t{1} << 63;   // a = tag | hash, b = hash; see frames()

  // In place of a callee's pc: the first of the walked frames is the callee itself.
  static constexpr uint64_t kCalleeInFrames = 0;

  bool Init();

  // The id of (a, b), adding it when it is new; kNoId when there is no room. Any context.
  uint32_t FindOrAdd(uint64_t a, uint64_t b) { return FindOrAdd(a, b, 0); }
  // The same for a callee's pc and walked frames of its callers.
  uint32_t FindOrAddWalked(uint64_t callee_pc, const WalkedFrame* frames, uint32_t count);

  // Set by the accounting thread where program counters do not suffice: walk such samples instead.
  bool WantsWalk(uint32_t id) const {
    return entries_[IndexOf(id)].walk.load(std::memory_order_relaxed) != 0;
  }
  void SetWantsWalk(uint32_t id) { entries_[IndexOf(id)].walk.store(1, std::memory_order_relaxed); }

  void Count(uint32_t id, uint32_t shard) {
    counts_[shard % kShards][IndexOf(id)].fetch_add(1, std::memory_order_relaxed);
  }
  // Calls counted and not yet taken; leaves zero.
  uint64_t TakeCount(uint32_t index);

  // For the accounting thread.
  struct Key {
    uint64_t a;
    uint64_t b;
    uint32_t payload;
  };
  // False when `id` was retired meanwhile or is not complete.
  bool Get(uint32_t id, Key* key) const;
  // False when nothing lives at `index`.
  bool GetAt(uint32_t index, Key* key, uint32_t* id) const;
  uint64_t CalleeOfWalk(const Key& key) const { return walk_callee_[key.payload]; }
  const WalkedFrame* FramesOfWalk(const Key& key, uint32_t* count) const;
  void Retire(uint32_t index);
  void RetireAll();
  // Places ever used: index(0) .. index(used() - 1).
  uint32_t used() const {
    uint32_t used = used_.load(std::memory_order_acquire);
    return used < kEntries ? used : kEntries;
  }
  uint32_t index(uint32_t at) const { return places_[at].load(std::memory_order_acquire); }

  static uint32_t IndexOf(uint32_t id) { return id & (kEntries - 1); }
  uint64_t full() const { return full_.load(std::memory_order_relaxed); }

 private:
  static constexpr uint64_t kFree = 0;
  static constexpr uint64_t kRetired = ~uint64_t{0};
  static constexpr uint16_t kGenerations = (1 << (32 - kIndexBits)) - 1;  // an id is never kNoId
  struct Entry {
    std::atomic<uint64_t> a;
    std::atomic<uint64_t> b;
    std::atomic<uint32_t> payload;
    std::atomic<uint16_t> generation;
    std::atomic<uint16_t> walk;
  };
  uint32_t FindOrAdd(uint64_t a, uint64_t b, uint32_t payload);
  uint32_t TryFindOrAdd(uint64_t a, uint64_t b, uint32_t payload, bool* raced);
  uint32_t IdOf(uint32_t index) const {
    return (uint32_t{entries_[index].generation.load(std::memory_order_acquire)} << kIndexBits) | index;
  }

  Entry* entries_ = nullptr;
  std::atomic<uint64_t>* counts_[kShards] = {};
  std::atomic<uint32_t>* places_ = nullptr;
  std::atomic<uint32_t> used_{0};
  // Walked samples, by payload (the index of the first frame): the callee's pc and a run of frames.
  WalkedFrame* arena_ = nullptr;
  uint64_t* walk_callee_ = nullptr;
  uint8_t* walk_length_ = nullptr;
  std::atomic<uint32_t> arena_used_{1};
  std::atomic<uint64_t> full_{0};
};

}  // namespace assay::sampling
