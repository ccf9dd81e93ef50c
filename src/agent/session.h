// One profiling session inside the JVM: a collector, the profile it fills, the file it is written
// to, and the thread that flushes once a second. At most one session runs at a time; all functions
// may be called from any Java thread in native code.
#pragma once

#include <jvmti.h>

#include <string>

#include "src/agent/collector.h"
#include "src/agent/options.h"

namespace assay::agent {

// Agent_OnLoad: takes early capabilities; the session starts at VMInit.
Status PrepareSession(JavaVM* vm, const Options& options);
// VMInit after PrepareSession.
Status StartPreparedSession(JavaVM* vm, JNIEnv* jni);
// Agent_OnAttach: starts a session, or changes the running one. The text says what was done.
Result<std::string> StartOrChangeSession(JavaVM* vm, JNIEnv* jni, const Options& options);
// Ends the session and finishes the file. The text says what was written.
Result<std::string> StopSession();
// The same when the VM dies, if there is a session. What goes wrong is logged.
void EndSession();
std::string SessionStatus();

}  // namespace assay::agent
