#include "src/sampling/hotspot/interpreted_methods.h"

#include "src/base/hash.h"
#include "src/sampling/mapped_memory.h"

namespace assay::sampling {
namespace {

uintptr_t Word(uintptr_t address) { return *reinterpret_cast<uintptr_t*>(address); }
uint16_t Half(uintptr_t address) { return *reinterpret_cast<uint16_t*>(address); }

}  // namespace

Status InterpretedMethods::Load(const VmStructs& structs, jvmtiEnv* jvmti, JNIEnv* jni) {
  ASSAY_ASSIGN(const_method_, structs.Offset("Method::_constMethod"));
  ASSAY_ASSIGN(code_size_, structs.Offset("ConstMethod::_code_size"));
  ASSAY_ASSIGN(max_stack_, structs.Offset("ConstMethod::_max_stack"));
  ASSAY_ASSIGN(const_method_bytes_, structs.SizeOf("ConstMethod"));
  if (entries_ == nullptr && !MapZeroed(&entries_, kEntries)) return Error{"not enough address space"};
  // A jmethodID is a pointer to a Method* (method.hpp, resolve_jmethod_id).
  jclass string = jni->FindClass("java/lang/String");
  jint count = 0;
  jmethodID* ids = nullptr;
  if (string == nullptr || jvmti->GetClassMethods(string, &count, &ids) != JVMTI_ERROR_NONE) {
    return Error{"java.lang.String has no methods"};
  }
  Status status;
  int checked = 0;
  for (jint i = 0; i < count && checked < 20 && status.ok(); i++) {
    jlocation begin = 0, end = 0;
    if (jvmti->GetMethodLocation(ids[i], &begin, &end) != JVMTI_ERROR_NONE || end <= 0) continue;
    uintptr_t method = Word(reinterpret_cast<uintptr_t>(ids[i]));
    uintptr_t details = method == 0 || method % 8 != 0 ? 0 : Word(method + const_method_);
    if (details == 0 || details % 8 != 0 ||
        Half(details + code_size_) != static_cast<uint16_t>(end + 1)) {
      status = Error{"the VM's methods are not laid out as described"};
    }
    checked++;
  }
  jvmti->Deallocate(reinterpret_cast<unsigned char*>(ids));
  jni->DeleteLocalRef(string);
  if (status.ok() && checked < 10)
    return Error{"too few methods to check the VM's description with"};
  return status;
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
  uintptr_t method = Word(reinterpret_cast<uintptr_t>(id));
  if (method == 0) return;
  uintptr_t details = Word(method + const_method_);
  uint64_t at = Mix64(method);
  for (uint32_t probe = 0; probe < kProbes; probe++, at++) {
    Entry& entry = entries_[at % kEntries];
    uintptr_t key = entry.method.load(std::memory_order_relaxed);
    if (key != 0 && key != method) continue;
    entry.code = details + const_method_bytes_;
    entry.code_bytes = Half(details + code_size_);
    entry.max_stack = Half(details + max_stack_);
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
