#include "src/export/stacks.h"

#include <algorithm>
#include <cmath>

#include "src/profile/aggregate.h"

namespace assay::exporting {

using profile::ContextNode;
using profile::Edge;
using profile::kNoBci;
using profile::NodeId;
using profile::Profile;

namespace {

bool HasSelf(const Profile& profile) {
  return std::any_of(profile.nodes().begin(), profile.nodes().end(),
                     [](const ContextNode& node) { return node.self > 0; });
}

void ContextStacks(const Profile& profile, const std::function<void(const StackView&)>& visit) {
  bool self = HasSelf(profile);
  std::vector<Frame> frames;
  std::vector<int64_t> values;
  for (NodeId id = 1; id < profile.nodes().size(); ++id) {
    const ContextNode& node = profile.nodes()[id];
    values.clear();
    if (self) values.push_back(Rounded(node.self));
    values.push_back(Rounded(node.calls));
    values.push_back(Rounded(node.samples));
    if (std::all_of(values.begin(), values.end(), [](int64_t v) { return v == 0; })) continue;
    frames.clear();
    int32_t bci = kNoBci;
    for (NodeId at = id; at != profile::kRootNode; at = profile.nodes()[at].parent) {
      frames.push_back({profile.nodes()[at].method, bci});
      bci = profile.nodes()[at].bci;
    }
    std::reverse(frames.begin(), frames.end());
    visit({frames, values});
  }
}

void EdgeStacks(const Profile& profile, const std::function<void(const StackView&)>& visit) {
  std::vector<Frame> frames(2);
  std::vector<int64_t> values(2);
  for (const Edge& edge : profile.edges()) {
    frames[0] = {edge.caller, edge.bci};
    frames[1] = {edge.callee, kNoBci};
    values[0] = Rounded(edge.weight);
    values[1] = Rounded(edge.samples);
    if (values[0] != 0 || values[1] != 0) visit({frames, values});
  }
}

}  // namespace

int64_t Rounded(double value) {
  return value < 9.2e18 ? static_cast<int64_t>(std::llround(value)) : INT64_MAX;
}

int64_t Rounded(uint64_t value) {
  return value <= INT64_MAX ? static_cast<int64_t>(value) : INT64_MAX;
}

int64_t Plus(int64_t a, int64_t b) {
  int64_t sum;
  return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

std::vector<ValueKind> ValueKinds(const Profile& profile) {
  std::vector<ValueKind> kinds;
  if (HasSelf(profile)) {
    bool time = profile.self_unit == "ns";
    std::string name = profile.self_unit.empty() ? "self" : profile.self_unit;
    if (name == "samples") name = "self_samples";
    kinds.push_back(time ? ValueKind{"time", "nanoseconds"} : ValueKind{name, "count"});
  }
  kinds.push_back({"calls", "count"});
  kinds.push_back({"samples", "count"});
  return kinds;
}

void ForEachStack(const Profile& profile, const std::function<void(const StackView&)>& visit) {
  if (profile::HasContexts(profile)) {
    ContextStacks(profile, visit);
  } else {
    EdgeStacks(profile, visit);
  }
}

}  // namespace assay::exporting
