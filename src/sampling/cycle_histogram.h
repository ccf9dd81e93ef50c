// Counts durations in buckets an eighth apart, for a median that a preempted measurement cannot
// spoil. Add() from any context, signal handlers included.
#pragma once

#include <atomic>
#include <cstdint>

namespace assay::sampling {

class CycleHistogram {
 public:
  void Add(uint64_t cycles) { buckets_[BucketOf(cycles)].fetch_add(1, std::memory_order_relaxed); }
  // 0 when nothing was counted.
  double Median() const {
    uint64_t total = 0, seen = 0;
    for (const auto& bucket : buckets_) total += bucket.load(std::memory_order_relaxed);
    for (uint32_t i = 0; i < kBuckets && total > 0; i++) {
      seen += buckets_[i].load(std::memory_order_relaxed);
      if (2 * seen >= total) return MiddleOf(i);
    }
    return 0;
  }

 private:
  static constexpr uint32_t kBuckets = 64 * 8;
  static uint32_t BucketOf(uint64_t cycles) {
    if (cycles < 8) return static_cast<uint32_t>(cycles);
    auto power = static_cast<uint32_t>(63 - __builtin_clzll(cycles));
    return (power - 2) * 8 + static_cast<uint32_t>(cycles >> (power - 3) & 7);
  }
  static double MiddleOf(uint32_t bucket) {
    if (bucket < 8) return bucket;
    uint32_t power = bucket / 8 + 2;
    return static_cast<double>(1ull << power) * (1 + (bucket % 8 + 0.5) / 8);
  }

  std::atomic<uint32_t> buckets_[kBuckets] = {};
};

}  // namespace assay::sampling
