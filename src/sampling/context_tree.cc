#include "src/sampling/context_tree.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "src/base/hash.h"

namespace assay::sampling {
namespace {

uint64_t KeyHash(uint32_t parent, int32_t bci, uint32_t method) {
  return HashCombine(HashCombine(parent, static_cast<uint32_t>(bci)), method);
}

constexpr double kLargestUnit = 1e100;
// A context has faded when less than this is left of everything it had: one sample does so in ten
// half-lives.
constexpr double kFadedSamples = 1.0 / 1024, kFadedNs = 1000;
constexpr uint64_t kFadeEveryNs = 1000000000;  // at most

}  // namespace

ContextTree::ContextTree() {
  nodes_.push_back({kRoot, -1, UINT32_MAX});
  by_time_.Append();
  by_activations_.Append();
  index_.Append(HashOf(kRoot), [this](uint32_t id) { return HashOf(id); });
}

uint64_t ContextTree::HashOf(uint32_t id) const {
  return KeyHash(nodes_[id].parent, nodes_[id].bci, nodes_[id].method);
}

uint32_t ContextTree::Child(uint32_t parent, int32_t bci, uint32_t method) {
  uint64_t hash = KeyHash(parent, bci, method);
  uint32_t found = index_.Find(hash, [&](uint32_t id) {
    return nodes_[id].parent == parent && nodes_[id].bci == bci && nodes_[id].method == method;
  });
  if (found != profile::FlatIndex::kNone) return found;
  auto id = static_cast<uint32_t>(nodes_.size());
  nodes_.push_back({parent, bci, method});
  by_time_.Append();
  by_activations_.Append();
  nodes_made_++;
  index_.Append(hash, [this](uint32_t at) { return HashOf(at); });
  return id;
}

void ContextTree::AddTime(uint32_t id, double ns, double samples) {
  nodes_[id].self_ns += ns * unit_;
  nodes_[id].samples += samples * unit_;
  by_time_.Rise(id, [this](uint32_t node) { return nodes_[node].self_ns; });
}

void ContextTree::AddActivation(uint32_t id) {
  nodes_[id].activations += unit_;
  by_activations_.Rise(id, [this](uint32_t node) { return nodes_[node].activations; });
}

void ContextTree::SetHalfLife(uint64_t half_life_ns, uint64_t now_ns) {
  Advance(now_ns);
  Rescale();
  half_life_ns_ = half_life_ns;
  since_ns_ = faded_ns_ = now_ns;
}

void ContextTree::Advance(uint64_t now_ns) {
  if (half_life_ns_ == 0 || now_ns <= since_ns_) return;
  double lives = static_cast<double>(now_ns - since_ns_) / static_cast<double>(half_life_ns_);
  // A pause of thousands of half-lives leaves nothing of what was before.
  unit_ *= std::exp2(std::min(lives, 300.0));
  since_ns_ = now_ns;
  if (unit_ > kLargestUnit) Rescale();
}

void ContextTree::Rescale() {
  for (Node& node : nodes_) {
    node.self_ns /= unit_;
    node.samples /= unit_;
    node.activations /= unit_;
  }
  unit_ = 1;
}

bool ContextTree::HasFaded(const Node& node) const {
  if (half_life_ns_ == 0) return node.samples == 0 && node.activations == 0 && node.self_ns == 0;
  return node.samples < kFadedSamples * unit_ && node.activations < kFadedSamples * unit_ &&
         node.self_ns < kFadedNs * unit_;
}

bool ContextTree::FadingIsDue() const {
  return half_life_ns_ > 0 && since_ns_ - faded_ns_ >= std::max(half_life_ns_, kFadeEveryNs);
}

size_t ContextTree::KeepPath(uint32_t id, std::vector<bool>& keep) const {
  size_t kept = 0;
  for (; !keep[id]; id = nodes_[id].parent, kept++) keep[id] = true;
  return kept;
}

std::vector<uint32_t> ContextTree::Purge(size_t limit, std::span<const uint32_t> pinned) {
  faded_ns_ = since_ns_;
  std::vector<bool> keep(nodes_.size());
  size_t kept = KeepPath(kRoot, keep);
  for (uint32_t id : pinned) kept += KeepPath(id, keep);
  for (size_t i = 0; i < nodes_.size() && kept < limit; i++) {
    for (uint32_t id : {by_time()[i], by_activations()[i]}) {
      if (kept < limit && !HasFaded(nodes_[id])) kept += KeepPath(id, keep);
    }
  }
  for (uint32_t id = 0; id < nodes_.size(); id++) {
    if (keep[id] || HasFaded(nodes_[id])) continue;
    purged_nodes_++;
    purged_ns_ += nodes_[id].self_ns / unit_;
  }
  return KeepOnly(keep);
}

std::vector<uint32_t> ContextTree::Restart(std::span<const uint32_t> pinned) {
  std::vector<bool> keep(nodes_.size());
  KeepPath(kRoot, keep);
  for (uint32_t id : pinned) KeepPath(id, keep);
  for (Node& node : nodes_) node.self_ns = node.samples = node.activations = 0;
  unit_ = 1;
  purged_nodes_ = 0;
  purged_ns_ = 0;
  return KeepOnly(keep);
}

std::vector<uint32_t> ContextTree::KeepOnly(const std::vector<bool>& keep) {
  std::vector<uint32_t> renamed(nodes_.size(), kGone);
  std::vector<Node> left;
  left.reserve(static_cast<size_t>(std::count(keep.begin(), keep.end(), true)));
  for (uint32_t id = 0; id < nodes_.size(); id++) {  // a parent comes before its children
    if (!keep[id]) continue;
    renamed[id] = static_cast<uint32_t>(left.size());
    left.push_back(nodes_[id]);
    left.back().parent = renamed[nodes_[id].parent];
    left.back().in_profile = 0;
  }
  nodes_ = std::move(left);
  by_time_.Rename(keep, renamed);
  by_activations_.Rename(keep, renamed);
  index_ = {};
  for (uint32_t id = 0; id < nodes_.size(); id++) {
    index_.Append(HashOf(id), [this](uint32_t at) { return HashOf(at); });
  }
  return renamed;
}

size_t ContextTree::MemoryBytes() const {
  return nodes_.capacity() * sizeof(Node) + by_time_.MemoryBytes() + by_activations_.MemoryBytes() +
         index_.MemoryBytes();
}

}  // namespace assay::sampling
