// The native memory that the triggers and operations of java/lang/AssaySampled use directly. Made
// once, never freed: rewritten methods may run on after a session. All counters may be changed by
// any thread at any time; NewKey is serialized.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace assay::agent {

// Offsets are known to AssaySampled.java.
struct SampledShared {
  std::atomic<int64_t> interval;  // 0: off
  std::atomic<int64_t> jitter;
  std::atomic<int64_t> seed;
  std::atomic<int64_t>* counts;
  struct SampledKey* keys;
  int64_t key_mask;
  std::atomic<int32_t> tick;
  alignas(64) struct {
    alignas(64) std::atomic<int64_t> count;
  } notes[3];
};

struct SampledKey {
  std::atomic<int64_t> key;  // counter << 32 | hash of class or value; 0: free
  std::atomic<int64_t> count;
};

class SampledMemory {
 public:
  static constexpr uint32_t kMaxCounters = 16u << 20;
  static constexpr uint32_t kKeys = 1u << 20;
  static constexpr uint32_t kValuesPerCounter = 1000;

  // False when the system does not give the address space.
  bool Reserve();
  SampledShared* shared() { return shared_; }
  std::atomic<int64_t>& count(uint32_t id) { return shared_->counts[id]; }

  // The counter of a key, made when missing; null when there is no room or the counter has too many
  // values already, which is counted. `text` is what the key stands for.
  std::atomic<int64_t>* NewKey(int64_t key, bool is_value, std::string text);
  uint64_t dropped_values() const { return dropped_values_; }
  uint64_t dropped_keys() const { return dropped_keys_; }

  // Calls visit(slot, counter id, text, count) for every key.
  template <typename Visit>
  void ForEachKey(Visit visit) {
    std::lock_guard lock(mutex_);
    for (uint32_t slot : used_) {
      SampledKey& entry = shared_->keys[slot];
      uint32_t id = static_cast<uint32_t>(entry.key >> 32);
      visit(slot, id, texts_[slot], entry.count.load(std::memory_order_relaxed));
    }
  }
  void ResetCounts(uint32_t counters);

 private:
  SampledShared* shared_ = nullptr;
  std::mutex mutex_;
  std::vector<uint32_t> used_;
  std::unordered_map<uint32_t, std::string> texts_;
  std::unordered_map<uint32_t, uint32_t> values_;  // per counter
  std::atomic<uint64_t> dropped_values_ = 0;
  std::atomic<uint64_t> dropped_keys_ = 0;
};

}  // namespace assay::agent
