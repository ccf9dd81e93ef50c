#include "src/sampling/hotspot/method_ids.h"

#include <algorithm>
#include <set>

#include "src/sampling/hotspot/vm_memory.h"
#include "src/sampling/readable_memory.h"

namespace assay::sampling {

Status MethodIds::Load(const VmStructs& structs, const KnownMethods& known) {
  Layout layout;
  ASSAY_ASSIGN(layout.const_method, structs.Offset("Method::_constMethod"));
  ASSAY_ASSIGN(layout.constants, structs.Offset("ConstMethod::_constants"));
  ASSAY_ASSIGN(layout.id_number, structs.Offset("ConstMethod::_method_idnum"));
  ASSAY_ASSIGN(layout.holder, structs.Offset("ConstantPool::_pool_holder"));
  ASSAY_ASSIGN(layout.ids, structs.Offset("InstanceKlass::_methods_jmethod_ids"));
  return Prove(layout, known);
}

Status MethodIds::Prove(const Layout& layout, const KnownMethods& known) {
  layout_ = layout;
  ReadableMemory memory;
  auto word = [&](uintptr_t at) { return memory.Has(at, sizeof(uintptr_t)) ? VmWord(at) : 0; };
  auto half = [&](uintptr_t at) { return memory.Has(at, sizeof(uint16_t)) ? VmHalf(at) : uint16_t{0}; };
  const Error otherwise{"the VM's methods do not lead to their ids as described"};
  // All are laid out alike: where most of these lead to an id that JVMTI knows, the rest may be followed.
  const std::set<jmethodID> ids(known.ids.begin(), known.ids.end());
  const size_t wary = std::min<size_t>(16, known.methods.size());
  size_t good = 0;
  for (size_t i = 0; i < wary; i++) good += ids.contains(FindBy(known.methods[i], word, half));
  if (good <= wary / 2) return otherwise;
  std::set<jmethodID> found;
  for (uintptr_t method : known.methods) found.insert(Find(method));
  return std::includes(found.begin(), found.end(), ids.begin(), ids.end()) ? Status() : Status(otherwise);
}

template <typename Word, typename Half>
jmethodID MethodIds::FindBy(uintptr_t method, Word word, Half half) const {
  if (!IsVmPointer(method)) return nullptr;
  uintptr_t details = word(method + layout_.const_method);
  if (!IsVmPointer(details)) return nullptr;
  uintptr_t constants = word(details + layout_.constants);
  if (!IsVmPointer(constants)) return nullptr;
  uintptr_t holder = word(constants + layout_.holder);
  if (!IsVmPointer(holder)) return nullptr;
  uintptr_t ids = word(holder + layout_.ids);
  uint64_t number = half(details + layout_.id_number);
  // The first word is their number.
  if (!IsVmPointer(ids) || number >= word(ids)) return nullptr;
  return reinterpret_cast<jmethodID>(word(ids + (number + 1) * sizeof(uintptr_t)));
}

jmethodID MethodIds::Find(uintptr_t method) const { return FindBy(method, VmWord, VmHalf); }

}  // namespace assay::sampling
