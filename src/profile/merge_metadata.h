// What a profile says about itself, added up (merge.h).
//   "profiles"         (absent = 1) and "duration" (seconds, "12.5s") add
//   "start"            the earliest
//   counts, and times  of ticks, bursts, walks and so on: add
//   "A % of B"         of what there is in both: add
//   memory and places  the larger
//   "method-error"     the larger: all err in their way, none makes the others better
//   "calls-total-error"  is chance here (the caller takes the method's part out and puts it back,
//   as with variances): absolute
//                      errors add as squares; none for the sum where one of them has none
//   accuracy, medians  of each on its own: dropped
//   anything else      the distinct values, sorted and joined by " + "
#pragma once

#include "src/profile/profile.h"

namespace assay::profile {

// Before edges are added: it looks at the calls of both.
void MergeMetadata(Profile& into, const Profile& from);

}  // namespace assay::profile
