// Internal to the decoder: the state that its parts share.
#pragma once

#include <string>
#include <vector>

#include "src/base/bytes.h"
#include "src/base/result.h"
#include "src/bytecode/code.h"
#include "src/classfile/class_file.h"

namespace assay::bytecode {

class Decoder {
 public:
  Decoder(const classfile::ClassFile& file, const classfile::Method& method, Code& code)
      : file_(file),
        method_(method),
        code_(code),
        marks_(code.scratch.marks),
        lines_(code.scratch.lines),
        frame_at_(code.scratch.frames) {}
  Status Run();

 private:
  static constexpr uint32_t kStart = 1u << 31;  // an instruction begins here
  static constexpr uint32_t kLabelMask = kStart - 1;

  using Placed = Scratch::Placed;

  // decode.cc
  Status Scan();
  Status ScanSwitch(uint32_t pc, uint32_t* size);
  Status ReadTries(ByteReader& reader);
  Status CheckLabels();
  Status Emit();
  // Instructions without anything to check; the others are for EmitOther.
  bool EmitSimple(uint32_t pc, const OpInfo& info, Element& element);
  Status EmitOther(uint32_t pc, Element& element, uint32_t* size);
  Status EmitSwitch(uint32_t pc, Element& element, uint32_t* size);
  bool PoolFits(const OpInfo& info, Op op, uint16_t index) const;
  // decode_attributes.cc
  Status ReadAttributes(ByteReader& reader);
  Status ReadLines(ByteSpan content);
  Status ReadVariables(ByteSpan content, std::vector<LocalVariable>& out);
  Status ReadTypeAnnotations(ByteSpan content, bool visible);
  Status ReadAnnotationTarget(ByteReader& reader, TypeAnnotation& annotation);
  // stack_map_decode.cc
  Status ReadFrames(ByteSpan content);
  Status ReadFrame(ByteReader& reader, Frame& frame);
  Status AppendLocals(ByteReader& reader, Frame& frame, uint32_t count);
  Status ReadType(ByteReader& reader);

  Label LabelAt(uint32_t pc) {
    uint32_t& mark = marks_[pc];
    if ((mark & kLabelMask) == 0) mark |= ++code_.label_count;
    return {(mark & kLabelMask) - 1};
  }
  Label SelfAt(uint32_t pc);
  bool IsStart(uint32_t pc) const { return pc < length_ && (marks_[pc] & kStart) != 0; }
  // The next instruction at or after pc, or the end of the code.
  uint32_t NextStart(uint32_t pc) const;
  int16_t S2(uint32_t pc) const { return static_cast<int16_t>(U2(pc)); }
  uint16_t U2(uint32_t pc) const { return static_cast<uint16_t>(bytes_[pc] << 8 | bytes_[pc + 1]); }
  int32_t S4(uint32_t pc) const {
    return static_cast<int32_t>(static_cast<uint32_t>(U2(pc)) << 16 | U2(pc + 2));
  }
  Error Bad(std::string message, uint32_t pc) const;
  Error BadAt(std::string message, const ByteReader& reader) const;
  // Code that a pass has encoded has no place in the input; offsets are then relative.
  ByteReader ReaderOf(ByteSpan part) const {
    uint64_t offset = file_.OffsetOf(part);
    return ByteReader(part, offset == Error::kNoOffset ? 0 : offset);
  }

  const classfile::ClassFile& file_;
  const classfile::Method& method_;
  Code& code_;
  const uint8_t* bytes_ = nullptr;
  uint32_t length_ = 0;
  bool has_targets_ = false;  // of jumps or handlers
  std::vector<uint32_t>& marks_;  // per pc: kStart and label id + 1
  std::vector<Placed>& lines_;
  std::vector<Placed>& frame_at_;
  std::vector<uint32_t> selves_;  // per pc: label id + 1 of the instruction itself; often empty
};

}  // namespace assay::bytecode
