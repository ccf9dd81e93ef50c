#include "src/sampling/hotspot/vm_flags.h"

namespace assay::sampling {
namespace {

template <typename T>
T Read(uintptr_t at) {
  return *reinterpret_cast<const T*>(at);
}

}  // namespace

Result<std::string> FlagText(const VmStructs& structs, std::string_view flag) {
  ASSAY_ASSIGN(uintptr_t table, structs.StaticAddress("JVMFlag::flags"));
  ASSAY_ASSIGN(uintptr_t count, structs.StaticAddress("JVMFlag::numFlags"));
  ASSAY_ASSIGN(uint64_t name, structs.Offset("JVMFlag::_name"));
  ASSAY_ASSIGN(uint64_t value, structs.Offset("JVMFlag::_addr"));
  ASSAY_ASSIGN(uint64_t size, structs.SizeOf("JVMFlag"));
  uintptr_t row = Read<uintptr_t>(table);
  for (uint64_t left = Read<uint64_t>(count); left > 0; --left, row += size) {
    const char* candidate = Read<const char*>(row + name);
    // The last row of the table is empty.
    if (candidate == nullptr || candidate != flag) continue;
    const char* text = Read<const char*>(Read<uintptr_t>(row + value));
    return text == nullptr ? "" : std::string(text);
  }
  return std::string();
}

}  // namespace assay::sampling
