#include "src/sampling/hotspot/code_heap.h"

#include <algorithm>

namespace assay::sampling {

Result<CodeHeap> CodeHeap::Load(const VmStructs& structs) {
  ASSAY_ASSIGN(uintptr_t heaps, structs.StaticAddress("CodeCache::_heaps"));
  ASSAY_ASSIGN(uint64_t length, structs.Offset("GrowableArrayBase::_len"));
  ASSAY_ASSIGN(uint64_t data, structs.Offset("GrowableArray<int>::_data"));
  ASSAY_ASSIGN(uint64_t memory, structs.Offset("CodeHeap::_memory"));
  ASSAY_ASSIGN(uint64_t segmap, structs.Offset("CodeHeap::_segmap"));
  ASSAY_ASSIGN(uint64_t shift, structs.Offset("CodeHeap::_log2_segment_size"));
  ASSAY_ASSIGN(uint64_t low, structs.Offset("VirtualSpace::_low"));
  ASSAY_ASSIGN(uint64_t high, structs.Offset("VirtualSpace::_high"));
  CodeHeap code;
  ASSAY_ASSIGN(code.header_, structs.SizeOf("HeapBlock"));
  ASSAY_ASSIGN(code.frame_size_, structs.Offset("CodeBlob::_frame_size"));
  ASSAY_ASSIGN(code.size_, structs.Offset("CodeBlob::_size"));
  ASSAY_ASSIGN(code.entry_bci_, structs.Offset("nmethod::_entry_bci"));
  ASSAY_ASSIGN(code.compile_id_, structs.Offset("nmethod::_compile_id"));
  auto method = structs.Offset("nmethod::_method");
  if (!method.ok()) method = structs.Offset("CompiledMethod::_method");  // before 23
  ASSAY_ASSIGN(code.method_, method);
  auto begin = structs.Offset("CodeBlob::_code_begin");
  code.code_is_offset_ = !begin.ok();
  if (code.code_is_offset_) begin = structs.Offset("CodeBlob::_code_offset");
  ASSAY_ASSIGN(code.code_begin_, begin);

  uintptr_t array = *reinterpret_cast<uintptr_t*>(heaps);
  if (array == 0) return Error{"the VM has no code cache yet"};
  code.count_ = *reinterpret_cast<int32_t*>(array + length);
  if (code.count_ < 1 || code.count_ > kMaxHeaps) return Error{"unexpected number of code heaps"};
  auto* pointers = *reinterpret_cast<uintptr_t**>(array + data);
  for (int i = 0; i < code.count_; i++) {
    uintptr_t heap = pointers[i];
    code.heaps_[i] = {reinterpret_cast<uintptr_t*>(heap + memory + low),
                      reinterpret_cast<uintptr_t*>(heap + memory + high),
                      reinterpret_cast<uintptr_t*>(heap + segmap + low),
                      *reinterpret_cast<uint32_t*>(heap + shift)};
    if (code.heaps_[i].shift < 4 || code.heaps_[i].shift > 16) {
      return Error{"unexpected segment size of a code heap"};
    }
  }
  return code;
}

uintptr_t CodeHeap::FindBlob(uintptr_t pc) const {
  constexpr uint8_t kUnused = 0xff;
  for (int i = 0; i < count_; i++) {
    const Heap& heap = heaps_[i];
    uintptr_t low = *heap.low;
    if (pc < low || pc >= *heap.high) continue;
    auto* map = reinterpret_cast<const uint8_t*>(*heap.segments);
    size_t segment = (pc - low) >> heap.shift;
    if (map[segment] == kUnused) return 0;
    for (int hops = 0; map[segment] > 0; hops++) {
      if (hops > 4096 || map[segment] > segment) return 0;
      segment -= map[segment];
    }
    return low + (segment << heap.shift) + header_;
  }
  return 0;
}

size_t CodeHeap::Blobs() const {
  size_t blobs = 0;
  for (int i = 0; i < count_; i++) {
    auto* map = reinterpret_cast<const uint8_t*>(*heaps_[i].segments);
    // A segment that begins a block says 0.
    blobs += std::count(map, map + ((*heaps_[i].high - *heaps_[i].low) >> heaps_[i].shift), 0);
  }
  return blobs;
}

bool CodeHeap::Agrees(uintptr_t code, uint32_t length) const {
  uintptr_t blob = FindBlob(code);
  if (blob == 0 || CodeBegin(blob) != code || FindBlob(code + length - 1) != blob) return false;
  if (BlobSize(blob) < code + length - blob) return false;
  int32_t frame = FrameSize(blob);
  return frame >= 0 && frame < 65536;
}

}  // namespace assay::sampling
