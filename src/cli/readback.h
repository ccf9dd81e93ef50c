// What the compiler did with a plan: one more run of the program with the compiler's log, and each
// decision beside what became of it.
#pragma once

#include <string>
#include <vector>

namespace assay::cli {

// Runs the program with the plan, its output thrown away. A table for people; "" when the JVM wrote
// no log.
std::string ReadBack(const std::vector<std::string>& command, const std::string& plan_path);

}  // namespace assay::cli
