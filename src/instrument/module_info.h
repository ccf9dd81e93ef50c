// Changes a module-info.class for code that was added to its module or that it now uses.
#pragma once

#include <string_view>

#include "src/base/bytes.h"
#include "src/base/result.h"

namespace assay::instrument {

// The module contains one more package (java/util). A no-op when the file does not list packages:
// the JVM then finds them by itself.
Result<ByteVector> AddModulePackage(ByteSpan module_info, std::string_view package);

// The module reads one more module.
Result<ByteVector> AddModuleRequires(ByteSpan module_info, std::string_view module);

}  // namespace assay::instrument
