// The verifier's view of straight-line code (JVMS 4.10.1.9), without its checks: what each
// instruction does to the types in the locals and on the stack.
//
// In a class with stack-map frames the state at any instruction follows from the last frame before
// it, so one walk over the elements gives the state everywhere, with no merging and without
// knowing any other class:
//   Simulator state(file, method, code);
//   state.Start();
//   for (Element& element : code.elements) {
//     if (wanted(element)) frame = state.CaptureFrame();   // the state before the element
//     ASSAY_TRY(state.Step(element));
//   }
#pragma once

#include <vector>

#include "src/base/result.h"
#include "src/bytecode/code.h"
#include "src/classfile/class_file.h"

namespace assay::bytecode {

class Simulator {
 public:
  Simulator(const classfile::ClassFile& file, const classfile::Method& method, Code& code)
      : file_(file), method_(method), code_(code) {}

  // The state at the method's entry.
  Status Start();
  // Moves over one element. kFrame elements set the state. After goto and the like the state is
  // unreachable until the next frame. A `new` without a self label gets one.
  Status Step(Element& element);

  bool reachable() const { return reachable_; }
  void SetReachable() { reachable_ = true; }
  void SetUnreachable() { reachable_ = false; }
  void SetFrame(const Frame& frame);
  // The present state as a new frame of the code. Only when reachable.
  uint32_t CaptureFrame();
  bool ThisIsUninitialized() const;
  // Words; a long is followed by kSecond.
  std::vector<VerificationType>& locals() { return locals_; }
  std::vector<VerificationType>& stack() { return stack_; }

 private:
  Status StepInstruction(Element& element);
  Status Special(Element& element);
  Status Pop(int words);
  void Push(VerificationType type);
  void PushDescriptor(std::string_view type);
  void PushResult(Op op);
  void Store(uint16_t slot, VerificationType type);
  Status Duplicate(Op op);
  Status Invoke(const Element& element);
  Status LoadConstant(const Element& element);
  Status LoadElement();
  Status MakeArray(const Element& element);
  void Replace(VerificationType from, VerificationType to);
  std::string_view NameOf(VerificationType type) const;
  Error Bad(const char* message, const Element& element) const;

  const classfile::ClassFile& file_;
  const classfile::Method& method_;
  Code& code_;
  std::vector<VerificationType> locals_;
  std::vector<VerificationType> stack_;
  bool reachable_ = true;
  bool exact_ = false;  // the last frame was
};

// The class that an object type names.
std::string_view ClassNameOf(const classfile::ClassFile& file, const Code& code,
                             VerificationType type);

// The type of a value with this descriptor.
VerificationType TypeOfDescriptor(Code& code, std::string_view descriptor);

}  // namespace assay::bytecode
