// The partial calling context tree of P4: a node per context with the time spent in it and the
// activations newly seen there, which are the weight of the edge from its caller. Nodes and edges are kept in order of
// weight, so the hottest are known at any time; weights can age with a half-life, and the lightest contexts are purged
// when there are too many. Not synchronized; never used in signal handlers.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "src/profile/flat_index.h"
#include "src/sampling/weight_order.h"

namespace assay::sampling {

class ContextTree {
 public:
  static constexpr uint32_t kRoot = 0;
  struct Node {
    uint32_t parent;
    int32_t bci;  // of the call in the parent's method
    uint32_t method;
    uint32_t in_profile = 0;
    double self_ns = 0;  // in units of the day: see Factor()
    double samples = 0;
    double activations = 0;
  };

  ContextTree();

  uint32_t Child(uint32_t parent, int32_t bci, uint32_t method);
  void AddTime(uint32_t node, double ns, double samples);
  void AddActivation(uint32_t node);

  // Weights halve every `half_life_ns`; 0 = never. Ageing is done by letting new weight count
  // more, so that it costs nothing per node; Factor() turns a stored weight into one of now.
  void SetHalfLife(uint64_t half_life_ns, uint64_t now_ns);
  void Advance(uint64_t now_ns);
  double Factor() const { return 1 / unit_; }

  // Removes the lightest contexts until at most `limit` are left - those that stay are heavy by time or by activations,
  // half and half - and those that ageing has left nothing of, except those `pinned` and their callers. Returns the new number of each old node,
  // kGone for those removed.
  static constexpr uint32_t kGone = UINT32_MAX;
  std::vector<uint32_t> Purge(size_t limit, std::span<const uint32_t> pinned);
  // Whether ageing went on for long enough since the last purge to be worth another one.
  bool FadingIsDue() const;
  // All weights to zero; only those `pinned` and their callers stay. Returns as Purge.
  std::vector<uint32_t> Restart(std::span<const uint32_t> pinned);

  const Node& node(uint32_t id) const { return nodes_[id]; }
  Node& node(uint32_t id) { return nodes_[id]; }
  size_t size() const { return nodes_.size(); }
  // Heaviest first: nodes by the time spent in them, and edges, named by the node they lead to, by activations.
  const std::vector<uint32_t>& by_time() const { return by_time_.ids(); }
  const std::vector<uint32_t>& by_activations() const { return by_activations_.ids(); }
  size_t MemoryBytes() const;
  uint64_t nodes_made() const { return nodes_made_; }
  // By Purge since the last Restart, those that faded apart.
  uint64_t purged_nodes() const { return purged_nodes_; }
  double purged_ns() const { return purged_ns_; }

 private:
  uint64_t HashOf(uint32_t id) const;
  void Rescale();
  bool HasFaded(const Node& node) const;
  size_t KeepPath(uint32_t id, std::vector<bool>& keep) const;
  std::vector<uint32_t> KeepOnly(const std::vector<bool>& keep);

  std::vector<Node> nodes_;
  WeightOrder by_time_, by_activations_;
  profile::FlatIndex index_;
  double unit_ = 1;  // what weight 1 counts now
  uint64_t half_life_ns_ = 0, since_ns_ = 0, faded_ns_ = 0;
  uint64_t nodes_made_ = 0, purged_nodes_ = 0;
  double purged_ns_ = 0;
};

}  // namespace assay::sampling
