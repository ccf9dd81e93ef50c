// Every Method* of the VM that JVMTI has told us about, with the place of its bytecodes: what it
// takes to read an interpreted frame without dereferencing anything but the stack. Find() is
// lock-free and may run in signal handlers; Add() on Java threads only.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <cstdint>
#include <mutex>

#include "src/base/result.h"
#include "src/sampling/hotspot/class_methods.h"
#include "src/sampling/hotspot/method_ids.h"
#include "src/sampling/hotspot/vm_structs.h"

namespace assay::sampling {

class InterpretedMethods {
 public:
  struct Entry {
    std::atomic<uintptr_t> method;  // 0: free
    uintptr_t code;                 // address of the first bytecode
    uint32_t code_bytes;
    uint32_t max_stack;
    std::atomic<jmethodID> id;
  };

  // Checks the description of the VM against methods whose length JVMTI knows. On a Java thread.
  Status Load(const VmStructs& structs, jvmtiEnv* jvmti, JNIEnv* jni);
  void AddClass(jvmtiEnv* jvmti, JNIEnv* jni, jclass type);
  // 0 when the class has no such method, or it is not known.
  uintptr_t MethodNamed(const char* name, jvmtiEnv* jvmti, JNIEnv* jni, jclass type) const;

  const Entry* Find(uintptr_t method) const;
  uint64_t refused() const { return refused_; }

 private:
  static constexpr uint32_t kEntries = 1 << 20;
  static constexpr uint32_t kProbes = 256;
  void Add(uintptr_t method, jmethodID id);

  uint64_t const_method_ = 0, code_size_ = 0, max_stack_ = 0, const_method_bytes_ = 0;
  ClassMethods classes_;
  MethodIds ids_;
  Entry* entries_ = nullptr;
  std::mutex mutex_;
  uint64_t refused_ = 0;
};

}  // namespace assay::sampling
