// What a policy decides on: the call sites of a profile with the distribution of their callees and
// receivers, as shares of all calls, with errors and sizes. Built from a profile; tests build it by
// hand. In a fixed order, so that plans are the same for the same profile.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/plan/plan.h"
#include "src/profile/profile.h"

namespace assay::optimize {

struct Target {
  plan::MethodName method;
  uint32_t bytes = 0;  // of its code; 0 when unknown
  double share = 0;    // of the calls at its site
  double error = 0;    // half-width of the 95 % interval of the edge's weight, relative
};

struct Receiver {
  std::string class_name;
  uint32_t bytes = 0;  // of the method that it selects; 0 when unknown
  double share = 0;    // of the calls at its site
  double error = 0;    // half-width of the 95 % interval of `share`, absolute
};

struct CallSite {
  plan::MethodName caller;
  uint32_t caller_bytes = 0;
  int32_t bci = 0;
  double weight = 0;  // share of all calls
  double error = 0;   // half-width of the 95 % interval relative to the weight
  uint64_t samples = 0;
  std::vector<Target> targets;      // heaviest first
  std::vector<Receiver> receivers;  // heaviest first
  bool receivers_seen = false;      // classes were recorded, not derived from the callees
  // How often the most frequent receiver of each calling context is the right one: the share of
  // calls that would be predicted by somebody who knows the context. 0 when contexts are unknown.
  double predictable_by_context = 0;
};

struct Graph {
  std::vector<CallSite> sites;  // heaviest first
  // Calls that the JIT had inlined are in the profile too, so that a site that is cold here is
  // cold; otherwise it may just have been inlined.
  bool sees_inlined_calls = false;
};

Graph GraphOf(const profile::Profile& profile);

}  // namespace assay::optimize
