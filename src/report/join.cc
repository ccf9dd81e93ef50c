#include "src/report/join.h"

#include <algorithm>
#include <numeric>

namespace assay::report {

using profile::ContextNode;
using profile::Edge;
using profile::EdgeId;
using profile::Method;
using profile::MethodId;
using profile::NodeId;
using profile::Profile;

Join::Join(std::vector<const Profile*> profiles)
    : profiles_(std::move(profiles)), edge_of_(profiles_.size()), node_of_(profiles_.size()) {
  if (profiles_.size() == 1) {
    frame_ = profiles_[0];
    return;
  }
  own_frame_ = std::make_unique<Profile>();
  for (size_t p = 0; p < profiles_.size(); ++p) Add(p, own_frame_.get());
  frame_ = own_frame_.get();
}

void Join::Add(size_t p, Profile* frame) {
  const Profile& from = *profiles_[p];
  std::vector<MethodId> method_of(from.methods().size());
  for (MethodId id = 1; id < method_of.size(); ++id) {
    const Method& method = from.method(id);
    method_of[id] = frame->InternMethod(method.class_name, method.name, method.descriptor);
    Method& target = frame->method(method_of[id]);
    if (target.source_file.empty()) target.source_file = method.source_file;
    if (target.code_bytes == 0) target.code_bytes = method.code_bytes;
    if (target.lines.empty()) target.lines = method.lines;
  }
  auto place = [](std::vector<uint32_t>* table, uint32_t at, uint32_t value) {
    if (at >= table->size()) table->resize(at + 1, kNone);
    (*table)[at] = value;
  };
  for (EdgeId id = 0; id < from.edges().size(); ++id) {
    const Edge& edge = from.edges()[id];
    const EdgeId target =
        frame->InternEdge(method_of[edge.caller], edge.bci, method_of[edge.callee]);
    place(&edge_of_[p], target, id);
  }
  std::vector<NodeId> node_of(from.nodes().size(), profile::kRootNode);
  place(&node_of_[p], profile::kRootNode, profile::kRootNode);
  for (NodeId id = 1; id < node_of.size(); ++id) {
    const ContextNode& node = from.nodes()[id];
    node_of[id] = frame->InternNode(node_of[node.parent], node.bci, method_of[node.method]);
    place(&node_of_[p], node_of[id], id);
  }
}

const Edge* Join::EdgeIn(size_t p, EdgeId id) const {
  if (own_frame_) id = id < edge_of_[p].size() ? edge_of_[p][id] : kNone;
  return id == kNone ? nullptr : &profiles_[p]->edges()[id];
}

const ContextNode* Join::NodeIn(size_t p, NodeId id) const {
  if (own_frame_) id = id < node_of_[p].size() ? node_of_[p][id] : kNone;
  return id == kNone ? nullptr : &profiles_[p]->nodes()[id];
}

std::vector<EdgeId> Join::HottestEdges(size_t limit) const {
  std::vector<double> share(frame_->edges().size(), 0);
  for (size_t p = 0; p < count(); ++p) {
    const double total = profiles_[p]->TotalEdgeWeight();
    if (!(total > 0)) continue;
    for (EdgeId id = 0; id < share.size(); ++id) {
      if (const Edge* edge = EdgeIn(p, id)) share[id] = std::max(share[id], edge->weight / total);
    }
  }
  std::vector<EdgeId> order(share.size());
  std::iota(order.begin(), order.end(), 0);
  auto hotter = [&](EdgeId a, EdgeId b) {
    return share[a] != share[b] ? share[a] > share[b] : a < b;
  };
  if (order.size() > limit) {
    std::nth_element(order.begin(), order.begin() + limit, order.end(), hotter);
    order.resize(limit);
  }
  std::sort(order.begin(), order.end(), hotter);
  return order;
}

namespace {

// Values by frame node, totals summed from the leaves: a child's id is above its parent's.
std::vector<ContextTree::Value> SumUp(const Join& join, size_t p) {
  const auto& nodes = join.frame().nodes();
  std::vector<ContextTree::Value> values(nodes.size());
  for (NodeId id = static_cast<NodeId>(nodes.size()); id-- > 0;) {
    ContextTree::Value& value = values[id];
    if (const ContextNode* node = join.NodeIn(p, id)) {
      value.self = node->self;
      value.calls = node->calls;
      value.samples = node->samples;
      value.total_self += node->self;
      value.total_calls += node->calls;
    }
    if (id == profile::kRootNode) break;
    values[nodes[id].parent].total_self += value.total_self;
    values[nodes[id].parent].total_calls += value.total_calls;
  }
  return values;
}

// Children of every node of `kept`, hottest first, as one array with a range per node.
struct Children {
  std::vector<uint32_t> first;  // by node, one more at the end
  std::vector<NodeId> nodes;
};

Children SortChildren(const std::vector<ContextNode>& nodes, const std::vector<NodeId>& kept) {
  Children children;
  children.first.assign(nodes.size() + 1, 0);
  for (NodeId id : kept) ++children.first[nodes[id].parent + 1];
  std::partial_sum(children.first.begin(), children.first.end(), children.first.begin());
  children.nodes.resize(kept.size());
  std::vector<uint32_t> next(children.first.begin(), children.first.end() - 1);
  for (NodeId id : kept) children.nodes[next[nodes[id].parent]++] = id;
  return children;
}

}  // namespace

ContextTree HottestContexts(const Join& join, size_t limit) {
  const auto& nodes = join.frame().nodes();
  std::vector<std::vector<ContextTree::Value>> sums;
  std::vector<double> rank(nodes.size(), 0);
  for (size_t p = 0; p < join.count(); ++p) {
    sums.push_back(SumUp(join, p));
    const ContextTree::Value& root = sums[p][profile::kRootNode];
    for (NodeId id = 1; id < nodes.size(); ++id) {
      const ContextTree::Value& value = sums[p][id];
      if (root.total_self > 0) rank[id] = std::max(rank[id], value.total_self / root.total_self);
      if (root.total_calls > 0) rank[id] = std::max(rank[id], value.total_calls / root.total_calls);
    }
  }
  // A parent ranks at least as high as its child and has the lower id, so a prefix is a tree.
  std::vector<NodeId> kept(nodes.size() - 1);
  std::iota(kept.begin(), kept.end(), 1);
  std::sort(kept.begin(), kept.end(),
            [&](NodeId a, NodeId b) { return rank[a] != rank[b] ? rank[a] > rank[b] : a < b; });
  ContextTree tree;
  tree.cut = kept.size() - std::min(kept.size(), limit);
  kept.resize(kept.size() - tree.cut);
  const Children children = SortChildren(nodes, kept);

  std::vector<std::pair<NodeId, uint32_t>> pending;  // node, depth
  auto push_children = [&](NodeId id, uint32_t depth) {
    for (uint32_t i = children.first[id + 1]; i-- > children.first[id];) {
      pending.push_back({children.nodes[i], depth});
    }
  };
  push_children(profile::kRootNode, 0);
  while (!pending.empty()) {
    const auto [id, depth] = pending.back();
    pending.pop_back();
    tree.node.push_back(id);
    tree.depth.push_back(depth);
    push_children(id, depth + 1);
  }
  for (const auto& sum : sums) {
    std::vector<ContextTree::Value>& values = tree.values.emplace_back();
    for (NodeId id : tree.node) values.push_back(sum[id]);
  }
  return tree;
}

}  // namespace assay::report
