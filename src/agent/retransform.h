// Sends every loaded class that can be changed through the class hook again, in one batch when the
// VM accepts it as one. Java threads in native code only.
#pragma once

#include <jvmti.h>

#include <cstdint>

namespace assay::agent {

// Returns how many classes the VM refused.
uint64_t RetransformLoadedClasses(jvmtiEnv* jvmti, JNIEnv* jni);

}  // namespace assay::agent
