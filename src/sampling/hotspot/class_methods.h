// The way from a class, as JVMTI has it, to the VM's own Method*s. What a jmethodID refers to is the VM's business: up
// to JDK 25 it is the address of a Method*, since then a mere number (jmethodIDTable.cpp). A class's mirror has its
// Klass* in a field that the VM injects (javaClasses.cpp, java_lang_Class::klass_offset); it is read by the JDK's own
// Unsafe, so that an object that a collector is moving is read where it is. Java threads in native code only.
#pragma once

#include <jni.h>

#include <cstdint>
#include <vector>

#include "src/base/result.h"
#include "src/sampling/hotspot/vm_structs.h"

namespace assay::sampling {

class ClassMethods {
 public:
  Status Load(const VmStructs& structs, JNIEnv* jni);

  // Of a class that has methods, as JVMTI says: not of an array or a primitive type. Empty where Java code cannot run
  // now, on the last words of a stack for instance.
  std::vector<uintptr_t> Of(JNIEnv* jni, jclass type) const;

 private:
  Status FindUnsafe(JNIEnv* jni);

  uint64_t klass_ = 0, methods_ = 0, length_ = 0, data_ = 0;
  jobject unsafe_ = nullptr;  // a global reference, kept
  jmethodID get_long_ = nullptr;
};

}  // namespace assay::sampling
