// Numbers kept in order of a weight that only grows, heaviest first, so that the hottest are known at any time. A gain
// moves a number past those it overtook in one step for each different weight among them. Not synchronized.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace assay::sampling {

class WeightOrder {
 public:
  // The next number, of no weight.
  void Append() {
    place_.push_back(static_cast<uint32_t>(order_.size()));
    order_.push_back(static_cast<uint32_t>(order_.size()));
  }

  // After `id` gained weight; `weight_of` gives that of any number.
  template <typename WeightOf>
  void Rise(uint32_t id, const WeightOf& weight_of) {
    uint32_t place = place_[id];
    if (place == 0) return;
    const double weight = weight_of(id);
    // Those that weigh as much stay before it.
    auto end = std::lower_bound(order_.begin(), order_.begin() + place, weight,
                                [&](uint32_t other, double w) { return weight_of(other) >= w; });
    const auto target = static_cast<uint32_t>(end - order_.begin());
    while (place > target) {
      // The first of those that weigh as much as its neighbour changes places with it, which leaves the others in order.
      const double next = weight_of(order_[place - 1]);
      auto run = std::lower_bound(order_.begin() + target, order_.begin() + place, next,
                                  [&](uint32_t other, double w) { return weight_of(other) > w; });
      const auto first = static_cast<uint32_t>(run - order_.begin());
      Put(order_[first], place);
      place = first;
      Put(id, place);
    }
  }

  // Leaves out what is not kept and gives the rest new numbers.
  void Rename(const std::vector<bool>& keep, const std::vector<uint32_t>& renamed) {
    std::vector<uint32_t> order;
    for (uint32_t id : order_) {
      if (keep[id]) order.push_back(renamed[id]);
    }
    order_ = std::move(order);
    place_.assign(order_.size(), 0);
    for (uint32_t i = 0; i < order_.size(); i++) place_[order_[i]] = i;
  }

  const std::vector<uint32_t>& ids() const { return order_; }
  uint32_t place(uint32_t id) const { return place_[id]; }
  size_t MemoryBytes() const { return (order_.capacity() + place_.capacity()) * sizeof(uint32_t); }

 private:
  void Put(uint32_t id, uint32_t place) {
    order_[place] = id;
    place_[id] = place;
  }

  std::vector<uint32_t> order_;
  std::vector<uint32_t> place_;  // by number
};

}  // namespace assay::sampling
