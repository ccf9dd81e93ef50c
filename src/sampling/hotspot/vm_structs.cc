#include "src/sampling/hotspot/vm_structs.h"

#include <dlfcn.h>

namespace assay::sampling {
namespace {

Result<uint64_t> Number(void* library, const char* name) {
  void* at = dlsym(library, name);
  if (at == nullptr) return Error{std::string("libjvm does not export ") + name};
  return *static_cast<uint64_t*>(at);
}

template <typename T>
T Field(const char* row, uint64_t offset) {
  return *reinterpret_cast<const T*>(row + offset);
}

// Calls visit(name, row) for every row of a table of libjvm; what rows look like is exported under names that begin with
// `entry`. The last row has no name.
template <typename Visit>
Status ForEachRow(void* library, const char* table, const std::string& entry, const char* name_offset, Visit visit) {
  ASSAY_ASSIGN(uint64_t rows, Number(library, table));
  ASSAY_ASSIGN(uint64_t stride, Number(library, (entry + "ArrayStride").c_str()));
  ASSAY_ASSIGN(uint64_t name, Number(library, (entry + name_offset).c_str()));
  for (const char* row = reinterpret_cast<const char*>(rows); Field<const char*>(row, name) != nullptr; row += stride) {
    visit(Field<const char*>(row, name), row);
  }
  return {};
}

}  // namespace

Result<VmStructs> VmStructs::Load(const void* inside_libjvm) {
  Dl_info info;
  if (dladdr(inside_libjvm, &info) == 0 || info.dli_fname == nullptr) {
    return Error{"libjvm cannot be located"};
  }
  VmStructs structs;
  structs.library_ = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (structs.library_ == nullptr) return Error{"libjvm cannot be opened"};
  ASSAY_TRY(structs.LoadFields());
  ASSAY_TRY(structs.LoadTypes());
  ASSAY_TRY(structs.LoadConstants());
  return structs;
}

Status VmStructs::LoadFields() {
  ASSAY_ASSIGN(uint64_t field, Number(library_, "gHotSpotVMStructEntryFieldNameOffset"));
  ASSAY_ASSIGN(uint64_t is_static, Number(library_, "gHotSpotVMStructEntryIsStaticOffset"));
  ASSAY_ASSIGN(uint64_t offset, Number(library_, "gHotSpotVMStructEntryOffsetOffset"));
  ASSAY_ASSIGN(uint64_t address, Number(library_, "gHotSpotVMStructEntryAddressOffset"));
  return ForEachRow(library_, "gHotSpotVMStructs", "gHotSpotVMStructEntry", "TypeNameOffset",
                    [&](const std::string& type, const char* row) {
                      const std::string name = type + "::" + Field<const char*>(row, field);
                      if (Field<int32_t>(row, is_static) != 0) {
                        statics_[name] = Field<uintptr_t>(row, address);
                      } else {
                        offsets_[name] = Field<uint64_t>(row, offset);
                      }
                    });
}

Status VmStructs::LoadTypes() {
  ASSAY_ASSIGN(uint64_t size, Number(library_, "gHotSpotVMTypeEntrySizeOffset"));
  return ForEachRow(library_, "gHotSpotVMTypes", "gHotSpotVMTypeEntry", "TypeNameOffset",
                    [&](const std::string& type, const char* row) { sizes_[type] = Field<uint64_t>(row, size); });
}

Status VmStructs::LoadConstants() {
  ASSAY_ASSIGN(uint64_t value, Number(library_, "gHotSpotVMIntConstantEntryValueOffset"));
  return ForEachRow(library_, "gHotSpotVMIntConstants", "gHotSpotVMIntConstantEntry", "NameOffset",
                    [&](const std::string& name, const char* row) { constants_[name] = Field<int32_t>(row, value); });
}

Result<uint64_t> VmStructs::Offset(const std::string& field) const {
  auto it = offsets_.find(field);
  if (it == offsets_.end()) return Error{"this VM does not describe " + field};
  return it->second;
}

Result<uintptr_t> VmStructs::StaticAddress(const std::string& field) const {
  auto it = statics_.find(field);
  if (it == statics_.end()) return Error{"this VM does not describe " + field};
  return it->second;
}

Result<uint64_t> VmStructs::SizeOf(const std::string& type) const {
  auto it = sizes_.find(type);
  if (it == sizes_.end()) return Error{"this VM does not describe " + type};
  return it->second;
}

Result<int32_t> VmStructs::Constant(const std::string& name) const {
  auto it = constants_.find(name);
  if (it == constants_.end()) return Error{"this VM does not describe " + name};
  return it->second;
}

Result<ThreadStates> VmStructs::StatesOfThreads() const {
  ThreadStates states;
  ASSAY_ASSIGN(states.offset, Offset("JavaThread::_thread_state"));
  ASSAY_ASSIGN(states.native, Constant("_thread_in_native"));
  ASSAY_ASSIGN(states.vm, Constant("_thread_in_vm"));
  ASSAY_ASSIGN(states.java, Constant("_thread_in_Java"));
  auto optional = [this](const char* name) {
    auto value = Constant(name);
    return value.ok() ? *value : ThreadStates::kNone;
  };
  states.native_trans = optional("_thread_in_native_trans");
  states.vm_trans = optional("_thread_in_vm_trans");
  states.java_trans = optional("_thread_in_Java_trans");
  return states;
}

void* VmStructs::Symbol(const char* name) const { return dlsym(library_, name); }

}  // namespace assay::sampling
