// Memory for what is known about sites: blocks of 64 bytes times a power of two, taken by yieldpoints and given
// back by the accounting thread, so that sites can come and go for as long as the program runs. Lock-free; no
// context is too delicate for it, because memory is mapped in advance and nobody ever waits.
//
// Free blocks of a size form a stack (Treiber, 1986). Its head carries a tag that changes with every pop and push: a
// block that was taken and given back between reading the head and replacing it is not mistaken for itself.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace assay::sampling {

class SiteArena {
 public:
  static constexpr uint32_t kUnitBytes = 64;
  static constexpr uint32_t kUnits = 1 << 20;
  static constexpr uint32_t kSizes = 6;  // up to 2 KB
  static constexpr uint32_t kNone = 0;

  // Maps the memory; false when there is none.
  bool Init();
  // A block of at least `bytes`; kNone when there is no room. Its contents are undefined.
  uint32_t Take(size_t bytes);
  void Give(uint32_t block, size_t bytes);
  void* At(uint32_t block) const { return units_ + size_t{block} * kUnitBytes; }

 private:
  static uint32_t SizeOf(size_t bytes);
  std::atomic<uint32_t>& NextOf(uint32_t block) const {
    return *static_cast<std::atomic<uint32_t>*>(At(block));
  }

  unsigned char* units_ = nullptr;
  std::atomic<uint32_t> used_{1};
  std::atomic<uint64_t> free_[kSizes] = {};  // tag << 32 | block
};

}  // namespace assay::sampling
