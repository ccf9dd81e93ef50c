// The policies of the papers; see policy.h for what they are.
#include "src/optimize/policies.h"

namespace assay::optimize {
namespace {

std::string Size(uint32_t bytes) { return std::to_string(bytes) + " bytes"; }

// One target: inline it when it is small enough for the weight of its edge.
void DecideSingle(const CallSite& site, const Target& target, uint32_t allowed, plan::Plan* plan) {
  plan::Decision decision = DecisionFor(site, target);
  bool fits = target.bytes != 0 && target.bytes <= allowed;
  decision.action = fits ? plan::Action::kInline : plan::Action::kSkip;
  decision.reason = target.bytes == 0
                        ? "its size is not known"
                        : Size(target.bytes) + (fits ? " <= " : " > ") + std::to_string(allowed) +
                              " allowed at " + PercentText(decision.weight) + " of calls";
  plan->decisions.push_back(std::move(decision));
}

// Several targets: guards for the receivers chosen.
void DecideGuards(const CallSite& site, const std::vector<const Receiver*>& chosen,
                  const std::string& why, const Limits& limits, plan::Plan* plan) {
  plan::Decision decision = DecisionFor(site, site.targets[0]);
  decision.weight = site.weight;
  decision.error = site.error;
  decision.reason = CannotGrow(site, chosen.size(), limits);
  for (const Receiver* receiver : chosen) {
    if (decision.reason.empty()) decision.reason = CannotGuard(site, *receiver);
    decision.guards.push_back(receiver->class_name);
  }
  if (decision.reason.empty()) {
    decision.action = plan::Action::kDevirtualize;
    decision.reason = why;
  } else {
    decision.guards.clear();
  }
  plan->decisions.push_back(std::move(decision));
}

void DecideSkip(const CallSite& site, std::string why, plan::Plan* plan) {
  plan::Decision decision = DecisionFor(site, site.targets[0]);
  decision.weight = site.weight;
  decision.error = site.error;
  decision.reason = std::move(why);
  plan->decisions.push_back(std::move(decision));
}

void DecideCold(const CallSite& site, const Limits& limits, plan::Plan* plan) {
  for (const Target& target : site.targets) {
    if (target.bytes <= limits.trivial_bytes || target.bytes > limits.static_bytes) continue;
    plan::Decision decision = DecisionFor(site, target);
    decision.action = plan::Action::kNoInline;
    decision.reason =
        "cold: " + PercentText(decision.weight) + " of calls, although only " + Size(target.bytes);
    plan->decisions.push_back(std::move(decision));
  }
}

void DecideSeveral(const CallSite& site, const Limits& limits, plan::Plan* plan) {
  std::vector<const Receiver*> chosen;
  std::string why;
  for (const Receiver& receiver : site.receivers) {
    if (receiver.share <= limits.guard_share || chosen.size() == plan::kMaxGuards) continue;
    uint32_t allowed = AllowedBytes(limits, site.weight * receiver.share);
    if (receiver.bytes > allowed) {
      return DecideSkip(site,
                        Size(receiver.bytes) + " > " + std::to_string(allowed) + " allowed for " +
                            receiver.class_name,
                        plan);
    }
    chosen.push_back(&receiver);
    why += (why.empty() ? "" : ", ") + PercentText(receiver.share) + " " + receiver.class_name;
  }
  if (chosen.empty()) {
    return DecideSkip(site,
                      "no receiver has more than " + PercentText(limits.guard_share) + " (" +
                          std::to_string(site.receivers.size()) + " receivers)",
                      plan);
  }
  if (site.receivers.size() <= limits.receivers_c2_handles) {
    return DecideSkip(site, "the JVM predicts two receivers by itself", plan);
  }
  DecideGuards(site, chosen, why + " of " + std::to_string(site.receivers.size()) + " receivers",
               limits, plan);
}

}  // namespace

void DecideLinear(const Graph& graph, const Limits& limits, plan::Plan* plan) {
  for (const CallSite& site : graph.sites) {
    if (site.targets.empty()) continue;
    if (graph.sees_inlined_calls && site.weight < limits.cold_weight) {
      DecideCold(site, limits, plan);
    } else if (site.weight < limits.listed_weight) {
      continue;
    } else if (site.receivers.size() > 1) {
      DecideSeveral(site, limits, plan);
    } else {
      DecideSingle(site, site.targets[0], AllowedBytes(limits, site.weight), plan);
    }
  }
}

void DecideWeakStatic(const Graph& graph, const Limits& limits, plan::Plan* plan) {
  auto weak = static_cast<uint32_t>(limits.static_bytes * (1 - limits.weaken_static));
  plan->flags.push_back("-XX:MaxInlineSize=" + std::to_string(weak));
  DecideLinear(graph, limits, plan);
}

void DecideJikesOld(const Graph& graph, const Limits& limits, plan::Plan* plan) {
  for (const CallSite& site : graph.sites) {
    std::vector<const Receiver*> hot;
    std::string why;
    for (const Receiver& receiver : site.receivers) {
      double weight = site.weight * receiver.share;
      if (weight <= limits.hot_weight || hot.size() == plan::kMaxGuards) continue;
      if (receiver.bytes > limits.hot_bytes) continue;
      hot.push_back(&receiver);
      why += (why.empty() ? "hot: " : ", ") + PercentText(weight) + " of calls to " +
             receiver.class_name;
    }
    if (site.targets.empty() || hot.empty()) continue;
    if (site.receivers.size() == 1) {
      DecideSingle(site, site.targets[0], limits.hot_bytes, plan);
    } else if (site.receivers.size() > limits.receivers_c2_handles) {
      DecideGuards(site, hot, why, limits, plan);
    }
  }
}

}  // namespace assay::optimize
