// Walks the Java frames of a thread from its newest, reading nothing but its own stack, the code
// heap's maps and the headers of code that is on the stack and so cannot go away. On the walked
// thread itself, in signal handlers and yieldpoints: no locks, no allocation.
//
// Layouts (frame_x86.hpp, nmethod.hpp, javaCalls.hpp of 17u and 25u; all offsets that the VM
// exports are taken from vmStructs):
//   compiled      frame size from the code blob; the return address is its last word, the caller's
//                 rbp the word below
//   interpreted   rbp[1] return address, rbp[0] caller's rbp, rbp[-1] caller's sp, rbp[-3] Method*,
//                 rbp[-8] bytecode pointer as of the last call
//   call stub     rbp[-6] JavaCallWrapper*, whose anchor leads to the Java frames before the native
//   ones
// A frame that was deoptimized but not yet returned to has its pc replaced; the original is kept in
// the frame.
#pragma once

#include <atomic>
#include <cstdint>

#include "src/base/result.h"
#include "src/sampling/hotspot/code_heap.h"
#include "src/sampling/hotspot/interpreted_methods.h"
#include "src/sampling/hotspot/vm_structs.h"
#include "src/sampling/thread_states.h"
#include "src/sampling/visited_stack.h"

namespace assay::sampling {

struct Registers {
  uintptr_t pc, sp, fp, bcp;  // rip, rsp, rbp, r13
};

// A place to go on from: the pc is that of a call.
struct FrameCursor {
  uintptr_t pc = 0, sp = 0, fp = 0;
};

class FrameWalker {
 public:
  enum Step {
    kFrame,    // `frame` filled
    kPassed,   // stub, or native frames between Java ones
    kEnd,      // no older Java frame
    kOutside,  // code whose frames are not described: continuation, upcall
    kBroken,   // not a stack that Java code leaves
  };
  enum Top {
    kTopFrame,    // `frame` filled, cursor at its caller
    kTopLeaving,  // the same, for a frame that is being taken down
    kTopCall,     // cursor at the newest Java frame, which called into the VM or native code
    kTopNone,     // no Java frames
    kTopUnclear,  // in a stub, or a frame being built
  };

  Status Load(const VmStructs& structs, const CodeHeap* code, const InterpretedMethods* methods,
              uintptr_t call_stub_return);
  void SetInterpreter(uintptr_t begin, uintptr_t end) {
    interpreter_begin_ = begin;
    interpreter_end_ = end;
  }

  Step Next(FrameCursor* cursor, uintptr_t stack_base, StackFrame* frame) const;
  Top FindTop(uintptr_t thread, const Registers& registers, uintptr_t stack_base,
              FrameCursor* cursor, StackFrame* frame) const;

  bool IsInterpreter(uintptr_t pc) const {
    return pc >= interpreter_begin_ && pc < interpreter_end_;
  }
  // Whether code of a Java method, and not only the way into its native code.
  enum class Code { kOther, kMethod, kNative };
  Code KindOf(uintptr_t blob) const;
  // The pc of the call that a frame with this blob, pc and sp is in: another than `pc` when the frame was deoptimized.
  uintptr_t CallIn(uintptr_t blob, uintptr_t pc, uintptr_t sp) const;
  // The Method* of a frame.
  uintptr_t MethodOf(const StackFrame& frame) const;
  uintptr_t StackBase(uintptr_t thread) const;
  const ThreadStates& states() const { return states_; }

 private:
  Step NextInterpreted(FrameCursor* cursor, uintptr_t base, uintptr_t bcp, StackFrame* frame) const;
  Step NextEntry(FrameCursor* cursor, uintptr_t base) const;
  bool FromAnchor(uintptr_t anchor, FrameCursor* cursor) const;
  Top TopInterpreted(const Registers& registers, uintptr_t base, FrameCursor* cursor,
                     StackFrame* frame) const;
  Top TopCompiled(const Registers& registers, uintptr_t blob, uintptr_t base, FrameCursor* cursor,
                  StackFrame* frame) const;
  uintptr_t OriginalPc(uintptr_t blob, uintptr_t pc, uintptr_t sp, bool* deoptimized) const;

  const CodeHeap* code_ = nullptr;
  const InterpretedMethods* methods_ = nullptr;
  std::atomic<uintptr_t> interpreter_begin_{0}, interpreter_end_{0};
  uintptr_t call_stub_return_ = 0;
  uint64_t anchor_ = 0, anchor_sp_ = 0, anchor_fp_ = 0, anchor_pc_ = 0, wrapper_anchor_ = 0;
  ThreadStates states_;
  uint64_t stack_base_ = 0;
  uint64_t blob_name_ = 0, frame_complete_ = 0;
  uint64_t deopt_ = 0, deopt_mh_ = 0, original_pc_ = 0;  // addresses or offsets
  bool deopt_is_offset_ = false;
};

}  // namespace assay::sampling
