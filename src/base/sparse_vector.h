// A vector of which few elements are used, whose memory follows those that are, but for four bytes per index up to the
// largest: reading one that was never written gives a default value. References hold until another element is made.
// One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace assay {

template <typename T>
class SparseVector {
 public:
  T& operator[](uint32_t index) {
    if (index >= places_.size()) places_.resize(index + size_t{1});
    uint32_t& place = places_[index];
    if (place == kNone) place = TakePlace();
    return elements_[place - 1];
  }
  const T& operator[](uint32_t index) const {
    static const T kDefault{};
    const uint32_t place = index < places_.size() ? places_[index] : kNone;
    return place == kNone ? kDefault : elements_[place - 1];
  }
  void Erase(uint32_t index) {
    const uint32_t place = index < places_.size() ? std::exchange(places_[index], kNone) : kNone;
    if (place == kNone) return;
    elements_[place - 1] = T{};
    free_.push_back(place);
  }
  size_t used() const { return elements_.size() - free_.size(); }

 private:
  static constexpr uint32_t kNone = 0;
  uint32_t TakePlace() {
    if (free_.empty()) {
      elements_.emplace_back();
      return static_cast<uint32_t>(elements_.size());
    }
    const uint32_t place = free_.back();
    free_.pop_back();
    return place;
  }

  std::vector<uint32_t> places_;  // by index: in elements_, plus one
  std::vector<T> elements_;
  std::vector<uint32_t> free_;
};

}  // namespace assay
