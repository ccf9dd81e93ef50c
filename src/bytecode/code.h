// A method body as a sequence of elements: instructions, labels, line numbers and stack-map frames.
// No element knows an offset; the encoder (encode.h) computes all of them at the end.
//
// At one place of the code the order is labels, lines, frame, instruction. So what is inserted
// directly before an instruction is also executed by jumps to it, and keeps its frame in front.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/bytes.h"
#include "src/bytecode/opcode.h"
#include "src/bytecode/scratch.h"

namespace assay::bytecode {

enum class ElementKind : uint8_t { kInstruction, kLabel, kLine, kFrame };

// Operands of an instruction, in canonical form (iload_1 is kIload with index 1, ldc_w is kLdc,
// goto_w is kGoto; the encoder picks the shortest form):
//   index: constant pool index, or local variable
//   value: bipush/sipush constant, iinc amount, newarray type, multianewarray dimensions,
//          invokeinterface count, label id of a jump, number of a switch in Code::switches
// kLabel: value is the label id. kLine: index is the line. kFrame: value is a number in frames.
struct Element {
  static constexpr int32_t kInserted = -1;

  ElementKind kind = ElementKind::kInstruction;
  Op op = Op::kNop;
  uint16_t index = 0;
  int32_t value = 0;
  int32_t bci = kInserted;  // in the original code, kInserted for new elements
  // Instructions only: a label bound to exactly this instruction, whatever is inserted before it.
  // Frames name a `new` by it, type annotations their target.
  Label self;

  bool IsInstruction() const { return kind == ElementKind::kInstruction; }
  bool Is(Op other) const { return kind == ElementKind::kInstruction && op == other; }
  bool IsLabel() const { return kind == ElementKind::kLabel; }
  // The target of a jump, or the label itself.
  Label label() const { return {static_cast<uint32_t>(value)}; }
};

struct Switch {
  int32_t low = 0;            // tableswitch: targets[i] is for low + i
  std::vector<int32_t> keys;  // lookupswitch: targets[i] is for keys[i]; ascending
  std::vector<Label> targets;
  Label fallback;  // default
};

// JVMS 4.7.4 verification_type_info. An object's class is a pool index, or (before it was needed
// there) a name in Code::names.
struct VerificationType {
  enum Tag : uint8_t {
    kTop,
    kInteger,
    kFloat,
    kDouble,
    kLong,
    kNull,
    kUninitializedThis,
    kObject,
    kUninitialized,
    kSecond,  // never in a Frame: the second word of a long or double while simulating
  };
  static constexpr uint32_t kNameBase = 0x10000;

  Tag tag = kTop;
  uint32_t data = 0;  // kObject: pool index, or kNameBase + number in names. kUninitialized: label

  bool IsWide() const { return tag == kLong || tag == kDouble; }
  bool IsReference() const { return tag >= kNull && tag <= kUninitialized; }
  bool operator==(const VerificationType&) const = default;
};

// A verifier state: full, not relative to another one. Slices of Code::types, one entry per value
// (a long takes one), as in a full_frame. Slices may be shared between frames: never change types
// in place, make a new frame.
struct Frame {
  uint32_t locals_begin = 0;
  uint32_t locals_count = 0;
  uint32_t stack_begin = 0;
  uint32_t stack_count = 0;
  bool exact = false;  // live added locals are not added to this one
};

struct TryRange {
  Label start;
  Label end;
  Label handler;
  uint16_t catch_type = 0;  // pool index, 0 catches everything
  uint32_t id = 0;          // unique in this method; catch annotations refer to it
};

struct LocalVariable {
  Label start;
  Label end;
  uint16_t name_index = 0;
  uint16_t type_index = 0;  // descriptor, or signature in LocalVariableTypeTable
  uint16_t slot = 0;
};

struct TypeAnnotation {
  struct Range {
    Label start;
    Label end;
    uint16_t slot = 0;
  };
  bool visible = false;
  uint8_t target_type = 0;
  Label label;                // the instruction, for offset and type argument targets
  uint8_t argument = 0;       // for type argument targets
  uint32_t try_id = 0;        // for catch targets
  std::vector<Range> ranges;  // for local variable targets
  ByteSpan rest;              // type path and annotation
};

// A local variable that the passes added. If live, every frame of the method gets it: it must be
// assigned before the first frame, that is in code inserted at the method's entry.
struct AddedLocal {
  uint16_t slot = 0;
  VerificationType type;
  bool live = false;
};

struct UnknownAttribute {
  uint16_t name_index = 0;
  ByteSpan content;
};

// Pool indices of attribute names, as the decoder met them; 0 where it did not.
struct AttributeNames {
  uint16_t lines = 0;
  uint16_t frames = 0;
  uint16_t variables = 0;
  uint16_t variable_types = 0;
  uint16_t visible_annotations = 0;
  uint16_t invisible_annotations = 0;
};

struct Code {
  std::vector<Element> elements;
  std::vector<Switch> switches;
  std::vector<TryRange> tries;  // in the order of search
  std::vector<Frame> frames;
  std::vector<VerificationType> types;
  std::vector<std::string_view> names;  // classes that frames mention and the pool may not have
  std::vector<std::unique_ptr<std::string>> owned_names;  // texts of those that exist nowhere else
  std::vector<uint32_t> name_table;  // hash table over names, once there are many
  std::vector<LocalVariable> variables;
  std::vector<LocalVariable> variable_types;
  std::vector<TypeAnnotation> annotations;
  std::vector<UnknownAttribute> unknown;
  std::vector<AddedLocal> added_locals;
  uint32_t label_count = 0;
  uint32_t try_count = 0;  // ids given out
  uint32_t max_stack = 0;
  uint32_t max_locals = 0;
  uint32_t original_max_locals = 0;
  uint32_t original_length = 0;
  bool has_frames = false;  // there was a StackMapTable, or the version asks for one
  Frame entry;              // the implicit frame at the start
  bool has_entry = false;   // entry is filled in
  AttributeNames attribute_names;
  Scratch scratch;
  std::vector<Element> spare;  // the memory of a CodeBuilder's old elements, for the next one

  Label NewLabel() { return {label_count++}; }
  void Clear();
  // A local variable behind all others.
  uint16_t AddLocal(VerificationType type, bool live);
  // A name for an object type; the text must outlive the code.
  VerificationType ObjectNamed(std::string_view class_name);
  // The same for a text that nobody keeps.
  VerificationType ObjectNamedCopy(std::string class_name);
  uint32_t AddFrame(const std::vector<VerificationType>& locals,
                    const std::vector<VerificationType>& stack);
  // The same state with one more value, or just one value, on the stack.
  uint32_t AddFrameWithStack(uint32_t like, VerificationType only);
  // How many words a frame's stack holds; a long takes two.
  int StackWords(const Frame& frame) const;

 private:
  uint32_t* NameSlot(std::string_view class_name);
};

}  // namespace assay::bytecode
