#include "src/profile/canonical.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "src/profile/aggregate.h"

namespace assay::profile {
namespace {

auto NameOf(const Method& method) {
  return std::tie(method.class_name, method.name, method.descriptor);
}

std::vector<bool> Mentioned(const Profile& profile) {
  std::vector<bool> used(profile.methods().size());
  for (const Edge& edge : profile.edges()) used[edge.caller] = used[edge.callee] = true;
  for (const ContextNode& node : profile.nodes()) used[node.method] = true;
  return used;
}

// The number of each method in the result, where they are in the order of their names.
std::vector<MethodId> PlaceMethods(const Profile& profile, Profile& result) {
  std::vector<bool> used = Mentioned(profile);
  std::vector<MethodId> order;
  for (MethodId id = 1; id < profile.methods().size(); ++id) {
    if (used[id]) order.push_back(id);
  }
  std::sort(order.begin(), order.end(), [&](MethodId a, MethodId b) {
    return NameOf(profile.method(a)) < NameOf(profile.method(b));
  });
  std::vector<MethodId> places(profile.methods().size(), 0);
  for (MethodId id : order) {
    const Method& method = profile.method(id);
    places[id] = result.InternMethod(method.class_name, method.name, method.descriptor);
    result.method(places[id]) = method;
  }
  return places;
}

void PlaceEdges(const Profile& profile, const std::vector<MethodId>& places, Profile& result) {
  std::vector<Edge> edges = profile.edges();
  for (Edge& edge : edges) {
    edge.caller = places[edge.caller];
    edge.callee = places[edge.callee];
  }
  std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) {
    return std::tie(a.caller, a.bci, a.callee) < std::tie(b.caller, b.bci, b.callee);
  });
  for (const Edge& edge : edges) {
    result.AddEdge(edge.caller, edge.bci, edge.callee, edge.samples, edge.weight, edge.variance);
  }
}

void PlaceNodes(const Profile& profile, const std::vector<MethodId>& places, Profile& result) {
  Children children = ChildrenOf(profile);
  struct Pending {
    NodeId old;
    NodeId parent;  // in the result
  };
  std::vector<Pending> pending;
  auto push_children = [&](NodeId old, NodeId placed) {
    std::vector<NodeId> list(children.list.begin() + children.start[old],
                             children.list.begin() + children.start[old + 1]);
    // The last one pushed is the first one taken.
    std::sort(list.begin(), list.end(), [&](NodeId a, NodeId b) {
      const ContextNode& x = profile.nodes()[a];
      const ContextNode& y = profile.nodes()[b];
      return std::pair(places[x.method], x.bci) > std::pair(places[y.method], y.bci);
    });
    for (NodeId id : list) pending.push_back({id, placed});
  };
  push_children(kRootNode, kRootNode);
  while (!pending.empty()) {
    Pending next = pending.back();
    pending.pop_back();
    const ContextNode& node = profile.nodes()[next.old];
    NodeId placed = result.InternNode(next.parent, node.bci, places[node.method]);
    ContextNode& target = result.node(placed);
    target.samples = node.samples;
    target.calls = node.calls;
    target.self = node.self;
    push_children(next.old, placed);
  }
}

}  // namespace

Profile Canonical(const Profile& profile) {
  Profile result;
  result.metadata = profile.metadata;
  result.self_unit = profile.self_unit;
  result.threads = profile.threads;
  result.ticks = profile.ticks;
  result.tables = profile.tables;
  result.lost = profile.lost;
  result.skipped_methods = profile.skipped_methods;
  for (auto& [name, table] : result.tables) {
    std::sort(table.rows.begin(), table.rows.end(),
              [](const TableRow& a, const TableRow& b) { return a.key < b.key; });
  }
  std::sort(result.skipped_methods.begin(), result.skipped_methods.end(),
            [](const SkippedMethod& a, const SkippedMethod& b) {
              return std::tie(a.method, a.reason) < std::tie(b.method, b.reason);
            });
  std::vector<MethodId> places = PlaceMethods(profile, result);
  PlaceEdges(profile, places, result);
  PlaceNodes(profile, places, result);
  return result;
}

void RemoveCircumstances(Profile& profile) {
  for (const char* name : {"command", "duration", "flush", "jvm", "jvm-version", "machine", "output",
                           "pid", "processors", "start"}) {
    profile.metadata.erase(name);
  }
}

}  // namespace assay::profile
