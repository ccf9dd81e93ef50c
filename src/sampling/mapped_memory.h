// Zeroed memory straight from the kernel, for tables that yieldpoints and signal handlers use: it takes up memory
// only where it is touched. Not in those contexts itself.
#pragma once

#include <sys/mman.h>

#include <cstddef>

namespace assay::sampling {

template <typename T>
bool MapZeroed(T** memory, size_t count) {
  void* at = mmap(nullptr, count * sizeof(T), PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) return false;
  *memory = static_cast<T*>(at);
  return true;
}

// The same, with the pages there already, large ones where the kernel has them: for a table that is looked up at
// random, where a page fault or a miss of the TLB would cost more than the look-up.
template <typename T>
bool MapResident(T** memory, size_t count) {
  constexpr size_t kLargePage = 2 << 20;
  const size_t bytes = (count * sizeof(T) + kLargePage - 1) / kLargePage * kLargePage;
  unsigned char* at = nullptr;
  if (!MapZeroed(&at, bytes + kLargePage)) return false;
  auto address = reinterpret_cast<uintptr_t>(at);
  at += (kLargePage - address % kLargePage) % kLargePage;
  madvise(at, bytes, MADV_HUGEPAGE);
  for (size_t page = 0; page < bytes; page += 4096) *static_cast<volatile unsigned char*>(at + page) = 0;
  *memory = reinterpret_cast<T*>(at);
  return true;
}

}  // namespace assay::sampling
