// The profile that a session was to leave behind.
#pragma once

#include <string>

#include "src/profile/profile.h"

namespace assay::cli {

// Throws CommandError (refused) when it cannot be read or nothing was ever written to it; with
// `must_be_finished` also when its writer did not come to its end.
profile::Profile ReadSessionProfile(const std::string& path, bool must_be_finished);

}  // namespace assay::cli
