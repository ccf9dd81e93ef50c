#include "src/cli/ranking.h"

#include <tuple>

namespace assay::cli {

using profile::ContextNode;
using profile::Edge;
using profile::MethodId;
using profile::MethodName;
using profile::MethodTotals;
using profile::NodeId;
using profile::Profile;
using profile::Site;

std::vector<Edge> TopEdges(const Profile& profile, size_t top) {
  std::vector<Edge> edges = profile::CallEdges(profile);
  KeepTop(edges, top, [&](const Edge& a, const Edge& b) {
    if (a.weight != b.weight) return a.weight > b.weight;
    if (a.caller != b.caller) return MethodName(profile, a.caller) < MethodName(profile, b.caller);
    if (a.bci != b.bci) return a.bci < b.bci;
    return MethodName(profile, a.callee) < MethodName(profile, b.callee);
  });
  return edges;
}

std::vector<MethodTotals> TopMethods(const Profile& profile, size_t top) {
  std::vector<MethodTotals> totals = profile::TotalsByMethod(profile);
  std::erase_if(totals, [](const MethodTotals& t) {
    return t.method == 0 || (t.calls == 0 && t.self == 0 && t.samples == 0);
  });
  bool by_self = ContextMeasure(profile) == Measure::kSelf;
  KeepTop(totals, top, [&](const MethodTotals& a, const MethodTotals& b) {
    double x = by_self ? a.self : a.calls, y = by_self ? b.self : b.calls;
    if (x != y) return x > y;
    return MethodName(profile, a.method) < MethodName(profile, b.method);
  });
  return totals;
}

std::vector<Site> TopSites(const Profile& profile, size_t top) {
  std::vector<Site> sites = profile::CallSites(profile);
  KeepTop(sites, top, [&](const Site& a, const Site& b) {
    if (a.weight != b.weight) return a.weight > b.weight;
    if (a.caller != b.caller) return MethodName(profile, a.caller) < MethodName(profile, b.caller);
    return a.bci < b.bci;
  });
  return sites;
}

Measure ContextMeasure(const Profile& profile) {
  bool calls = false;
  for (const ContextNode& node : profile.nodes()) {
    if (node.self > 0) return Measure::kSelf;
    calls = calls || node.calls > 0;
  }
  return calls ? Measure::kCalls : Measure::kSamples;
}

double ValueOf(const ContextNode& node, Measure measure) {
  switch (measure) {
    case Measure::kSelf:
      return node.self;
    case Measure::kCalls:
      return node.calls;
    case Measure::kSamples:
      return static_cast<double>(node.samples);
  }
  return 0;
}

std::vector<NodeId> TopContexts(const Profile& profile, size_t top) {
  const std::vector<ContextNode>& nodes = profile.nodes();
  Measure measure = ContextMeasure(profile);
  std::vector<NodeId> ids;
  for (NodeId id = 1; id < nodes.size(); ++id) {
    if (nodes[id].self > 0 || nodes[id].calls > 0 || nodes[id].samples > 0) ids.push_back(id);
  }
  auto names = [&](NodeId id) {
    std::vector<std::string> names;
    for (MethodId method : profile::StackOf(profile, id)) {
      names.push_back(MethodName(profile, method));
    }
    return names;
  };
  KeepTop(ids, top, [&](NodeId a, NodeId b) {
    double x = ValueOf(nodes[a], measure), y = ValueOf(nodes[b], measure);
    if (x != y) return x > y;
    if (a == b) return false;
    return std::tuple(names(a), nodes[a].bci, a) < std::tuple(names(b), nodes[b].bci, b);
  });
  return ids;
}

}  // namespace assay::cli
