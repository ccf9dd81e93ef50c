// A bounded queue of samples of different lengths from one thread (in signal handlers) to the
// accounting thread. Never blocks: what does not fit is refused. Cells are 16 bytes.
#pragma once

#include <atomic>
#include <cstdint>

#include "src/sampling/visited_stack.h"

namespace assay::sampling {

// One sample: this header (two cells), then `frames` frames, newest first, then `oracle` frames of
// the VM's own walker, newest first (method, bci).
struct SampleHeader {
  enum Flags : uint16_t {
    kOldestIsOld = 1,      // the oldest frame given was there before; it may stand elsewhere now
    kDetached = 2,         // what is below the oldest frame is not known
    kInVm = 4,             // the thread was in the VM, called by the newest frame
    kOracle = 8,           // compared with the VM's walker, which gave `oracle` frames
    kTrusted = 16,         // the watermark held: only new frames were walked
    kOracleIsCaller = 32,  // the VM's walker began at the caller of the newest frame
  };
  uint32_t frames = 0;
  uint32_t kept = 0;  // frames of the sample before that lie below, unchanged
  uint16_t flags = 0;
  uint16_t unused = 0;
  uint32_t oracle = 0;
  uint64_t weight_ns = 0;
  uint64_t samples = 0;  // ticks that this stands for
};
static_assert(sizeof(SampleHeader) == 32 && sizeof(RawFrame) == 16);

class SampleRing {
 public:
  void Use(RawFrame* memory, uint32_t cells) {  // a power of two
    cells_ = memory;
    mask_ = cells - 1;
    head_.store(0);
    tail_.store(0);
  }
  // The producer's: room for a sample, then its cells one by one, then Publish.
  bool HasRoom(uint32_t cells) const {
    return head_.load(std::memory_order_relaxed) - tail_.load(std::memory_order_acquire) + cells <=
           mask_ + 1;
  }
  void Put(uint32_t at, RawFrame value) {
    cells_[(head_.load(std::memory_order_relaxed) + at) & mask_] = value;
  }
  void PutHeader(const SampleHeader& header) {
    RawFrame cells[2];
    __builtin_memcpy(static_cast<void*>(cells), &header, sizeof header);
    Put(0, cells[0]);
    Put(1, cells[1]);
  }
  void Publish(uint32_t cells) {
    head_.store(head_.load(std::memory_order_relaxed) + cells, std::memory_order_release);
  }

  // The consumer's.
  bool Peek(SampleHeader* header) const {
    uint64_t tail = tail_.load(std::memory_order_relaxed);
    if (head_.load(std::memory_order_acquire) == tail) return false;
    RawFrame cells[2] = {Get(0), Get(1)};
    __builtin_memcpy(header, cells, sizeof *header);
    return true;
  }
  RawFrame Get(uint32_t at) const {
    return cells_[(tail_.load(std::memory_order_relaxed) + at) & mask_];
  }
  void Consume(const SampleHeader& header) {
    tail_.store(tail_.load(std::memory_order_relaxed) + 2 + header.frames + header.oracle,
                std::memory_order_release);
  }

 private:
  RawFrame* cells_ = nullptr;
  uint64_t mask_ = 0;
  alignas(64) std::atomic<uint64_t> head_{0};
  alignas(64) std::atomic<uint64_t> tail_{0};
};

}  // namespace assay::sampling
