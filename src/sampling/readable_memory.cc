#include "src/sampling/readable_memory.h"

#include <fcntl.h>
#include <unistd.h>

namespace assay::sampling {

ReadableMemory::ReadableMemory() {
  if (pipe2(ends_, O_CLOEXEC | O_NONBLOCK) != 0) ends_[0] = ends_[1] = -1;
}

ReadableMemory::~ReadableMemory() {
  for (int end : ends_) {
    if (end >= 0) close(end);
  }
}

bool ReadableMemory::Has(uintptr_t address, size_t bytes) const {
  char drained[64];
  if (bytes > sizeof drained) return false;
  const ssize_t written = write(ends_[1], reinterpret_cast<const void*>(address), bytes);
  if (written <= 0) return false;
  return read(ends_[0], drained, sizeof drained) == written && static_cast<size_t>(written) == bytes;
}

}  // namespace assay::sampling
