// Adds profiles up. Associative and commutative but for the numbering of methods, edges and nodes
// and the order of threads and ticks, which are concatenated.
//   edges, context nodes, table rows, losses   samples, weights, variances, calls, self add
//   method details                             the first that knows them
//   skipped methods                            union
//   metadata                                   by what it means (merge_metadata.h)
#pragma once

#include "src/base/result.h"
#include "src/profile/profile.h"

namespace assay::profile {

// An Error, with `into` unchanged, when unlike figures (SameMeasure), units or tables would be
// added.
Status MergeInto(Profile& into, const Profile& from);

}  // namespace assay::profile
