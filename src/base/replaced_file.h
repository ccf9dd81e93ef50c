// The file that output to a path replaces. What writes a file of its own first and renames it into
// place would otherwise put a regular file where a link, a device or a folder was.
#pragma once

#include <string>

#include "src/base/result.h"

namespace assay {

// `path` itself where nothing is there yet. Links are followed; an Error for anything but a regular
// file.
Result<std::string> ReplacedFile(const std::string& path);

}  // namespace assay
