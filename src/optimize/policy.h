// Policies: from a call graph to a plan, with the reason of each decision. Pure functions.
//
//   linear       P0 (Arnold, Grove 2005, section 5): the size allowed for a callee grows linearly
//                with the weight of its edge up to a maximum; at sites with several targets only
//                those with more than 40 % of the distribution are candidates for guarded inlining;
//                cold sites are not inlined although the callee is small (the J9 variant).
//   weak-static  P1 (Lee 2015, section 4.2): linear, and the size up to which callees without a
//                profile are inlined is lowered by 30 %; trivial ones stay.
//   jikes-old    the baseline of P0: an edge with more than 1 % of all calls is hot and gets the
//                larger size; the profile of all others is ignored.
//   assay        ours: like linear, but counts only what is beyond the error, looks at what is left
//                after a guard, and knows when the context predicts the receiver.
//
// The papers count machine instructions of Jikes RVM; here sizes are bytes of bytecode, and the
// constants are HotSpot's own limits: 35 (MaxInlineSize) where they say static, 325
// (FreqInlineSize) where they say hot.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/base/result.h"
#include "src/optimize/graph.h"
#include "src/plan/plan.h"

namespace assay::optimize {

struct Limits {
  uint32_t trivial_bytes = 6;    // MaxTrivialSize
  uint32_t static_bytes = 35;    // MaxInlineSize
  uint32_t hot_bytes = 325;      // FreqInlineSize
  uint32_t largest_bytes = 650;  // what no weight can exceed
  double hot_weight = 0.01;      // the weight that allows hot_bytes
  double guard_share = 0.4;      // of a site's distribution
  double cold_weight = 1e-6;     // of all calls
  double listed_weight = 1e-3;   // lighter sites are not worth a line
  double weaken_static = 0.3;
  size_t receivers_c2_handles = 2;  // bimorphic sites need no help
};

std::vector<std::string> PolicyNames();
// The Error lists the policies there are.
Result<plan::Plan> MakePlan(const Graph& graph, std::string_view policy, const Limits& limits = {});

// P0: the bytes allowed for a callee behind an edge of this weight.
uint32_t AllowedBytes(const Limits& limits, double edge_weight);
// The upper bound of what a guarded copy of the site adds to the caller.
uint32_t GuardBytes(const CallSite& site, size_t guards);

}  // namespace assay::optimize
