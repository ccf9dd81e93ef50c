#include "src/sampling/hotspot/vm_flags.h"

namespace assay::sampling {
namespace {

template <typename T>
T Read(uintptr_t at) {
  return *reinterpret_cast<const T*>(at);
}

// Where the VM keeps the value of a flag; 0 for one that it does not have.
Result<uintptr_t> ValueOf(const VmStructs& structs, std::string_view flag) {
  ASSAY_ASSIGN(uintptr_t table, structs.StaticAddress("JVMFlag::flags"));
  ASSAY_ASSIGN(uintptr_t count, structs.StaticAddress("JVMFlag::numFlags"));
  ASSAY_ASSIGN(uint64_t name, structs.Offset("JVMFlag::_name"));
  ASSAY_ASSIGN(uint64_t value, structs.Offset("JVMFlag::_addr"));
  ASSAY_ASSIGN(uint64_t size, structs.SizeOf("JVMFlag"));
  uintptr_t row = Read<uintptr_t>(table);
  for (uint64_t left = Read<uint64_t>(count); left > 0; --left, row += size) {
    const char* candidate = Read<const char*>(row + name);
    // The last row of the table is empty.
    if (candidate != nullptr && candidate == flag) return Read<uintptr_t>(row + value);
  }
  return uintptr_t{0};
}

}  // namespace

Result<std::string> FlagText(const VmStructs& structs, std::string_view flag) {
  ASSAY_ASSIGN(uintptr_t value, ValueOf(structs, flag));
  const char* text = value == 0 ? nullptr : Read<const char*>(value);
  return text == nullptr ? "" : std::string(text);
}

Result<bool> FlagIsOn(const VmStructs& structs, std::string_view flag) {
  ASSAY_ASSIGN(uintptr_t value, ValueOf(structs, flag));
  return value != 0 && Read<uint8_t>(value) != 0;
}

}  // namespace assay::sampling
