// What every sampler needs of the VM before it starts: a JVMTI environment that hears of compiled code, threads and
// classes, and the VM's own addresses in the hooks' context. Java threads in native code only.
#pragma once

#include <jvmti.h>

#include <functional>
#include <vector>

#include "src/base/result.h"
#include "src/sampling/hotspot/vm_structs.h"

namespace assay::sampling {

// The events are off.
Result<jvmtiEnv*> OpenSamplingEnvironment(JavaVM* vm, const jvmtiEventCallbacks& callbacks);
// Calls `visit` for every class loaded so far. On a Java thread.
void ForEachLoadedClass(jvmtiEnv* jvmti, JNIEnv* jni, const std::function<void(jclass)>& visit);
void SetSamplingEvents(jvmtiEnv* jvmti, jvmtiEventMode mode);

// Reads the VM's description of itself and tells the hooks where its code is. The same each time.
Result<VmStructs> DescribeVmToHooks(JNIEnv* jni);

}  // namespace assay::sampling
