// What is known about how often the calls of a method are made relative to each other, kept in a
// profile as its table "flow": one row per group of calls made equally often, with the columns method,
// entry ("entry" when they are made once per call of the method) and sites (bytecode indices).
#pragma once

#include <cstdint>
#include <vector>

#include "src/profile/profile.h"

namespace assay::estimate {

struct FlowGroup {
  profile::MethodId method;
  bool at_entry = false;
  std::vector<uint32_t> sites;
};

constexpr char kFlowTable[] = "flow";
// Metadata of a profile whose methods were searched for groups, even if none was found.
constexpr char kFlowLooked[] = "flow-looked";

void AddFlowGroup(profile::Profile& profile, const FlowGroup& group);
// Rows that make no sense are left out: a profile is a file from elsewhere.
std::vector<FlowGroup> FlowGroupsOf(const profile::Profile& profile);

}  // namespace assay::estimate
