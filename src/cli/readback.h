// What became of a plan: what the agent rewrote, and what the compiler then did, from its log.
#pragma once

#include <string>
#include <vector>

#include "src/cli/applied_plan.h"

namespace assay::cli {

// The flags that make the JVM write the log, into the plan's folder.
std::vector<std::string> CompileLogFlags(const AppliedPlan& applied);
// Each decision beside what became of it, after a run with those flags; "" when there is no log.
std::string ReadBackTable(const AppliedPlan& applied, const plan::Plan& shown);
// Runs the program with the plan and more flags, its output thrown away, and makes the table of
// the decisions in `shown`, which the flags may have applied.
std::string ReadBack(const std::vector<std::string>& command, const std::string& plan_path,
                     const std::vector<std::string>& flags, const plan::Plan& shown);

}  // namespace assay::cli
