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
// The methods of java.lang.String, by JVMTI and by the VM, in any order: what the VM's description of itself is checked
// with. Error: too few of them.
struct KnownMethods {
  std::vector<jmethodID> ids;
  std::vector<uintptr_t> methods;  // also those that the VM added and JVMTI does not show
};
Result<KnownMethods> WellKnownMethods(const VmStructs& structs, jvmtiEnv* jvmti, JNIEnv* jni);
// Of a class that is prepared; none of an array.
std::vector<jmethodID> MethodsOfClass(jvmtiEnv* jvmti, jclass type);
// Calls `visit` for every class loaded so far. On a Java thread.
void ForEachLoadedClass(jvmtiEnv* jvmti, JNIEnv* jni, const std::function<void(jclass)>& visit);
void SetSamplingEvents(jvmtiEnv* jvmti, jvmtiEventMode mode);

// Reads the VM's description of itself and tells the hooks where its code is. The same each time.
Result<VmStructs> DescribeVmToHooks(JNIEnv* jni);

}  // namespace assay::sampling
