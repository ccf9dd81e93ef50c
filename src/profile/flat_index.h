// A hash index from keys to 32-bit ids where the keys live elsewhere, in a vector indexed by id:
// open addressing, linear probing, four bytes per slot. Not synchronized.
#pragma once

#include <cstdint>
#include <vector>

namespace assay::profile {

class FlatIndex {
 public:
  static constexpr uint32_t kNone = ~0u;

  // Number of ids in the index. They are always 0 .. size() - 1.
  size_t size() const { return size_; }

  // The id whose key has this hash and satisfies `equal(id)`, or kNone.
  template <typename Equal>
  uint32_t Find(uint64_t hash, Equal equal) const {
    if (slots_.empty()) return kNone;
    for (size_t i = hash & mask_; slots_[i] != 0; i = (i + 1) & mask_) {
      if (equal(slots_[i] - 1)) return slots_[i] - 1;
    }
    return kNone;
  }

  // Adds the id size(), which must not be there under an equal key. `hash_of(id)` serves growth.
  template <typename HashOf>
  void Append(uint64_t hash, HashOf hash_of) {
    if ((size_ + 1) * 4 > slots_.size() * 3) Reserve(size_ * 2 + 8, hash_of);
    Place(hash, static_cast<uint32_t>(size_++));
  }

  template <typename HashOf>
  void Reserve(size_t count, HashOf hash_of) {
    size_t wanted = 16;
    while (wanted * 3 < count * 4) wanted *= 2;
    if (wanted <= slots_.size()) return;
    slots_ = std::vector<uint32_t>(wanted, 0);
    mask_ = wanted - 1;
    for (uint32_t id = 0; id < size_; ++id) Place(hash_of(id), id);
  }

  void Prefetch(uint64_t hash) const {
    if (!slots_.empty()) __builtin_prefetch(&slots_[hash & mask_]);
  }

  size_t MemoryBytes() const { return slots_.capacity() * sizeof(uint32_t); }

 private:
  void Place(uint64_t hash, uint32_t id) {
    size_t i = hash & mask_;
    while (slots_[i] != 0) i = (i + 1) & mask_;
    slots_[i] = id + 1;
  }

  std::vector<uint32_t> slots_;  // id + 1, or 0 when free
  size_t mask_ = 0;
  size_t size_ = 0;
};

}  // namespace assay::profile
