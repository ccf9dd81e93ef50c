#include "src/profile/profile.h"

#include "src/base/hash.h"

namespace assay::profile {
namespace {

uint64_t HashMethod(std::string_view class_name, std::string_view name,
                    std::string_view descriptor) {
  return HashCombine(HashCombine(HashBytes(class_name), HashBytes(name)), HashBytes(descriptor));
}

uint64_t HashTriple(uint32_t a, int32_t bci, uint32_t b) {
  return HashCombine(static_cast<uint64_t>(a) << 32 | b, static_cast<uint32_t>(bci));
}

}  // namespace

Profile::Profile() { AddRoots(); }

void Profile::AddRoots() {
  methods_.push_back({});  // method 0: no method
  method_index_.Append(HashMethod("", "", ""), [](uint32_t) { return 0; });
  nodes_.push_back({.parent = kRootNode, .bci = kNoBci, .method = 0});
  node_index_.Append(HashTriple(kRootNode, kNoBci, 0), [](uint32_t) { return 0; });
}

void Profile::Restart() {
  const uint64_t next = edition_ + 1;
  *this = Profile();
  edition_ = next;
}

void Profile::ForgetGraph() {
  methods_ = {};
  edges_ = {};
  nodes_ = {};
  method_index_ = edge_index_ = node_index_ = {};
  edition_++;
  AddRoots();
}

uint32_t Profile::Lookup(uint64_t hash, std::string_view class_name, std::string_view name,
                         std::string_view descriptor) const {
  return method_index_.Find(hash, [&](uint32_t id) {
    const Method& method = methods_[id];
    return method.name == name && method.class_name == class_name &&
           method.descriptor == descriptor;
  });
}

MethodId Profile::FindMethod(std::string_view class_name, std::string_view name,
                             std::string_view descriptor) const {
  uint32_t found = Lookup(HashMethod(class_name, name, descriptor), class_name, name, descriptor);
  return found == FlatIndex::kNone ? 0 : found;
}

MethodId Profile::InternMethod(std::string_view class_name, std::string_view name,
                               std::string_view descriptor) {
  uint64_t hash = HashMethod(class_name, name, descriptor);
  uint32_t found = Lookup(hash, class_name, name, descriptor);
  if (found != FlatIndex::kNone) return found;
  method_index_.Append(hash, [this](uint32_t id) {
    return HashMethod(methods_[id].class_name, methods_[id].name, methods_[id].descriptor);
  });
  methods_.push_back({.class_name = std::string(class_name),
                      .name = std::string(name),
                      .descriptor = std::string(descriptor),
                      .source_file = {},
                      .lines = {}});
  return static_cast<MethodId>(methods_.size() - 1);
}

EdgeId Profile::InternEdge(MethodId caller, int32_t bci, MethodId callee) {
  uint64_t hash = HashTriple(caller, bci, callee);
  uint32_t found = edge_index_.Find(hash, [&](uint32_t id) {
    const Edge& edge = edges_[id];
    return edge.caller == caller && edge.bci == bci && edge.callee == callee;
  });
  if (found != FlatIndex::kNone) return found;
  edge_index_.Append(hash, [this](uint32_t id) {
    return HashTriple(edges_[id].caller, edges_[id].bci, edges_[id].callee);
  });
  edges_.push_back({.caller = caller, .bci = bci, .callee = callee});
  return static_cast<EdgeId>(edges_.size() - 1);
}

NodeId Profile::InternNode(NodeId parent, int32_t bci, MethodId method) {
  uint64_t hash = HashTriple(parent, bci, method);
  uint32_t found = node_index_.Find(hash, [&](uint32_t id) {
    const ContextNode& node = nodes_[id];
    return node.parent == parent && node.bci == bci && node.method == method;
  });
  if (found != FlatIndex::kNone) return found;
  node_index_.Append(hash, [this](uint32_t id) {
    return HashTriple(nodes_[id].parent, nodes_[id].bci, nodes_[id].method);
  });
  nodes_.push_back({.parent = parent, .bci = bci, .method = method});
  return static_cast<NodeId>(nodes_.size() - 1);
}

void Profile::Reserve(size_t methods, size_t edges, size_t nodes) {
  methods_.reserve(methods_.size() + methods);
  edges_.reserve(edges_.size() + edges);
  nodes_.reserve(nodes_.size() + nodes);
  edge_index_.Reserve(edges_.size() + edges, [this](uint32_t id) {
    return HashTriple(edges_[id].caller, edges_[id].bci, edges_[id].callee);
  });
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
