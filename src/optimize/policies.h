// The policies behind policy.h and what they share. Internal to src/optimize.
#pragma once

#include "src/optimize/policy.h"

namespace assay::optimize {

void DecideLinear(const Graph& graph, const Limits& limits, plan::Plan* plan);
void DecideWeakStatic(const Graph& graph, const Limits& limits, plan::Plan* plan);
void DecideJikesOld(const Graph& graph, const Limits& limits, plan::Plan* plan);
void DecideAssay(const Graph& graph, const Limits& limits, plan::Plan* plan);

// The facts of one edge, action and reason still open.
plan::Decision DecisionFor(const CallSite& site, const Target& target);
std::string PercentText(double share);
// Why no guard can be made for this receiver; "" when it can.
std::string CannotGuard(const CallSite& site, const Receiver& receiver);
// Why the caller must not grow by this many guards; "" when it may.
std::string CannotGrow(const CallSite& site, size_t guards, const Limits& limits);

}  // namespace assay::optimize
