#include "src/agent/exact_snapshot.h"

#include <unordered_map>
#include <vector>

#include "src/base/hash.h"

namespace assay::agent {
namespace {

using profile::MethodId;
using profile::NodeId;
using profile::Profile;

// The siblings of a node are its trie links; both they and the children are visited.
template <typename Visit>
void ForEachChild(const ExactNode& node, Visit visit) {
  std::vector<ExactNode*> pending;
  if (ExactNode* first = node.children.load(std::memory_order_acquire)) pending.push_back(first);
  while (!pending.empty()) {
    ExactNode* child = pending.back();
    pending.pop_back();
    for (auto& sibling : child->siblings) {
      if (ExactNode* next = sibling.load(std::memory_order_acquire)) pending.push_back(next);
    }
    visit(*child);
  }
}

class Filler {
 public:
  Filler(ExactRegistry& registry, Profile& profile) : registry_(registry), profile_(profile) {
    vm_ = profile.InternMethod("", profile::kVmCaller, "");
    native_ = profile.InternMethod("", profile::kNativeCaller, "");
  }

  void AddUnflushed(const ExactFrame& frame) { unflushed_[frame.node] += frame.bytecodes; }

  void FillContexts(const ExactNode& root) {
    std::vector<std::pair<const ExactNode*, NodeId>> pending{{&root, profile::kRootNode}};
    while (!pending.empty()) {
      auto [parent, parent_id] = pending.back();
      pending.pop_back();
      ForEachChild(*parent, [&, parent_id = parent_id](const ExactNode& child) {
        pending.push_back({&child, FillNode(child, parent_id)});
      });
    }
  }

  // Contexts past the budget: only their edges are known.
  void FillEdgesOnly(const ExactNode& overflow) {
    ForEachChild(overflow, [&](const ExactNode& child) { CountEdge(child, Callee(child)); });
  }

  void SetEdges() {
    for (const auto& [key, count] : edges_) {
      auto& edge = profile_.edge(profile_.InternEdge(key.caller, key.bci, key.callee));
      edge.samples = count;
      edge.weight = static_cast<double>(count);
    }
  }

 private:
  struct EdgeKey {
    MethodId caller;
    int32_t bci;
    MethodId callee;
    bool operator==(const EdgeKey&) const = default;
  };
  struct EdgeHash {
    size_t operator()(const EdgeKey& key) const {
      return HashCombine(static_cast<uint64_t>(key.caller) << 32 | key.callee,
                         static_cast<uint32_t>(key.bci));
    }
  };
  struct Caller {
    MethodId method;
    int32_t bci;
  };

  Caller CallerOf(uint32_t site) {
    if (site == ExactMemory::kFromVm) return {vm_, profile::kNoBci};
    if (site == ExactMemory::kFromNative) return {native_, profile::kNoBci};
    auto info = registry_.site(site);
    return {registry_.ProfileMethod(profile_, info.method), info.bci};
  }

  MethodId Callee(const ExactNode& node) {
    return node.method() != 0 ? registry_.ProfileMethod(profile_, node.method())
                              : registry_.ProfileTarget(profile_, node.site());
  }

  void CountEdge(const ExactNode& node, MethodId callee) {
    uint64_t calls = node.calls.load(std::memory_order_relaxed);
    if (calls == 0) return;
    Caller caller = CallerOf(node.site());
    edges_[{caller.method, caller.bci, callee}] += calls;
  }

  NodeId FillNode(const ExactNode& node, NodeId parent) {
    MethodId callee = Callee(node);
    Caller caller = CallerOf(node.site());
    NodeId above = parent;
    if (caller.bci == profile::kNoBci) {
      above = profile_.InternNode(parent, profile::kNoBci, caller.method);
    }
    NodeId id = profile_.InternNode(above, caller.bci, callee);
    uint64_t calls = node.calls.load(std::memory_order_relaxed);
    uint64_t bytecodes = node.bytecodes.load(std::memory_order_relaxed);
    if (auto it = unflushed_.find(&node); it != unflushed_.end()) bytecodes += it->second;
    auto& target = profile_.node(id);
    if (id >= filled_.size()) filled_.resize(profile_.nodes().size() + 1024);
    if (!filled_[id]) target.samples = 0, target.calls = 0, target.self = 0;
    filled_[id] = true;
    target.samples += calls;
    target.calls += static_cast<double>(calls);
    target.self += static_cast<double>(bytecodes);
    if (calls != 0) edges_[{caller.method, caller.bci, callee}] += calls;
    return id;
  }

  ExactRegistry& registry_;
  Profile& profile_;
  // Two nodes of the tree can be one context: a method counted by its entry probe, and by its
  // caller where the compiler replaced the call by an intrinsic.
  std::vector<bool> filled_;
  MethodId vm_;
  MethodId native_;
  std::unordered_map<EdgeKey, uint64_t, EdgeHash> edges_;
  std::unordered_map<const ExactNode*, uint64_t> unflushed_;
};

}  // namespace

void FillProfile(ExactMemory& memory, ExactRegistry& registry, bool with_live_frames,
                 Profile& profile) {
  Filler filler(registry, profile);
  if (with_live_frames) {
    memory.ForEachLiveFrame([&](const ExactFrame& frame) { filler.AddUnflushed(frame); });
  }
  profile.self_unit = "bytecodes";
  filler.FillContexts(*memory.root());
  filler.FillEdgesOnly(*memory.overflow());
  filler.SetEdges();
  registry.MoveNotes(profile);
  if (memory.dropped() != 0)
    profile.lost["calls counted by edge only (--max-contexts)"] = memory.dropped();
}

void ResetCounts(ExactMemory& memory) {
  memory.ResetDropped();
  std::vector<ExactNode*> pending{memory.root(), memory.overflow()};
  while (!pending.empty()) {
    ExactNode* node = pending.back();
    pending.pop_back();
    node->calls = 0;
    node->bytecodes = 0;
    ForEachChild(*node, [&](ExactNode& child) { pending.push_back(&child); });
  }
}

}  // namespace assay::agent
