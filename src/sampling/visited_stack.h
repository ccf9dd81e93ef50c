// What a sampled thread remembers of its stack between samples: the frames that the last walk saw,
// oldest first. Merging a new walk with it tells new activations from old ones (P4). Used by the
// thread itself only, in signal handlers and yieldpoints: no allocation, memory given by the owner.
#pragma once

#include <cstdint>

namespace assay::sampling {

// Where a frame stands, in a form that needs no look at the VM: resolved later.
struct RawFrame {
  enum Kind : uint64_t { kAtCall = 0, kNear = 1, kMethodOnly = 2, kLastKind = 2 };
  uint64_t a = 0;  // pc of compiled code, or a Method*
  uint64_t b = 0;  // Kind, or the address of the bytecode (always larger than kLastKind)
  bool interpreted() const { return b > kLastKind; }
  bool operator==(const RawFrame&) const = default;
};

struct StackFrame {
  uintptr_t return_slot = 0;  // where the return address lies: fixed for the life of an activation
  uintptr_t return_pc = 0;
  uintptr_t identity = 0;  // code blob or Method*
  RawFrame where = {};

  bool SameAs(const StackFrame& other) const {
    return return_slot == other.return_slot && return_pc == other.return_pc &&
           identity == other.identity;
  }
};

class VisitedStack {
 public:
  void Use(StackFrame* memory, uint32_t capacity) {
    frames_ = memory;
    capacity_ = capacity;
    depth_ = 0;
  }
  uint32_t depth() const { return depth_; }
  const StackFrame& frame(uint32_t index) const { return frames_[index]; }
  const StackFrame& newest() const { return frames_[depth_ - 1]; }
  void Clear() { depth_ = 0; }

  // The thread returned through the return address at `slot`.
  void PopReturned(uintptr_t slot) {
    while (depth_ > 0 && frames_[depth_ - 1].return_slot <= slot) depth_--;
  }
  // Nothing below the stack pointer is alive.
  void DropBelow(uintptr_t sp) {
    while (depth_ > 0 && frames_[depth_ - 1].return_slot < sp) depth_--;
  }

  // While the mark holds: whether `frame`, met on the way to older ones, is the newest remembered.
  // Forgets those passed on the way. A frame in the same place that differs is not the same.
  bool Meets(const StackFrame& frame) {
    while (depth_ > 0 && frames_[depth_ - 1].return_slot < frame.return_slot) depth_--;
    if (depth_ == 0 || frames_[depth_ - 1].return_slot != frame.return_slot) return false;
    if (frames_[depth_ - 1].SameAs(frame)) return true;
    depth_--;
    return false;
  }

  // Without a mark: forgets all but the oldest frames that look the same in a whole walk (given
  // newest first). Of those kept, all but the newest also stand where they stood.
  void KeepCommon(const StackFrame* walk, uint32_t count) {
    uint32_t common = 0;
    while (common < depth_ && common < count && frames_[common].SameAs(walk[count - 1 - common])) {
      common++;
      if (frames_[common - 1].where != walk[count - common].where) break;
    }
    depth_ = common;
  }

  // False: no room for so many.
  bool HasRoom(uint32_t count) const { return depth_ + count <= capacity_; }
  void Push(const StackFrame& frame) { frames_[depth_++] = frame; }
  void Pop() { depth_--; }

 private:
  StackFrame* frames_ = nullptr;
  uint32_t capacity_ = 0;
  uint32_t depth_ = 0;
};

}  // namespace assay::sampling
