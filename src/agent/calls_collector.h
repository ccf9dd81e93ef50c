// `--collect calls`: counter-based sampling of calls at yieldpoints that the VM's compiled code has
// anyway (P0, P1); no bytecode is changed and nothing costs while nothing is armed.
#pragma once

#include <cstdint>
#include <memory>

#include "src/agent/collector.h"
#include "src/sampling/doctor_report.h"

namespace assay::agent {

std::unique_ptr<Collector> MakeCallsCollector();

// The first bursts come fast, for programs that are over in seconds.
constexpr uint64_t kOpeningBursts = 2000;
// The tick after so many bursts and seconds, where nobody chose another. A program that does little does not keep Assay awake.
const char* TickAfter(uint64_t bursts, double seconds);
// Whether ticks so far found a thread in Java so rarely that waking up for the next ones is not worth it.
bool FindLittle(uint64_t ticks, uint64_t in_java);

// What of it works in this JVM. On a Java thread in native code, live phase.
sampling::DoctorReport ExamineCalls(JavaVM* vm, JNIEnv* jni);

}  // namespace assay::agent
