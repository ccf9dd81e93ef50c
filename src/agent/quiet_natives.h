// Binds native methods of a class in java.base without the warning that RegisterNatives prints on
// the host's standard output when no code of the boot loader is on the stack (jni.cpp,
// jni_RegisterNatives): the binding happens while Class.getMethods prepares the class.
#pragma once

#include <jvmti.h>

#include <span>

#include "src/base/result.h"

namespace assay::agent {

Status RegisterNativesQuietly(JavaVM* vm, JNIEnv* jni, jclass type,
                              std::span<const JNINativeMethod> natives);

}  // namespace assay::agent
