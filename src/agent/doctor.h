// `assay doctor` inside the JVM: which mechanisms work here, one line each,
// "name<TAB>yes|no<TAB>why".
#pragma once

#include <jvmti.h>

#include <string>

namespace assay::agent {

// On a Java thread in native code, live phase. Changes nothing in the VM.
std::string ExamineJvm(JavaVM* vm, JNIEnv* jni);

}  // namespace assay::agent
