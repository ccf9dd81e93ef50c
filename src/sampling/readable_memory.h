// Whether memory can be read, asked of the kernel: for addresses that a description of the VM leads to before it has been
// proven. A few microseconds each; any thread, no signal handlers.
#pragma once

#include <cstddef>
#include <cstdint>

namespace assay::sampling {

class ReadableMemory {
 public:
  ReadableMemory();
  ~ReadableMemory();
  ReadableMemory(const ReadableMemory&) = delete;
  ReadableMemory& operator=(const ReadableMemory&) = delete;

  // False, too, where the kernel cannot be asked. Up to 64 bytes.
  bool Has(uintptr_t address, size_t bytes) const;

 private:
  int ends_[2] = {-1, -1};  // of a pipe: writing from where nothing can be read is an error and no fault
};

}  // namespace assay::sampling
