// Reads a profile file (format.h) with full validation. Any damage is an Error with its byte
// offset; memory use is bounded by the file's own size.
#pragma once

#include <string>

#include "src/base/bytes.h"
#include "src/base/result.h"
#include "src/profile/profile.h"

namespace assay::profile {

Result<Profile> ReadProfile(const std::string& path);
Result<Profile> ParseProfile(ByteSpan bytes);

}  // namespace assay::profile
