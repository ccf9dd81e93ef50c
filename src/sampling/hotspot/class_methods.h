// The way from a class, as JVMTI has it, to the VM's own Method*s. What a jmethodID refers to is the VM's business: up
// to JDK 25 it is the address of a Method*, since then a mere number (jmethodIDTable.cpp). A class's mirror has its
// Klass* in a field that the VM injects (javaClasses.cpp, java_lang_Class::klass_offset); it is read by the JDK's own
// Unsafe, so that an object that a collector is moving is read where it is. Java threads in native code only.
#pragma once

#include <jvmti.h>

#include <cstdint>
#include <vector>

#include "src/base/result.h"
#include "src/sampling/hotspot/vm_structs.h"

namespace assay::sampling {

// The methods of java.lang.String, by JVMTI and by the VM, in any order: what the VM's description of itself is checked
// with.
struct KnownMethods {
  std::vector<jmethodID> ids;
  std::vector<uintptr_t> methods;  // also those that the VM added and JVMTI does not show
};

// Of a class that is prepared; none of an array.
std::vector<jmethodID> MethodsOfClass(jvmtiEnv* jvmti, jclass type);

class ClassMethods {
 public:
  // Follows no address before it is known to be one.
  Status Load(const VmStructs& structs, jvmtiEnv* jvmti, JNIEnv* jni);
  const KnownMethods& known() const { return known_; }

  // Of a class that has methods, as JVMTI says: not of an array or a primitive type. Empty where Java code cannot run
  // now, on the last words of a stack for instance.
  std::vector<uintptr_t> Of(JNIEnv* jni, jclass type) const;

 private:
  Status FindUnsafe(JNIEnv* jni);
  // 0 where Java code cannot run now.
  uintptr_t KlassOf(JNIEnv* jni, jclass type) const;
  Status Check(jvmtiEnv* jvmti, JNIEnv* jni);

  KnownMethods known_;
  uint64_t klass_ = 0, methods_ = 0, length_ = 0, data_ = 0;
  jobject unsafe_ = nullptr;  // a global reference, kept
  jmethodID get_long_ = nullptr;
};

}  // namespace assay::sampling
