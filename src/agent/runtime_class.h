// A class of ours that the agent defines in java.lang. On a Java thread in native code only.
#pragma once

#include <jvmti.h>

#include <span>
#include <string>

#include "src/base/bytes.h"
#include "src/base/result.h"

namespace assay::agent {

// Defines the class, binds its natives and runs its initializer. Returns a global reference.
// `static_field` is any static field of it, `field_type` that field's descriptor.
Result<jclass> DefineRuntimeClass(JavaVM* vm, JNIEnv* jni, const std::string& name, ByteSpan bytes,
                                  std::span<const JNINativeMethod> natives,
                                  const char* static_field, const char* field_type);

inline JNINativeMethod NativeMethod(const char* name, const char* signature, void* function) {
  return {const_cast<char*>(name), const_cast<char*>(signature), function};
}

}  // namespace assay::agent
