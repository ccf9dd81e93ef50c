// The context tree as a profile.
#include <cmath>
#include <utility>

#include "src/profile/names.h"
#include "src/sampling/hotspot/context_ledger.h"

namespace assay::sampling {

profile::MethodId ContextLedger::MethodOf(profile::Profile& profile, uint32_t method) {
  if (method == kVmMethod) return profile.InternMethod("", profile::kVmCaller, "");
  if (method == kDetachedMethod) return profile.InternMethod("", "<detached>", "");
  if (method >= kUnknownMethod) return profile.InternMethod("", "<unknown>", "");
  if (method >= profile_ids_.size()) profile_ids_.resize(method + 1, UINT32_MAX);
  if (profile_ids_[method] == UINT32_MAX) {
    MethodName name = compiled_->Name(method);
    profile_ids_[method] = profile.InternMethod(
        profile::StableClassName(std::move(name.class_name)), name.name, name.descriptor);
    profile::Method& described = profile.method(profile_ids_[method]);
    described.source_file = std::move(name.source_file);
    described.code_bytes = name.code_bytes;
    described.lines = std::move(name.lines);
  }
  return profile_ids_[method];
}

void ContextLedger::Fill(profile::Profile& profile) {
  compiled_->NameDeclared();
  if (std::exchange(renumbered_, false)) {
    profile.ForgetGraph();
    profile_ids_.clear();
  }
  for (profile::EdgeId id = 0; id < profile.edges().size(); id++) {
    profile.edge(id).samples = 0;
    profile.edge(id).weight = profile.edge(id).variance = 0;
  }
  for (profile::NodeId id = 0; id < profile.nodes().size(); id++) {
    profile.node(id).samples = 0;
    profile.node(id).calls = profile.node(id).self = 0;
  }
  std::vector<bool> used(tree_.size());
  for (uint32_t id = static_cast<uint32_t>(tree_.size()); id-- > 1;) {  // callers come first
    const ContextTree::Node& node = tree_.node(id);
    if (node.samples > 0 || node.self_ns > 0 || node.activations > 0) used[id] = true;
    if (used[id]) used[node.parent] = true;
  }
  double factor = tree_.Factor();
  for (uint32_t id = 1; id < tree_.size(); id++) {
    ContextTree::Node& node = tree_.node(id);
    if (!used[id]) continue;
    uint32_t parent =
        node.parent == ContextTree::kRoot ? profile::kRootNode : tree_.node(node.parent).in_profile;
    profile::MethodId method = MethodOf(profile, node.method);
    if (node.in_profile == 0) node.in_profile = profile.InternNode(parent, node.bci, method);
    profile::ContextNode& target = profile.node(node.in_profile);
    // Methods of hidden classes may share a name, and contexts through them a place in the profile.
    double calls = node.activations * factor;
    target.samples += static_cast<uint64_t>(std::llround(node.samples * factor));
    target.calls += calls;
    target.self += node.self_ns * factor;
    if (node.parent == ContextTree::kRoot || node.activations == 0) continue;
    profile.AddEdge(MethodOf(profile, tree_.node(node.parent).method), node.bci, method,
                    static_cast<uint64_t>(std::llround(calls)), calls, calls);
  }
  profile.self_unit = "ns";
  for (const auto& [reason, count] : lost_) profile.lost[reason] = count;
  if (tree_.purged_nodes() > 0) {
    profile.lost["contexts purged"] = tree_.purged_nodes();
    profile.lost["microseconds in contexts purged"] =
        static_cast<uint64_t>(tree_.purged_ns() / 1000);
  }
  auto& metadata = profile.metadata;
  metadata["samples-taken"] = std::to_string(samples_);
  metadata["time-ms"] = std::to_string(static_cast<double>(time_ns_) / 1e6);
  metadata["contexts-made"] = std::to_string(tree_.nodes_made());
  metadata["contexts-held"] = std::to_string(tree_.size() - 1);
  metadata["contexts-kb"] = std::to_string(tree_.MemoryBytes() / 1024);
  metadata["activations-seen"] = std::to_string(activations_);
  if (compared_ > 0) {
    metadata["walks-compared"] = std::to_string(compared_);
    metadata["walks-not-compared"] = std::to_string(not_compared_);
    metadata["walks-compared-in-part"] = std::to_string(cut_short_);
    metadata["walks-that-differ"] = std::to_string(disagreed_);
    if (disagreed_ > 0) metadata["first-difference"] = first_disagreement_;
  }
}

}  // namespace assay::sampling
