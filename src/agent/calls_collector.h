// `--collect calls`: counter-based sampling of calls at yieldpoints that the VM's compiled code has
// anyway (P0, P1); no bytecode is changed and nothing costs while nothing is armed.
#pragma once

#include <memory>

#include "src/agent/collector.h"
#include "src/sampling/doctor_report.h"

namespace assay::agent {

std::unique_ptr<Collector> MakeCallsCollector();

// What of it works in this JVM. On a Java thread in native code, live phase.
sampling::DoctorReport ExamineCalls(JavaVM* vm, JNIEnv* jni);

}  // namespace assay::agent
