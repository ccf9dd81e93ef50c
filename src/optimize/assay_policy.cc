// Our policy. It differs from P0's in four ways.
//
// Errors: a share counts with the lower end of its 95 % interval, so that a site sampled a handful
// of times is left alone instead of guarded for a receiver that may not lead at all.
//
// What is left: after a guard the original call keeps the remaining receivers. With two of them
// HotSpot predicts both by itself, so a second guard is spent only where more than two remain. And
// the threshold is where a guard begins to pay instead of 40 %: a hit saves a dispatch and what
// inlining brings, a miss costs a compare that is predicted badly at worst. Measured with hand
// written guards, 40 % gains a factor of 1.5 (docs/07-optimizing.md); a quarter is the break-even
// kept here with a margin.
//
// Context: a site whose receiver depends on who calls has a flat distribution, and still each
// caller runs through one side of the guard for a long time, which processors predict. With
// contexts in the profile such sites are recognized and guarded at a tenth.
//
// What the JVM does anyway: a directive holds wherever the callee is called below a root, on cold
// paths too. Callees up to MaxInlineSize are inlined by C2 where they are reached at all, so for
// them a directive can only add code.
#include <algorithm>

#include "src/optimize/policies.h"

namespace assay::optimize {
namespace {

constexpr double kPays = 0.25;
constexpr double kPaysInContext = 0.1;
constexpr double kPredictable = 0.8;
constexpr uint64_t kFewestSamples = 20;

struct Choice {
  std::vector<const Receiver*> guards;
  std::string why_not;
};

Choice ChooseGuards(const CallSite& site, const Limits& limits) {
  Choice choice;
  bool by_context = site.predictable_by_context >= kPredictable;
  double needed = by_context ? kPaysInContext : kPays;
  double left = 1;
  size_t remaining = site.receivers.size();
  for (const Receiver& receiver : site.receivers) {
    if (choice.guards.size() == plan::kMaxGuards || remaining <= limits.receivers_c2_handles) break;
    double sure = (receiver.share - receiver.error) / left;
    if (sure < needed) {
      choice.why_not = "no receiver leads: " + PercentText(receiver.share) + " " +
                       receiver.class_name + " ± " + PercentText(receiver.error);
      break;
    }
    if (receiver.bytes > limits.hot_bytes) {
      choice.why_not = std::to_string(receiver.bytes) + " bytes of " + receiver.class_name +
                       " are too many to inline";
      break;
    }
    choice.why_not = CannotGuard(site, receiver);
    if (!choice.why_not.empty()) break;
    choice.guards.push_back(&receiver);
    left = std::max(left - receiver.share, 1e-9);
    --remaining;
  }
  return choice;
}

void DecideVirtual(const CallSite& site, const Limits& limits, plan::Plan* plan) {
  plan::Decision decision = DecisionFor(site, site.targets[0]);
  decision.weight = site.weight;
  decision.error = site.error;
  Choice choice = ChooseGuards(site, limits);
  while (!choice.guards.empty()) {
    decision.reason = CannotGrow(site, choice.guards.size(), limits);
    if (decision.reason.empty()) break;
    choice.guards.pop_back();
    choice.why_not = decision.reason;
  }
  if (choice.guards.empty()) {
    decision.reason = choice.why_not;
    plan->decisions.push_back(std::move(decision));
    return;
  }
  decision.action = plan::Action::kDevirtualize;
  decision.callee_bytes = choice.guards[0]->bytes;
  for (const Receiver* receiver : choice.guards) {
    decision.guards.push_back(receiver->class_name);
    decision.reason += (decision.reason.empty() ? "" : ", ") + PercentText(receiver->share) +
                       " ± " + PercentText(receiver->error) + " " + receiver->class_name;
  }
  decision.reason += " of " + std::to_string(site.receivers.size()) + " receivers";
  if (site.predictable_by_context >= kPredictable) {
    decision.reason += ", " + PercentText(site.predictable_by_context) + " known by the caller";
  }
  plan->decisions.push_back(std::move(decision));
}

void DecideDirect(const CallSite& site, const Limits& limits, plan::Plan* plan) {
  const Target& target = site.targets[0];
  plan::Decision decision = DecisionFor(site, target);
  double sure = decision.weight * (1 - std::min(decision.error, 1.0));
  uint32_t allowed = AllowedBytes(limits, sure);
  bool small = target.bytes <= limits.static_bytes;
  bool fits = !small && target.bytes <= allowed && sure >= limits.listed_weight;
  decision.action = fits ? plan::Action::kInline : plan::Action::kSkip;
  if (target.bytes == 0) {
    decision.reason = "its size is not known";
  } else if (small) {
    decision.reason = std::to_string(target.bytes) + " bytes: the JVM inlines it by itself";
  } else {
    decision.reason = std::to_string(target.bytes) + " bytes, " + std::to_string(allowed) +
                      " allowed at surely " + PercentText(sure) + " of calls";
  }
  plan->decisions.push_back(std::move(decision));
}

}  // namespace

void DecideAssay(const Graph& graph, const Limits& limits, plan::Plan* plan) {
  for (const CallSite& site : graph.sites) {
    if (site.targets.empty() || site.weight < limits.listed_weight) continue;
    if (site.samples < kFewestSamples) continue;
    if (site.receivers.size() > limits.receivers_c2_handles) {
      DecideVirtual(site, limits, plan);
    } else if (site.receivers.size() == 1) {
      DecideDirect(site, limits, plan);
    } else {
      plan::Decision decision = DecisionFor(site, site.targets[0]);
      decision.reason = "the JVM predicts two receivers by itself";
      plan->decisions.push_back(std::move(decision));
    }
  }
}

}  // namespace assay::optimize
