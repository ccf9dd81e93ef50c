// Editing: a pass takes the old elements and emits the new sequence, copying what stays.
//   CodeBuilder build(file, code);
//   build.InvokeStatic(probe);                       // at the entry
//   for (const Element& element : build.Old()) {
//     if (element.IsInstruction() && IsReturn(element.op)) build.InvokeStatic(leave);
//     build.Copy(element);
//   }
//   ASSAY_TRY(build.Finish());
//   ASSAY_TRY(EncodeCode(code, file, method));
// Errors (pool full) are sticky and come out of Finish.
//
// Finish sets max_stack to the old one plus the highest that emitted code piles up by itself, an
// upper bound; ComputeMaxStack (max_stack.h) gives the exact number.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "src/base/result.h"
#include "src/bytecode/code.h"
#include "src/classfile/class_file.h"

namespace assay::bytecode {

class CodeBuilder {
 public:
  // Takes the elements out of `code`. With Append, keeps them and emits behind them.
  CodeBuilder(classfile::ClassFile& file, Code& code) : file_(file), code_(code) {
    old_.swap(code.elements);
    code.elements.swap(code.spare);
    code.elements.clear();
    code.elements.reserve(old_.size() + old_.size() / 4 + 32);
  }
  ~CodeBuilder() {
    if (old_.capacity() > code_.spare.capacity()) code_.spare.swap(old_);
  }
  CodeBuilder(const CodeBuilder&) = delete;
  struct Append {};
  CodeBuilder(classfile::ClassFile& file, Code& code, Append) : file_(file), code_(code) {}

  std::span<Element> Old() { return old_; }
  Code& code() { return code_; }
  classfile::ClassFile& file() { return file_; }

  void Copy(const Element& element) {
    code_.elements.push_back(element);
    if (element.IsInstruction()) depth_ = 0;
  }

  Label NewLabel() { return code_.NewLabel(); }
  void Bind(Label label) { Put(ElementKind::kLabel, Op::kNop, 0, static_cast<int32_t>(label.id)); }
  // A label bound here.
  Label Here() {
    Label label = NewLabel();
    Bind(label);
    return label;
  }
  // The frame holds at the next instruction. Without frames in the class this does nothing.
  void Frame(uint32_t frame);
  void Line(uint16_t line) { Put(ElementKind::kLine, Op::kNop, line, 0); }

  // Instructions without operands.
  void Emit(Op op);
  // Any instruction; see Element for the operands.
  void Emit(Op op, uint16_t index, int32_t value = 0);
  void Load(Op op, uint16_t slot) { Emit(op, slot); }
  void Store(Op op, uint16_t slot) { Emit(op, slot); }
  void Jump(Op op, Label target) { Emit(op, 0, static_cast<int32_t>(target.id)); }
  void PushInt(int32_t value);
  void PushLong(int64_t value);
  void PushString(std::string_view text);
  // By pool index; interface owners need an InterfaceMethodref.
  void InvokeStatic(uint16_t method_ref) { Emit(Op::kInvokestatic, method_ref); }
  void InvokeStatic(std::string_view owner, std::string_view name, std::string_view descriptor);
  void InvokeVirtual(std::string_view owner, std::string_view name, std::string_view descriptor);
  void GetStatic(std::string_view owner, std::string_view name, std::string_view descriptor);
  void PutStatic(std::string_view owner, std::string_view name, std::string_view descriptor);
  // Behind all others in the order of search, that is outermost.
  void Handler(Label start, Label end, Label handler, uint16_t catch_type = 0);

  Status Finish();

 private:
  void Put(ElementKind kind, Op op, uint16_t index, int32_t value) {
    code_.elements.push_back({kind, op, index, value, Element::kInserted, {}});
  }
  uint16_t Take(Result<uint16_t> index);

  classfile::ClassFile& file_;
  Code& code_;
  std::vector<Element> old_;
  int depth_ = 0;  // words that emitted code has on the stack since the last copied instruction
  int peak_ = 0;
  Status status_;
};

}  // namespace assay::bytecode
