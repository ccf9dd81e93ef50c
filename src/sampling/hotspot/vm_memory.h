// Reads of the VM's own memory, each exactly once. Any context; the address has to be known to be readable.
#pragma once

#include <cstdint>

namespace assay::sampling {

inline uintptr_t VmWord(uintptr_t address) { return *reinterpret_cast<volatile uintptr_t*>(address); }
inline int32_t VmInt(uintptr_t address) { return *reinterpret_cast<volatile int32_t*>(address); }
inline uint16_t VmHalf(uintptr_t address) { return *reinterpret_cast<volatile uint16_t*>(address); }

// Whether a word can be the address of one of the VM's objects.
inline bool IsVmPointer(uintptr_t word) { return word != 0 && word % sizeof(uintptr_t) == 0; }

}  // namespace assay::sampling
