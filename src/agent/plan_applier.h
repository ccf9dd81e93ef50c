// Applies the devirtualize lines of a plan (src/plan) to this JVM: classes are rewritten as they
// are loaded, those loaded already in one retransformation, and all of it can be taken back. What
// is stale or not possible here is left alone and reported. All functions may be called from any
// Java thread in native code; PreparePlan in Agent_OnLoad.
#pragma once

#include <jvmti.h>

#include <string>

#include "src/agent/options.h"
#include "src/base/result.h"

namespace assay::agent {

// Reads and checks the plan named by the option `apply`, and takes what must be taken early.
Status PreparePlan(JavaVM* vm, const Options& options);
// At VMInit, after PreparePlan.
Status StartPreparedPlan(JNIEnv* jni);
// In a running JVM: in place of any plan applied before. The text is the report.
Result<std::string> ApplyPlan(JavaVM* vm, JNIEnv* jni, const Options& options);
// Gives every class its own code back. The text is the number of compiler directives that whoever
// applied the plan added to the JVM (option `directives`). An Error when no plan is applied.
Result<std::string> RemovePlan(JNIEnv* jni);
bool IsPlanApplied();
// Writes the report to the file named by `apply-report`, if there is one: one line per site and
// per expected class that says what became of it.
void WritePlanReport();

}  // namespace assay::agent
