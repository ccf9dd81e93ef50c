// Finds the code blob that holds a program counter, the way the VM does it (heap.cpp,
// CodeHeap::find_block_for), reading the VM's own segment maps. Lock-free; safe for a blob that cannot be
// freed meanwhile, such as one with an activation on the calling thread's stack.
#pragma once

#include <cstdint>

#include "src/base/result.h"
#include "src/sampling/hotspot/vm_structs.h"

namespace assay::sampling {

class CodeHeap {
 public:
  static Result<CodeHeap> Load(const VmStructs& structs);

  // 0 when `pc` is in no blob.
  uintptr_t FindBlob(uintptr_t pc) const;
  // In words, with the return address.
  int32_t FrameSize(uintptr_t blob) const { return *reinterpret_cast<int32_t*>(blob + frame_size_); }
  // Of a blob known to be a compiled method: made for on-stack replacement, not entered by calls.
  bool IsOsr(uintptr_t blob) const { return *reinterpret_cast<int32_t*>(blob + entry_bci_) != -1; }
  // Where its instructions begin: JVMTI's address of a compiled method.
  uintptr_t CodeBegin(uintptr_t blob) const {
    uintptr_t at = blob + code_begin_;
    return code_is_offset_ ? blob + *reinterpret_cast<int32_t*>(at) : *reinterpret_cast<uintptr_t*>(at);
  }
  // The number that the VM gave the compilation of a blob known to be a compiled method; never used again.
  int32_t Compilation(uintptr_t blob) const { return *reinterpret_cast<int32_t*>(blob + compile_id_); }
  // The Method* of a blob known to be a compiled method.
  uintptr_t MethodOf(uintptr_t blob) const { return *reinterpret_cast<uintptr_t*>(blob + method_); }
  uint32_t BlobSize(uintptr_t blob) const { return *reinterpret_cast<uint32_t*>(blob + size_); }

  // How many there are, roughly: the VM may be adding one.
  size_t Blobs() const;

  // Whether what this class reads about a compiled method fits what JVMTI says about it.
  bool Agrees(uintptr_t code, uint32_t length) const;

 private:
  static constexpr int kMaxHeaps = 8;
  struct Heap {
    const uintptr_t* low = nullptr;   // where the VM keeps the bounds: a heap grows
    const uintptr_t* high = nullptr;
    const uintptr_t* segments = nullptr;
    uint32_t shift = 0;
  };
  Heap heaps_[kMaxHeaps] = {};
  int count_ = 0;
  uint64_t header_ = 0;
  uint64_t frame_size_ = 0, entry_bci_ = 0, size_ = 0, method_ = 0, compile_id_ = 0;
  uint64_t code_begin_ = 0;  // of a pointer, or of an offset
  bool code_is_offset_ = false;
};

}  // namespace assay::sampling
