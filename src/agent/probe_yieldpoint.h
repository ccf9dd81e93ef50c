// The yieldpoint for JVMs whose own could not be proven: a check at the entry of every method, put there by
// rewriting. It sees calls at the level of bytecode, inlined or not, in interpreted code too.
#pragma once

#include <memory>

#include "src/agent/options.h"
#include "src/sampling/yieldpoint.h"

#include <jvmti.h>

namespace assay::agent {

// In Agent_OnLoad, when probes are asked for: capabilities that are cheap only early.
Status PrepareProbes(JavaVM* vm);

// On a Java thread in native code. Install() and Remove() of the result as well.
Result<std::unique_ptr<sampling::Yieldpoint>> MakeProbeYieldpoint(JavaVM* vm, JNIEnv* jni,
                                                                  const Options& options);

}  // namespace assay::agent
