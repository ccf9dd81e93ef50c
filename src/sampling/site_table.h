// The cache that makes the sample of a known call cost tens of nanoseconds: a lock-free table from
// what a yieldpoint sees (program counters) to a small number. What the number means is found out by walking the stack
// once, when the site is new and everything on it is certainly alive, and kept beside it.
//
// An entry holds while the compiled code that its program counters lie in lives. When code is
// unloaded its entries are retired; their place is reused under a new generation, so that a number
// still on its way cannot be taken for its successor.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "src/base/hash.h"
#include "src/sampling/site_arena.h"

namespace assay::sampling {

// A virtual frame: a method (a jmethodID, opaque here) and a bytecode index.
struct WalkedFrame {
  uintptr_t method;
  int32_t bci;
};

// In place of a method: code that is not Java.
constexpr uintptr_t kNativeFrame = 0;

// What a site means. The memory belongs to whoever made it; the table keeps a copy.
struct SiteMeaning {
  std::span<const WalkedFrame> frames;  // innermost first: the callee, its caller, ...
  std::span<const uintptr_t> code;      // where the compiled code begins that the program counters lie in
};

class SiteTable {
 public:
  static constexpr uint32_t kEntries = 1 << 18;
  static constexpr uint32_t kIndexBits = 18;
  static constexpr uint32_t kProbes = 64;
  static constexpr uint32_t kShards = 8;
  static constexpr uint32_t kNoId = UINT32_MAX;
  static constexpr uint32_t kMaxFrames = 64;

  struct Key {
    uint64_t a, b;
    bool operator==(const Key&) const = default;
  };
  // Key kinds, in the top bits of `a`; program counters leave them clear.
  static constexpr uint64_t kInterpretedTag = uint64_t{1} << 61;  // a = tag | callee's pc, b = bytecode pointer
  static constexpr uint64_t kHashTag = uint64_t{1} << 62;         // both are hashes of what does not fit
  // Of frames alone, where there are no program counters to tell sites by.
  static Key KeyOf(std::span<const WalkedFrame> frames);
  // Of a chain of callers.
  static Key Longer(const Key& key, uint64_t pc) {
    return {kHashTag | (HashCombine(key.a, pc) >> 3), HashCombine(key.b, ~pc) | 1};
  }

  bool Init();

  // The id of a site; kNoId when it is new. Any context.
  uint32_t Find(const Key& key) const;
  // The id of a site that was new; another thread may have been faster. kNoId when there is no room. Any context.
  uint32_t Add(const Key& key, const SiteMeaning& meaning);

  void Count(uint32_t id, uint32_t shard) {
    counts_[shard % kShards][IndexOf(id)].fetch_add(1, std::memory_order_relaxed);
  }
  // Calls counted and not yet taken; leaves zero.
  uint64_t TakeCount(uint32_t index);

  // For the accounting thread, until it retires the site. False when `id` was retired meanwhile or is not complete.
  bool Get(uint32_t id, SiteMeaning* meaning) const;
  bool Holds(uint32_t id) const { return IdOf(IndexOf(id)) == id; }
  // False when nothing lives at `index`.
  bool GetAt(uint32_t index, SiteMeaning* meaning, uint32_t* id) const;
  void Retire(uint32_t index);
  void RetireAll();
  // Places ever used: index(0) .. index(used() - 1).
  uint32_t used() const {
    uint32_t used = used_.load(std::memory_order_acquire);
    return used < kEntries ? used : kEntries;
  }
  uint32_t index(uint32_t at) const { return places_[at].load(std::memory_order_acquire); }

  // How many sites were ever added, and the id of the n-th, as long as it is one of the last kRecent (another's, or kNoId,
  // when asked for while it is being added).
  static constexpr uint32_t kRecent = 1 << 12;
  uint64_t added() const { return added_.load(std::memory_order_acquire); }
  uint32_t recent(uint64_t n) const { return recent_[n % kRecent].load(std::memory_order_relaxed) - 1; }

  static uint32_t IndexOf(uint32_t id) { return id & (kEntries - 1); }
  uint64_t full() const { return full_.load(std::memory_order_relaxed); }
  void ResetCounts() { full_ = 0; }

 private:
  static constexpr uint64_t kFree = 0;
  static constexpr uint64_t kRetired = ~uint64_t{0};
  static constexpr uint32_t kGenerations = (1 << (32 - kIndexBits)) - 1;  // an id is never kNoId
  struct Entry {
    std::atomic<uint64_t> a;
    std::atomic<uint64_t> b;  // 0 until the entry is complete
    std::atomic<uint32_t> meaning;
    std::atomic<uint32_t> generation;
  };
  // In the arena, followed by the frames and the code.
  struct Kept {
    uint32_t frames;
    uint32_t code;
    size_t bytes() const {
      return sizeof(Kept) + frames * sizeof(WalkedFrame) + code * sizeof(uintptr_t);
    }
  };
  uint32_t TryAdd(const Key& key, uint32_t meaning, bool* raced);
  uint32_t Keep(const SiteMeaning& meaning);
  void Drop(uint32_t meaning);
  uint32_t IdOf(uint32_t index) const {
    return entries_[index].generation.load(std::memory_order_acquire) << kIndexBits | index;
  }
  static uint32_t HomeOf(const Key& key) {
    return static_cast<uint32_t>(HashCombine(key.a, key.b)) & (kEntries - 1);
  }

  Entry* entries_ = nullptr;
  std::atomic<uint64_t>* counts_[kShards] = {};
  std::atomic<uint32_t>* places_ = nullptr;
  std::atomic<uint32_t> used_{0};
  SiteArena arena_;
  std::atomic<uint32_t>* recent_ = nullptr;  // ids plus one
  std::atomic<uint64_t> added_{0};
  std::atomic<uint64_t> full_{0};
};

}  // namespace assay::sampling
