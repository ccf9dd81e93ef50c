// The same profile with everything in an order that depends on its content only, so that equal
// profiles are equal files.
#pragma once

#include "src/profile/profile.h"

namespace assay::profile {

// Methods by name (those that nothing mentions are left out), edges by caller, bci and callee,
// contexts depth first with children by method and bci, skipped methods and table rows sorted.
// Nothing else changes; ticks and threads stay as they are.
Profile Canonical(const Profile& profile);

// Removes metadata that says when, where and by which JVM a profile was made.
void RemoveCircumstances(Profile& profile);

}  // namespace assay::profile
