// Reading profiles for a command: progress for large ones, errors as CommandError.
#pragma once

#include <string>

#include "src/profile/profile.h"

namespace assay::cli {

profile::Profile Load(const std::string& path);
// Writes to `path`, or to stdout when it is "" or "-".
void WriteOutput(const std::string& path, const std::string& text);

}  // namespace assay::cli
