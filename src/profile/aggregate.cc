#include "src/profile/aggregate.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace assay::profile {

std::string MethodName(const Profile& profile, MethodId id) {
  return id == 0 ? std::string(kNativeCaller) : profile.method(id).ToString();
}

MethodId Outside(const Profile& profile) { return profile.FindMethod("", kNativeCaller, ""); }

std::vector<Edge> CallEdges(const Profile& profile) {
  if (!profile.edges().empty() || !HasContexts(profile)) return profile.edges();
  std::vector<Edge> edges;
  edges.reserve(profile.nodes().size());
  MethodId outside = Outside(profile);
  for (NodeId id = 1; id < profile.nodes().size(); ++id) {
    const ContextNode& node = profile.nodes()[id];
    bool outermost = node.parent == kRootNode;
    edges.push_back({.caller = outermost ? outside : profile.nodes()[node.parent].method,
                     .bci = node.bci,
                     .callee = node.method,
                     .samples = node.samples,
                     .weight = node.calls});
  }
  auto key = [](const Edge& e) { return std::tuple(e.caller, e.bci, e.callee); };
  std::sort(edges.begin(), edges.end(),
            [&](const Edge& a, const Edge& b) { return key(a) < key(b); });
  size_t kept = 0;
  for (size_t i = 0; i < edges.size(); ++i) {
    if (kept > 0 && key(edges[kept - 1]) == key(edges[i])) {
      edges[kept - 1].samples += edges[i].samples;
      edges[kept - 1].weight += edges[i].weight;
    } else {
      edges[kept++] = edges[i];
    }
  }
  edges.resize(kept);
  return edges;
}

double RelativeError(double weight, double variance) {
  constexpr double kNormal95 = 1.959963984540054;
  return weight > 0 ? kNormal95 * std::sqrt(std::max(0.0, variance)) / weight : 0;
}

std::vector<double> InclusiveSelf(const Profile& profile) {
  std::vector<double> total(profile.nodes().size());
  for (size_t id = total.size(); id-- > 0;) {
    const ContextNode& node = profile.nodes()[id];
    total[id] += node.self;
    if (id != kRootNode) total[node.parent] += total[id];
  }
  return total;
}

Children ChildrenOf(const Profile& profile) {
  const std::vector<ContextNode>& nodes = profile.nodes();
  Children children;
  children.start.assign(nodes.size() + 1, 0);
  children.list.resize(nodes.size() - 1);
  for (NodeId id = 1; id < nodes.size(); ++id) ++children.start[nodes[id].parent + 1];
  for (size_t i = 1; i < children.start.size(); ++i) children.start[i] += children.start[i - 1];
  std::vector<uint32_t> next(children.start.begin(), children.start.end() - 1);
  for (NodeId id = 1; id < nodes.size(); ++id) children.list[next[nodes[id].parent]++] = id;
  return children;
}

namespace {

// Adds to each method the inclusive self of its outermost activations: a walk through the tree that
// counts how often each method is on the way down.
void AddInclusive(const Profile& profile, std::vector<MethodTotals>& totals) {
  Children children = ChildrenOf(profile);
  std::vector<double> inclusive = InclusiveSelf(profile);
  std::vector<uint32_t> active(totals.size(), 0);
  std::vector<uint32_t> next(children.start.begin(), children.start.end() - 1);
  for (NodeId at = kRootNode;;) {
    const ContextNode& node = profile.nodes()[at];
    if (next[at] < children.start[at + 1]) {
      at = children.list[next[at]++];
      MethodId method = profile.nodes()[at].method;
      if (active[method]++ == 0) totals[method].total += inclusive[at];
    } else if (at == kRootNode) {
      return;
    } else {
      --active[node.method];
      at = node.parent;
    }
  }
}

}  // namespace

std::vector<MethodTotals> TotalsByMethod(const Profile& profile) {
  std::vector<MethodTotals> totals(profile.methods().size());
  for (MethodId id = 0; id < totals.size(); ++id) totals[id].method = id;
  for (const Edge& edge : CallEdges(profile)) {
    MethodTotals& callee = totals[edge.callee];
    callee.calls += edge.weight;
    callee.calls_variance += edge.variance;
    callee.samples += edge.samples;
    totals[edge.caller].calls_out += edge.weight;
  }
  std::vector<double> inclusive = InclusiveSelf(profile);
  for (const ContextNode& node : profile.nodes()) totals[node.method].self += node.self;
  AddInclusive(profile, totals);
  return totals;
}

std::vector<Site> CallSites(const Profile& profile) {
  std::vector<Edge> edges = CallEdges(profile);
  std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) {
    return std::tuple(a.caller, a.bci, -a.weight, a.callee) <
           std::tuple(b.caller, b.bci, -b.weight, b.callee);
  });
  std::vector<Site> sites;
  for (const Edge& edge : edges) {
    if (sites.empty() || sites.back().caller != edge.caller || sites.back().bci != edge.bci) {
      sites.push_back({.caller = edge.caller, .bci = edge.bci, .callees = {}});
    }
    Site& site = sites.back();
    site.weight += edge.weight;
    site.variance += edge.variance;
    site.samples += edge.samples;
    site.callees.push_back(edge);
  }
  return sites;
}

int LineOf(const Method& method, int32_t bci) {
  int line = 0;
  if (bci < 0) return line;
  // Entries need not be sorted in a class file (JVMS 4.7.12): the last start at or before the bci.
  int best = -1;
  for (const LineEntry& entry : method.lines) {
    if (entry.start_bci <= bci && entry.start_bci >= best) {
      best = entry.start_bci;
      line = entry.line;
    }
  }
  return line;
}

std::vector<MethodId> StackOf(const Profile& profile, NodeId node) {
  std::vector<MethodId> stack;
  for (; node != kRootNode; node = profile.nodes()[node].parent) {
    stack.push_back(profile.nodes()[node].method);
  }
  std::reverse(stack.begin(), stack.end());
  return stack;
}

bool HasContexts(const Profile& profile) { return profile.nodes().size() > 1; }

}  // namespace assay::profile
