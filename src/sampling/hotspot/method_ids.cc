#include "src/sampling/hotspot/method_ids.h"

#include <set>

#include "src/sampling/hotspot/sampling_environment.h"
#include "src/sampling/hotspot/vm_memory.h"

namespace assay::sampling {

Status MethodIds::Load(const VmStructs& structs, jvmtiEnv* jvmti, JNIEnv* jni) {
  ASSAY_ASSIGN(const_method_, structs.Offset("Method::_constMethod"));
  ASSAY_ASSIGN(constants_, structs.Offset("ConstMethod::_constants"));
  ASSAY_ASSIGN(id_number_, structs.Offset("ConstMethod::_method_idnum"));
  ASSAY_ASSIGN(holder_, structs.Offset("ConstantPool::_pool_holder"));
  ASSAY_ASSIGN(ids_, structs.Offset("InstanceKlass::_methods_jmethod_ids"));
  ASSAY_ASSIGN(auto known, WellKnownMethods(structs, jvmti, jni));
  std::set<jmethodID> found;
  for (uintptr_t method : known.methods) found.insert(Find(method));
  for (jmethodID id : known.ids) {
    if (!found.contains(id)) return Error{"the VM's methods do not lead to their ids as described"};
  }
  return {};
}

jmethodID MethodIds::Find(uintptr_t method) const {
  if (!IsVmPointer(method)) return nullptr;
  uintptr_t details = VmWord(method + const_method_);
  if (!IsVmPointer(details)) return nullptr;
  uintptr_t constants = VmWord(details + constants_);
  if (!IsVmPointer(constants)) return nullptr;
  uintptr_t holder = VmWord(constants + holder_);
  if (!IsVmPointer(holder)) return nullptr;
  uintptr_t ids = VmWord(holder + ids_);
  uint64_t number = VmHalf(details + id_number_);
  // The first word is their number.
  if (!IsVmPointer(ids) || number >= VmWord(ids)) return nullptr;
  return reinterpret_cast<jmethodID>(VmWord(ids + (number + 1) * sizeof(uintptr_t)));
}

}  // namespace assay::sampling
