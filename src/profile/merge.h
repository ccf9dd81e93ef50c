// Adds profiles up. Associative and commutative but for the numbering of methods, edges and nodes
// and the order of threads and ticks, which are concatenated.
//   edges, context nodes, table rows, losses   samples, weights, variances, calls, self add
//   method details                             the first that knows them
//   skipped methods                            union
//   metadata   "profiles" (absent = 1) and "duration" (seconds, "12.5s") add; of "start" the
//   smallest; every other
//              key gets the distinct values, sorted and joined by " + "
#pragma once

#include "src/base/result.h"
#include "src/profile/profile.h"

namespace assay::profile {

// An Error, with `into` unchanged, when values of different units or unlike tables would be added.
Status MergeInto(Profile& into, const Profile& from);

}  // namespace assay::profile
