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

}  // namespace

Result<VmStructs> VmStructs::Load(const void* inside_libjvm) {
  Dl_info info;
  if (dladdr(inside_libjvm, &info) == 0 || info.dli_fname == nullptr) {
    return Error{"libjvm cannot be located"};
  }
  VmStructs structs;
  structs.library_ = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (structs.library_ == nullptr) return Error{"libjvm cannot be opened"};

  ASSAY_ASSIGN(uint64_t rows, Number(structs.library_, "gHotSpotVMStructs"));
  ASSAY_ASSIGN(uint64_t stride, Number(structs.library_, "gHotSpotVMStructEntryArrayStride"));
  ASSAY_ASSIGN(uint64_t type, Number(structs.library_, "gHotSpotVMStructEntryTypeNameOffset"));
  ASSAY_ASSIGN(uint64_t field, Number(structs.library_, "gHotSpotVMStructEntryFieldNameOffset"));
  ASSAY_ASSIGN(uint64_t is_static, Number(structs.library_, "gHotSpotVMStructEntryIsStaticOffset"));
  ASSAY_ASSIGN(uint64_t offset, Number(structs.library_, "gHotSpotVMStructEntryOffsetOffset"));
  ASSAY_ASSIGN(uint64_t address, Number(structs.library_, "gHotSpotVMStructEntryAddressOffset"));
  for (const char* row = reinterpret_cast<const char*>(rows); Field<const char*>(row, type) != nullptr;
       row += stride) {
    std::string name = std::string(Field<const char*>(row, type)) + "::" + Field<const char*>(row, field);
    if (Field<int32_t>(row, is_static) != 0) {
      structs.statics_[name] = Field<uintptr_t>(row, address);
    } else {
      structs.offsets_[name] = Field<uint64_t>(row, offset);
    }
  }

  ASSAY_ASSIGN(uint64_t types, Number(structs.library_, "gHotSpotVMTypes"));
  ASSAY_ASSIGN(uint64_t type_stride, Number(structs.library_, "gHotSpotVMTypeEntryArrayStride"));
  ASSAY_ASSIGN(uint64_t type_name, Number(structs.library_, "gHotSpotVMTypeEntryTypeNameOffset"));
  ASSAY_ASSIGN(uint64_t type_size, Number(structs.library_, "gHotSpotVMTypeEntrySizeOffset"));
  for (const char* row = reinterpret_cast<const char*>(types);
       Field<const char*>(row, type_name) != nullptr; row += type_stride) {
    structs.sizes_[Field<const char*>(row, type_name)] = Field<uint64_t>(row, type_size);
  }

  ASSAY_ASSIGN(uint64_t constants, Number(structs.library_, "gHotSpotVMIntConstants"));
  ASSAY_ASSIGN(uint64_t constant_stride, Number(structs.library_, "gHotSpotVMIntConstantEntryArrayStride"));
  ASSAY_ASSIGN(uint64_t constant_name, Number(structs.library_, "gHotSpotVMIntConstantEntryNameOffset"));
  ASSAY_ASSIGN(uint64_t value, Number(structs.library_, "gHotSpotVMIntConstantEntryValueOffset"));
  for (const char* row = reinterpret_cast<const char*>(constants);
       Field<const char*>(row, constant_name) != nullptr; row += constant_stride) {
    structs.constants_[Field<const char*>(row, constant_name)] = Field<int32_t>(row, value);
  }
  return structs;
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
