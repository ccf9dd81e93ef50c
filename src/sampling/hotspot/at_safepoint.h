// Runs a function while every Java thread stands at a safepoint. On a Java thread in native code;
// `jvmti` can tag objects. False when that was not possible.
#pragma once

#include <jvmti.h>

namespace assay::sampling {

bool RunAtSafepoint(JavaVM* vm, jvmtiEnv* jvmti, void (*function)(void*), void* argument);

}  // namespace assay::sampling
