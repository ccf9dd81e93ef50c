// Two profiles in one numbering: each element (edge, method pair, context, method) that occurs in
// either, with its values in both. What compare, diff and the differential views are made of.
#pragma once

#include <string>
#include <vector>

#include "src/base/result.h"
#include "src/profile/profile.h"

namespace assay::profile {

// `common` numbers the union of the elements: its edges or nodes carry no values of their own, and
// a[i], b[i] are the values of edge (or node) i in the two profiles, 0 where it does not occur.
struct Paired {
  Profile common;
  std::vector<double> a;
  std::vector<double> b;
  std::vector<double>
      variance;  // of b[i] - a[i] where it is known (edges, calls of methods), else 0
};

enum class ContextValue { kCalls, kSelf, kSamples };

Paired PairCallSites(const Profile& a, const Profile& b);
Paired PairMethodEdges(const Profile& a, const Profile& b);
// Contexts as stacks of methods: nodes that differ only in bci fall together. Index = node id.
Paired PairContexts(const Profile& a, const Profile& b, ContextValue value);
// Calls into each method. Index = method id.
Paired PairMethods(const Profile& a, const Profile& b);
// Own work of each method over all contexts, in Profile::self_unit. Index = method id.
Paired PairMethodSelf(const Profile& a, const Profile& b);

// An Error that says why, where figures of the two can be neither added nor subtracted: activations
// that samples have met and calls, or time by different clocks.
Status SameMeasure(const Profile& a, const Profile& b);

// Whether both have `self` values in the same unit, or one of them in samples of whatever the other
// one measures (P3 compares samples with bytecodes).
bool ComparableSelf(const Profile& a, const Profile& b);

}  // namespace assay::profile
