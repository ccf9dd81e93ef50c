// How alike two profiles are.
//
// Overlap (P0, section 6.1; P3, section 6.3): the sum over the elements common to both of the
// smaller of their percentages, 0 to 100. Elements are
//   call sites  edges (caller, bci, callee) by weight
//   methods     edges (caller, callee) by weight, call sites summed
//   contexts    stacks of methods, outermost first, without bci. By self when both profiles have it
//               in the same unit or one of them in samples (P3's relative computation effort),
//               otherwise by calls.
// Where one of the profiles is from a collector that rewrites classes, methods of hidden classes are taken out of the other (hidden_classes.h).
// Methods are the same when class, name and descriptor are. Two profiles without weight are alike
// (100); with one of them empty the overlap is 0.
//
// Correlation (P4, section 5): Pearson's coefficient, the covariance divided by the product of the
// standard deviations, of the weights over the union of the elements, absent ones being 0. Not
// defined (NaN) when the weights of one profile do not vary.
#pragma once

#include <optional>

#include "src/profile/profile.h"

namespace assay::profile {

struct Likeness {
  double overlap = 0;
  double correlation = 0;
  uint64_t only_a = 0;  // elements with weight in A only
  uint64_t only_b = 0;
  uint64_t common = 0;
};

struct Comparison {
  Likeness call_sites;
  Likeness methods;
  std::optional<Likeness> contexts;       // when both profiles have contexts
  std::optional<Likeness> context_calls;  // by calls
  std::optional<Likeness> context_self;   // by self
};

Comparison Compare(const Profile& a, const Profile& b);

}  // namespace assay::profile
