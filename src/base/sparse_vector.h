// A vector of which few elements are used, whose memory follows those that are: reading one that was never
// written gives a default value. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>

namespace assay {

template <typename T>
class SparseVector {
 public:
  T& operator[](uint32_t index) { return elements_[index]; }
  const T& operator[](uint32_t index) const {
    static const T kDefault{};
    auto it = elements_.find(index);
    return it == elements_.end() ? kDefault : it->second;
  }
  void Erase(uint32_t index) { elements_.erase(index); }
  size_t used() const { return elements_.size(); }

 private:
  std::unordered_map<uint32_t, T> elements_;
};

}  // namespace assay
