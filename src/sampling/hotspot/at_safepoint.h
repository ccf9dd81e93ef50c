// Runs a function while every Java thread stands at a safepoint. On a Java thread in native code;
// `jvmti` can tag objects. False when that was not possible.
#pragma once

#include <jvmti.h>

namespace assay::sampling {

bool RunAtSafepoint(JavaVM* vm, jvmtiEnv* jvmti, void (*function)(void*), void* argument);

// Waits until every thread has left the hook that it is in: for the VM it is running Java code there, and a safepoint comes only
// when no thread is. One that enters later is not waited for. Without a safepoint it waits for a time that should do.
void WaitForHooks(JavaVM* vm, jvmtiEnv* jvmti);

}  // namespace assay::sampling
