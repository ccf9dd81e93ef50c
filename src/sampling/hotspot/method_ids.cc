#include "src/sampling/hotspot/method_ids.h"

namespace assay::sampling {
namespace {

uintptr_t Word(uintptr_t address) { return *reinterpret_cast<volatile uintptr_t*>(address); }

}  // namespace

Status MethodIds::Load(const VmStructs& structs, jvmtiEnv* jvmti, JNIEnv* jni) {
  ASSAY_ASSIGN(const_method_, structs.Offset("Method::_constMethod"));
  ASSAY_ASSIGN(constants_, structs.Offset("ConstMethod::_constants"));
  ASSAY_ASSIGN(id_number_, structs.Offset("ConstMethod::_method_idnum"));
  ASSAY_ASSIGN(holder_, structs.Offset("ConstantPool::_pool_holder"));
  ASSAY_ASSIGN(ids_, structs.Offset("InstanceKlass::_methods_jmethod_ids"));
  jclass string = jni->FindClass("java/lang/String");
  jint count = 0;
  jmethodID* ids = nullptr;
  if (string == nullptr || jvmti->GetClassMethods(string, &count, &ids) != JVMTI_ERROR_NONE) {
    return Error{"java.lang.String has no methods"};
  }
  Status status;
  for (jint i = 0; i < count && status.ok(); i++) {
    // A jmethodID is a pointer to a Method* (method.hpp, resolve_jmethod_id).
    uintptr_t method = Word(reinterpret_cast<uintptr_t>(ids[i]));
    if (method == 0 || method % 8 != 0 || Find(method) != ids[i]) {
      status = Error{"the VM's methods do not lead to their ids as described"};
    }
  }
  if (status.ok() && count < 50) status = Error{"too few methods to check the VM's description with"};
  jvmti->Deallocate(reinterpret_cast<unsigned char*>(ids));
  jni->DeleteLocalRef(string);
  return status;
}

jmethodID MethodIds::Find(uintptr_t method) const {
  uintptr_t details = Word(method + const_method_);
  if (details == 0 || details % 8 != 0) return nullptr;
  uintptr_t constants = Word(details + constants_);
  if (constants == 0 || constants % 8 != 0) return nullptr;
  uintptr_t holder = Word(constants + holder_);
  if (holder == 0 || holder % 8 != 0) return nullptr;
  uintptr_t ids = Word(holder + ids_);
  uint64_t number = *reinterpret_cast<volatile uint16_t*>(details + id_number_);
  // The first word is their number.
  if (ids == 0 || ids % 8 != 0 || number >= Word(ids)) return nullptr;
  return reinterpret_cast<jmethodID>(Word(ids + (number + 1) * sizeof(uintptr_t)));
}

}  // namespace assay::sampling
