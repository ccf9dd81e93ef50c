#include "src/profile/pairing.h"

#include <algorithm>

#include "src/profile/aggregate.h"

namespace assay::profile {
namespace {

// The id in `common` of each method of `profile`.
std::vector<MethodId> MapMethods(const Profile& profile, Profile& common) {
  std::vector<MethodId> map(profile.methods().size(), 0);
  for (MethodId id = 1; id < map.size(); ++id) {
    const Method& method = profile.method(id);
    map[id] = common.InternMethod(method.class_name, method.name, method.descriptor);
    Method& kept = common.method(map[id]);
    if (kept.lines.empty()) kept.lines = method.lines;
  }
  return map;
}

void Add(std::vector<double>& values, size_t index, double value) {
  if (index >= values.size()) values.resize(std::max(index + 1, values.size() * 2));
  values[index] += value;
}

void AddEdges(const Profile& profile, bool by_site, Paired& paired, std::vector<double>& values) {
  std::vector<MethodId> methods = MapMethods(profile, paired.common);
  for (const Edge& edge : CallEdges(profile)) {
    int32_t bci = by_site ? edge.bci : kNoBci;
    EdgeId id = paired.common.InternEdge(methods[edge.caller], bci, methods[edge.callee]);
    Add(values, id, edge.weight);
    Add(paired.variance, id, edge.variance);
  }
}

void Resize(Paired& paired, size_t size) {
  paired.a.resize(size);
  paired.b.resize(size);
  paired.variance.resize(size);
}

Paired PairEdges(const Profile& a, const Profile& b, bool by_site) {
  Paired paired;
  paired.common.Reserve(a.methods().size(), a.edges().size() + b.edges().size(), 0);
  AddEdges(a, by_site, paired, paired.a);
  AddEdges(b, by_site, paired, paired.b);
  Resize(paired, paired.common.edges().size());
  return paired;
}

double ValueOf(const ContextNode& node, ContextValue value) {
  switch (value) {
    case ContextValue::kCalls:
      return node.calls;
    case ContextValue::kSelf:
      return node.self;
    case ContextValue::kSamples:
      return static_cast<double>(node.samples);
  }
  return 0;
}

void AddContexts(const Profile& profile, ContextValue value, Profile& common,
                 std::vector<double>& values) {
  std::vector<MethodId> methods = MapMethods(profile, common);
  std::vector<NodeId> nodes(profile.nodes().size(), kRootNode);
  for (NodeId id = 1; id < nodes.size(); ++id) {
    const ContextNode& node = profile.nodes()[id];
    // Only some collectors see that a call came from outside Java.
    if (profile.method(node.method).class_name.empty()) {
      nodes[id] = nodes[node.parent];
      Add(values, nodes[id], ValueOf(node, value));
      continue;
    }
    nodes[id] = common.InternNode(nodes[node.parent], kNoBci, methods[node.method]);
    Add(values, nodes[id], ValueOf(node, value));
  }
}

Paired PairTotals(const Profile& a, const Profile& b, double MethodTotals::*value,
                  double MethodTotals::*variance) {
  Paired paired;
  auto add = [&](const Profile& profile, std::vector<double>& values) {
    std::vector<MethodId> methods = MapMethods(profile, paired.common);
    for (const MethodTotals& totals : TotalsByMethod(profile)) {
      Add(values, methods[totals.method], totals.*value);
      if (variance != nullptr) Add(paired.variance, methods[totals.method], totals.*variance);
    }
  };
  add(a, paired.a);
  add(b, paired.b);
  Resize(paired, paired.common.methods().size());
  return paired;
}

bool HasSelf(const Profile& profile) {
  for (const ContextNode& node : profile.nodes()) {
    if (node.self > 0) return true;
  }
  return false;
}

std::string Metadata(const Profile& profile, const char* key) {
  auto it = profile.metadata.find(key);
  return it == profile.metadata.end() ? std::string() : it->second;
}

}  // namespace

Status SameMeasure(const Profile& a, const Profile& b) {
  const std::string collectors[] = {Metadata(a, "collect"), Metadata(b, "collect")};
  if (collectors[0].empty() || collectors[1].empty()) return {};
  const bool contexts[] = {collectors[0] == "contexts", collectors[1] == "contexts"};
  if (contexts[0] != contexts[1]) {
    return Error{
        "activations that samples have met (collect=contexts) and what was counted (collect=" +
        collectors[contexts[0] ? 1 : 0] +
        ") are different things; record both with the same --collect"};
  }
  const std::string clocks[] = {Metadata(a, "clock"), Metadata(b, "clock")};
  if (contexts[0] && !clocks[0].empty() && !clocks[1].empty() && clocks[0] != clocks[1]) {
    return Error{"time by clock=" + clocks[0] + " and by clock=" + clocks[1] +
                 " are different things; record both with the same --clock"};
  }
  return {};
}

Paired PairCallSites(const Profile& a, const Profile& b) { return PairEdges(a, b, true); }
Paired PairMethodEdges(const Profile& a, const Profile& b) { return PairEdges(a, b, false); }

Paired PairContexts(const Profile& a, const Profile& b, ContextValue value) {
  Paired paired;
  AddContexts(a, value, paired.common, paired.a);
  AddContexts(b, value, paired.common, paired.b);
  Resize(paired, paired.common.nodes().size());
  return paired;
}

Paired PairMethods(const Profile& a, const Profile& b) {
  return PairTotals(a, b, &MethodTotals::calls, &MethodTotals::calls_variance);
}
Paired PairMethodSelf(const Profile& a, const Profile& b) {
  return PairTotals(a, b, &MethodTotals::self, nullptr);
}

bool ComparableSelf(const Profile& a, const Profile& b) {
  bool unit = a.self_unit == b.self_unit || a.self_unit == "samples" || b.self_unit == "samples";
  return unit && HasSelf(a) && HasSelf(b);
}

}  // namespace assay::profile
