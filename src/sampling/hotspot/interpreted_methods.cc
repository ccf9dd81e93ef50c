#include "src/sampling/hotspot/interpreted_methods.h"

#include <cstring>

#include "src/base/hash.h"
#include "src/sampling/hotspot/vm_memory.h"
#include "src/sampling/mapped_memory.h"

namespace assay::sampling {

Status InterpretedMethods::Load(const VmStructs& structs, jvmtiEnv* jvmti, JNIEnv* jni) {
  ASSAY_ASSIGN(const_method_, structs.Offset("Method::_constMethod"));
  ASSAY_ASSIGN(code_size_, structs.Offset("ConstMethod::_code_size"));
  ASSAY_ASSIGN(max_stack_, structs.Offset("ConstMethod::_max_stack"));
  ASSAY_ASSIGN(const_method_bytes_, structs.SizeOf("ConstMethod"));
  if (entries_ == nullptr && !MapZeroed(&entries_, kEntries)) return Error{"not enough address space"};
  ASSAY_TRY(classes_.Load(structs, jvmti, jni));
  ASSAY_TRY(ids_.Load(structs, classes_.known()));
  for (uintptr_t method : classes_.known().methods) {
    jlocation begin = 0, end = 0;
    jmethodID id = ids_.Find(method);
    if (id == nullptr || jvmti->GetMethodLocation(id, &begin, &end) != JVMTI_ERROR_NONE || end <= 0) continue;
    uintptr_t details = VmWord(method + const_method_);
    if (!IsVmPointer(details) || VmHalf(details + code_size_) != static_cast<uint16_t>(end + 1)) {
      return Error{"the VM's methods are not laid out as described"};
    }
  }
  return {};
}

void InterpretedMethods::AddClass(jvmtiEnv* jvmti, JNIEnv* jni, jclass type) {
  // Asking for them is what gives methods their ids.
  if (MethodsOfClass(jvmti, type).empty()) return;
  const std::vector<uintptr_t> methods = classes_.Of(jni, type);
  std::lock_guard lock(mutex_);
  if (methods.empty()) refused_++;
  for (uintptr_t method : methods) Add(method, ids_.Find(method));
}

uintptr_t InterpretedMethods::MethodNamed(const char* name, jvmtiEnv* jvmti, JNIEnv* jni, jclass type) const {
  if (MethodsOfClass(jvmti, type).empty()) return 0;
  for (uintptr_t method : classes_.Of(jni, type)) {
    jmethodID id = ids_.Find(method);
    char* text = nullptr;
    if (id == nullptr || jvmti->GetMethodName(id, &text, nullptr, nullptr) != JVMTI_ERROR_NONE) continue;
    const bool found = strcmp(text, name) == 0;
    jvmti->Deallocate(reinterpret_cast<unsigned char*>(text));
    if (found) return method;
  }
  return 0;
}

void InterpretedMethods::Add(uintptr_t method, jmethodID id) {
  // One that the VM added to the class: a default method's place in a table, with no code of its own worth a name.
  if (id == nullptr) return;
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
