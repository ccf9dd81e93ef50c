// What a sampled thread remembers of its stack between samples: the frames that the last walk saw,
// oldest first. Merging a new walk with it tells new activations from old ones (P4). Used by the
// thread itself only, in signal handlers and yieldpoints: no allocation, memory given by the owner.
#pragma once

#include <cstdint>

namespace assay::sampling {

// Where a frame stands, in a form that needs no look at the VM: resolved later.
struct RawFrame {
  enum Kind : uint64_t { kAtCall = 0, kNear = 1, kMethodOnly = 2, kNative = 3, kLastKind = 3 };
  static constexpr uint64_t kCompiled = uint64_t{1} << 63;
  // In place of a bytecode's address that is not known.
  static constexpr uint64_t kNoBytecode = uint64_t{1} << 62;
  uint64_t a = 0;  // pc of compiled code, or a Method*
  // Of compiled code the Kind and, from bit 2 on and with kCompiled, the number of the compilation: another method can be
  // at the same address by the time that the frame is resolved. Otherwise the address of the bytecode.
  uint64_t b = 0;

  static RawFrame Compiled(uintptr_t pc, Kind kind, int32_t compilation) {
    return {pc, kCompiled | uint64_t{static_cast<uint32_t>(compilation)} << 2 | kind};
  }
  bool interpreted() const { return b > kLastKind && !(b & kCompiled); }
  Kind kind() const { return static_cast<Kind>(b & kLastKind); }
  // 0: not known.
  int32_t compilation() const { return b & kCompiled ? static_cast<int32_t>(static_cast<uint32_t>(b >> 2)) : 0; }
  // Whether the frame returns through the poll of compiled code, which reports to us.
  bool guarded() const { return !interpreted() && kind() < kNative; }
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

  // The number of frames up to the one to mark: the newest compiled one. The return of an
  // interpreted or native frame would take the mark away without telling us, so those above it stay
  // unguarded and are told from others in the same place by their looks. With no compiled frame at
  // all there is nothing to lose, and the newest is marked.
  uint32_t Guarded() const {
    uint32_t count = depth_;
    while (count > 0 && !frames_[count - 1].where.guarded()) count--;
    return count > 0 ? count : depth_;
  }

  // While the mark holds: whether `frame`, met on the way to older ones, is the newest of the
  // *guarded frames. Those passed on the way are left out of the number. A frame in the same place
  // that differs is not the same.
  bool Meets(const StackFrame& frame, uint32_t* guarded) const {
    while (*guarded > 0 && frames_[*guarded - 1].return_slot < frame.return_slot) (*guarded)--;
    if (*guarded == 0 || frames_[*guarded - 1].return_slot != frame.return_slot) return false;
    if (frames_[*guarded - 1].SameAs(frame)) return true;
    (*guarded)--;
    return false;
  }

  // Forgets all but the oldest `known` frames and those above that look the same in a walk, given
  // newest first, whose oldest frame is number `known` (or the first when none is known). A frame
  // can be the same activation only if its caller stands where it stood.
  void KeepCommon(const StackFrame* walk, uint32_t count, uint32_t known) {
    const uint32_t base = known > 0 ? known - 1 : 0;
    auto walked = [&](uint32_t i) -> const StackFrame& { return walk[count - 1 - (i - base)]; };
    uint32_t common = known;
    for (; common < depth_ && common - base < count; common++) {
      if (!frames_[common].SameAs(walked(common))) break;
      if (common > base && frames_[common - 1].where != walked(common - 1).where) break;
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
