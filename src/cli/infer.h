// Flow inference on a profile file, for `assay infer` and `assay run --infer true`.
#pragma once

#include <string>

namespace assay::cli {

// What was done, as a sentence.
std::string InferFile(const std::string& from, const std::string& to);

}  // namespace assay::cli
