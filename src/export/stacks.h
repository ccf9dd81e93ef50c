// A profile as weighted stacks: what the stack-based formats have in common.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "src/profile/profile.h"

namespace assay::exporting {

struct Frame {
  profile::MethodId method;
  int32_t bci;  // where it calls the next frame; kNoBci in the innermost
  bool operator==(const Frame&) const = default;
};

// What one stack counts. Values as in ValueKinds(), rounded.
struct StackView {
  const std::vector<Frame>& frames;  // outermost first
  const std::vector<int64_t>& values;
};

struct ValueKind {
  std::string name;  // calls, bytecodes, time...
  std::string unit;  // count, nanoseconds
};

// The values that the stacks of this profile have, the most telling one first: own work in contexts
// when there is any, calls, samples.
std::vector<ValueKind> ValueKinds(const profile::Profile& profile);

// Calls `visit` for every stack in which some value is not zero, in a fixed order.
void ForEachStack(const profile::Profile& profile,
                  const std::function<void(const StackView&)>& visit);

// As integers, at most INT64_MAX: a hostile profile may claim any weight.
int64_t Rounded(double value);
int64_t Rounded(uint64_t value);
int64_t Plus(int64_t a, int64_t b);

}  // namespace assay::exporting
