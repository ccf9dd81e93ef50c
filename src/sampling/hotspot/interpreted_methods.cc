#include "src/sampling/hotspot/interpreted_methods.h"

#include "src/base/hash.h"
#include "src/sampling/hotspot/sampling_environment.h"
#include "src/sampling/hotspot/vm_memory.h"
#include "src/sampling/mapped_memory.h"

namespace assay::sampling {

Status InterpretedMethods::Load(const VmStructs& structs, jvmtiEnv* jvmti, JNIEnv* jni) {
  ASSAY_ASSIGN(const_method_, structs.Offset("Method::_constMethod"));
  ASSAY_ASSIGN(code_size_, structs.Offset("ConstMethod::_code_size"));
  ASSAY_ASSIGN(max_stack_, structs.Offset("ConstMethod::_max_stack"));
  ASSAY_ASSIGN(const_method_bytes_, structs.SizeOf("ConstMethod"));
  if (entries_ == nullptr && !MapZeroed(&entries_, kEntries)) return Error{"not enough address space"};
  ASSAY_ASSIGN(auto known, WellKnownMethods(jvmti, jni));
  for (jmethodID id : known) {
    jlocation begin = 0, end = 0;
    if (jvmti->GetMethodLocation(id, &begin, &end) != JVMTI_ERROR_NONE || end <= 0) continue;
    // A jmethodID is a pointer to a Method* (method.hpp, resolve_jmethod_id).
    uintptr_t method = VmWord(reinterpret_cast<uintptr_t>(id));
    uintptr_t details = IsVmPointer(method) ? VmWord(method + const_method_) : 0;
    if (!IsVmPointer(details) || VmHalf(details + code_size_) != static_cast<uint16_t>(end + 1)) {
      return Error{"the VM's methods are not laid out as described"};
    }
  }
  return {};
}

void InterpretedMethods::AddClass(jvmtiEnv* jvmti, jclass type) {
  jint count = 0;
  jmethodID* ids = nullptr;
  if (jvmti->GetClassMethods(type, &count, &ids) != JVMTI_ERROR_NONE) return;
  std::lock_guard lock(mutex_);
  for (jint i = 0; i < count; i++) Add(ids[i]);
  jvmti->Deallocate(reinterpret_cast<unsigned char*>(ids));
}

void InterpretedMethods::Add(jmethodID id) {
  uintptr_t method = VmWord(reinterpret_cast<uintptr_t>(id));
  if (method == 0) return;
  uintptr_t details = VmWord(method + const_method_);
  uint64_t at = Mix64(method);
  for (uint32_t probe = 0; probe < kProbes; probe++, at++) {
    Entry& entry = entries_[at % kEntries];
    uintptr_t key = entry.method.load(std::memory_order_relaxed);
    if (key != 0 && key != method) continue;
    entry.code = details + const_method_bytes_;
    entry.code_bytes = VmHalf(details + code_size_);
    entry.max_stack = VmHalf(details + max_stack_);
    entry.id.store(id, std::memory_order_relaxed);
    entry.method.store(method, std::memory_order_release);
    return;
  }
  refused_++;
}

const InterpretedMethods::Entry* InterpretedMethods::Find(uintptr_t method) const {
  uint64_t at = Mix64(method);
  for (uint32_t probe = 0; probe < kProbes; probe++, at++) {
    const Entry& entry = entries_[at % kEntries];
    uintptr_t key = entry.method.load(std::memory_order_acquire);
    if (key == method) return &entry;
    if (key == 0) return nullptr;
  }
  return nullptr;
}

}  // namespace assay::sampling
