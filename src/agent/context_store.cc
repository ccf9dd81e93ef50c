#include "src/agent/context_store.h"

#include "src/base/hash.h"

namespace assay::agent {
namespace {

// A context on a stack is negative.
int32_t Marked(uint32_t node) { return static_cast<int32_t>(~node); }
uint32_t Unmarked(int32_t entry) { return ~static_cast<uint32_t>(entry); }

}  // namespace

uint64_t ContextStore::HashOf(uint32_t parent, uint32_t method) {
  return Mix64(static_cast<uint64_t>(parent) << 32 | method);
}

uint32_t ContextStore::Child(uint32_t parent, uint32_t method) {
  if (index_.size() == 0) {
    index_.Append(HashOf(0, 0), [](uint32_t) { return HashOf(0, 0); });  // the root is node 0
  }
  const uint64_t hash = HashOf(parent, method);
  uint32_t found = index_.Find(hash, [&](uint32_t id) {
    return nodes_[id].parent == parent && nodes_[id].method == method;
  });
  if (found != profile::FlatIndex::kNone) return found;
  nodes_.push_back({parent, method});
  index_.Append(hash, [&](uint32_t id) { return HashOf(nodes_[id].parent, nodes_[id].method); });
  return static_cast<uint32_t>(nodes_.size() - 1);
}

void ContextStore::Add(int32_t* stack, int32_t depth, uint64_t bytecodes) {
  std::lock_guard lock(mutex_);
  int32_t known = depth;
  while (known > 0 && stack[known - 1] >= 0) --known;
  uint32_t node = known > 0 ? Unmarked(stack[known - 1]) : 0;
  if (node >= nodes_.size()) node = 0;
  for (; known < depth; ++known) {
    node = Child(node, static_cast<uint32_t>(stack[known]));
    stack[known] = Marked(node);
  }
  ++nodes_[node].samples;
  nodes_[node].bytecodes += bytecodes;
  ++samples_;
  bytecodes_ += bytecodes;
}

uint64_t ContextStore::samples() const {
  std::lock_guard lock(mutex_);
  return samples_;
}

uint64_t ContextStore::bytecodes() const {
  std::lock_guard lock(mutex_);
  return bytecodes_;
}

void ContextStore::Clear() {
  std::lock_guard lock(mutex_);
  for (Node& node : nodes_) node.samples = node.bytecodes = node.in_profile = 0;
  samples_ = bytecodes_ = 0;
}

void ContextStore::Fill(profile::Profile& profile,
                        const std::function<profile::MethodId(uint32_t)>& profile_method) {
  std::lock_guard lock(mutex_);
  std::vector<bool> used(nodes_.size());
  for (size_t id = nodes_.size(); id-- > 1;) {  // children come after their parents
    if (nodes_[id].samples != 0) used[id] = true;
    if (used[id]) used[nodes_[id].parent] = true;
  }
  for (uint32_t id = 1; id < nodes_.size(); ++id) {
    if (!used[id]) continue;
    Node& node = nodes_[id];
    if (node.in_profile == 0) {
      node.in_profile = profile.InternNode(nodes_[node.parent].in_profile, profile::kNoBci,
                                           profile_method(node.method));
    }
    auto& target = profile.node(node.in_profile);
    target.samples = node.samples;
    target.self = static_cast<double>(node.bytecodes);
  }
}

}  // namespace assay::agent
