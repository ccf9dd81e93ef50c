// A bounded queue of samples of different lengths from one thread (in signal handlers) to the
// accounting thread. Never blocks: what does not fit is refused. Cells are 16 bytes.
//
// It goes round and would in time hold all of its memory, a megabyte for each thread that runs long enough. So the consumer gives pages back that it
// has read, and only then lets the producer have them again: `tail_` follows behind, in steps of kStep.
#pragma once

#include <sys/mman.h>

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
  static constexpr uint32_t kPage = 4096 / sizeof(RawFrame);
  static constexpr uint32_t kStep = 32 * kPage;

  // A power of two cells. Of less than four times kStep nothing is given back; others are whole pages, mapped.
  void Use(RawFrame* memory, uint32_t cells) {
    cells_ = memory;
    mask_ = cells - 1;
    head_.store(0);
    tail_.store(0);
    read_ = 0;
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
    if (head_.load(std::memory_order_acquire) == read_) return false;
    RawFrame cells[2] = {Get(0), Get(1)};
    __builtin_memcpy(header, cells, sizeof *header);
    return true;
  }
  RawFrame Get(uint32_t at) const { return cells_[(read_ + at) & mask_]; }
  void Consume(const SampleHeader& header) {
    read_ += 2 + header.frames + header.oracle;
    const uint64_t tail = tail_.load(std::memory_order_relaxed);
    if (mask_ + 1 < 4 * kStep) return tail_.store(read_, std::memory_order_release);
    if (read_ - tail >= kStep) GiveBack(tail, read_ / kPage * kPage);
  }

 private:
  void GiveBack(uint64_t from, uint64_t to) {
    const uint64_t turn = (from | mask_) + 1;  // the memory's end, this time round
    const uint64_t first = to < turn ? to : turn;
    madvise(cells_ + (from & mask_), (first - from) * sizeof(RawFrame), MADV_DONTNEED);
    madvise(cells_, (to - first) * sizeof(RawFrame), MADV_DONTNEED);
    tail_.store(to, std::memory_order_release);
  }

  RawFrame* cells_ = nullptr;
  uint64_t mask_ = 0;
  alignas(64) std::atomic<uint64_t> head_{0};
  alignas(64) std::atomic<uint64_t> tail_{0};  // what the producer must not write before
  uint64_t read_ = 0;                          // the consumer's
};

}  // namespace assay::sampling
