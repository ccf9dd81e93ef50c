// The heaviest elements first, with ties broken by name so that the order never depends on how a
// profile happens to be numbered.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "src/profile/aggregate.h"
#include "src/profile/profile.h"

namespace assay::cli {

// Keeps the first `top` elements (all when 0) of `items` in the order `less`.
template <typename T, typename Less>
void KeepTop(std::vector<T>& items, size_t top, Less less) {
  if (top == 0 || top > items.size()) top = items.size();
  std::partial_sort(items.begin(), items.begin() + static_cast<ptrdiff_t>(top), items.end(), less);
  items.resize(top);
}

std::vector<profile::Edge> TopEdges(const profile::Profile& profile, size_t top);
std::vector<profile::MethodTotals> TopMethods(const profile::Profile& profile, size_t top);
std::vector<profile::Site> TopSites(const profile::Profile& profile, size_t top);
// Nodes with a value, by self when the profile has it, else by calls, else by samples.
std::vector<profile::NodeId> TopContexts(const profile::Profile& profile, size_t top);

// What contexts and methods are ranked by.
enum class Measure { kSelf, kCalls, kSamples };
Measure ContextMeasure(const profile::Profile& profile);
double ValueOf(const profile::ContextNode& node, Measure measure);

}  // namespace assay::cli
