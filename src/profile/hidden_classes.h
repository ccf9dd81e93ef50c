// Profiles of collectors that see the JVM's hidden classes (lambda objects, method handles) made comparable with those of collectors that
// do not: the JVM shows hidden classes to no agent, so whoever rewrites classes finds the call of a lambda object to be a call of what that one calls.
#pragma once

#include "src/profile/profile.h"

namespace assay::profile {

// Whether the profile's collector rewrites classes.
bool IsFromRewriting(const Profile& profile);

// The same calls and contexts without methods of hidden classes, known by the names that the JDK gives its own (a profile does not say which are hidden). A call site that calls one calls what it calls, in the proportion of its calls; a
// context below one is below its caller, which gets its own work. Methods without callers or without callees in the profile stay. Weights only.
Profile WithoutHiddenClasses(const Profile& profile);

}  // namespace assay::profile
