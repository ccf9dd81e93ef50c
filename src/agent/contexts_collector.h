// `--collect contexts`: the partial calling context tree (P4), sampled by CPU or wall-clock time;
// a sample walks only the frames that are new since the one before.
#pragma once

#include <memory>

#include "src/agent/collector.h"
#include "src/sampling/doctor_report.h"

namespace assay::agent {

std::unique_ptr<Collector> MakeContextsCollector();

// What of it works in this JVM. On a Java thread in native code, live phase.
sampling::Mechanism ExamineContexts(JavaVM* vm, JNIEnv* jni);

}  // namespace assay::agent
