#include "src/optimize/policy.h"

#include <algorithm>
#include <cstdio>

#include "src/classfile/descriptor.h"
#include "src/optimize/policies.h"

namespace assay::optimize {
namespace {

struct Named {
  std::string_view name;
  void (*decide)(const Graph&, const Limits&, plan::Plan*);
};
constexpr Named kPolicies[] = {{"assay", DecideAssay},
                               {"linear", DecideLinear},
                               {"weak-static", DecideWeakStatic},
                               {"jikes-old", DecideJikesOld}};

constexpr uint32_t kHugeMethod = 8000;  // HotSpot compiles no longer methods

}  // namespace

std::vector<std::string> PolicyNames() {
  std::vector<std::string> names;
  for (const Named& policy : kPolicies) names.emplace_back(policy.name);
  return names;
}

Result<plan::Plan> MakePlan(const Graph& graph, std::string_view policy, const Limits& limits) {
  std::string known;
  for (const Named& each : kPolicies) {
    known += " " + std::string(each.name);
    if (each.name != policy) continue;
    plan::Plan plan;
    plan.policy = policy;
    each.decide(graph, limits, &plan);
    return plan;
  }
  return Error{"there is no policy " + std::string(policy) + "; there are:" + known};
}

uint32_t AllowedBytes(const Limits& limits, double edge_weight) {
  double slope = (limits.hot_bytes - limits.static_bytes) / limits.hot_weight;
  double bytes = limits.static_bytes + slope * edge_weight;
  return static_cast<uint32_t>(std::min<double>(bytes, limits.largest_bytes));
}

uint32_t GuardBytes(const CallSite& site, size_t guards) {
  if (site.targets.empty()) return 0;
  int words = classfile::CountWords(site.targets[0].method.descriptor).parameters;
  uint32_t moves = 2 * static_cast<uint32_t>(std::max(words, 0));
  return 4 + 2 * moves + static_cast<uint32_t>(guards) * (19 + moves);
}

std::string PercentText(double share) {
  char text[32];
  std::snprintf(text, sizeof text, share < 0.001 ? "%.2g %%" : "%.1f %%", share * 100);
  return text;
}

plan::Decision DecisionFor(const CallSite& site, const Target& target) {
  plan::Decision decision;
  decision.caller = site.caller;
  decision.caller_bytes = site.caller_bytes;
  decision.bci = site.bci;
  decision.callee = target.method;
  decision.callee_bytes = target.bytes;
  decision.weight = site.weight * target.share;
  decision.error = target.error;
  return decision;
}

std::string CannotGuard(const CallSite& site, const Receiver& receiver) {
  const std::string& name = receiver.class_name;
  if (name.starts_with('[')) return "arrays are not guarded";
  if (name.find('/') != std::string::npos || name.find("$$Lambda") != std::string::npos) {
    return "a hidden class has another name in each run";
  }
  if (site.targets[0].method.name == "<init>") return "a constructor is not dispatched";
  return "";
}

std::string CannotGrow(const CallSite& site, size_t guards, const Limits& limits) {
  uint32_t now = site.caller_bytes;
  uint32_t then = now + GuardBytes(site, guards);
  for (uint32_t limit : {limits.hot_bytes, kHugeMethod}) {
    if (now <= limit && then > limit) {
      return "the caller would grow past " + std::to_string(limit) + " bytes";
    }
  }
  return "";
}

}  // namespace assay::optimize
