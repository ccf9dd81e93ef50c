#include "src/profile/profile.h"

namespace assay::profile {

Profile::Profile() {
  methods_.push_back({});  // method 0: no method
  nodes_.push_back({.parent = kRootNode, .bci = kNoBci, .method = 0});
}

MethodId Profile::InternMethod(std::string_view class_name, std::string_view name,
                               std::string_view descriptor) {
  std::string key;
  key.reserve(class_name.size() + name.size() + descriptor.size() + 2);
  key.append(class_name).append(1, '\0').append(name).append(1, '\0').append(descriptor);
  auto [it, added] = method_ids_.try_emplace(std::move(key), static_cast<MethodId>(methods_.size()));
  if (added) {
    methods_.push_back({.class_name = std::string(class_name),
                        .name = std::string(name),
                        .descriptor = std::string(descriptor)});
  }
  return it->second;
}

EdgeId Profile::InternEdge(MethodId caller, int32_t bci, MethodId callee) {
  Key key{static_cast<uint64_t>(caller) << 32 | callee, static_cast<uint32_t>(bci)};
  auto [it, added] = edge_ids_.try_emplace(key, static_cast<EdgeId>(edges_.size()));
  if (added) edges_.push_back({.caller = caller, .bci = bci, .callee = callee});
  return it->second;
}

NodeId Profile::InternNode(NodeId parent, int32_t bci, MethodId method) {
  Key key{static_cast<uint64_t>(parent) << 32 | method, static_cast<uint32_t>(bci)};
  auto [it, added] = node_ids_.try_emplace(key, static_cast<NodeId>(nodes_.size()));
  if (added) nodes_.push_back({.parent = parent, .bci = bci, .method = method});
  return it->second;
}

void Profile::AddEdge(MethodId caller, int32_t bci, MethodId callee, uint64_t samples,
                      double weight, double variance) {
  Edge& edge = edges_[InternEdge(caller, bci, callee)];
  edge.samples += samples;
  edge.weight += weight;
  edge.variance += variance;
}

double Profile::TotalEdgeWeight() const {
  double total = 0;
  for (const Edge& edge : edges_) total += edge.weight;
  return total;
}

}  // namespace assay::profile
