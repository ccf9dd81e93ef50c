// Internal to the encoder: the state that its parts share.
#pragma once

#include <string>
#include <vector>

#include "src/base/bytes.h"
#include "src/base/result.h"
#include "src/bytecode/code.h"
#include "src/classfile/class_file.h"

namespace assay::bytecode {

// Appends to a buffer that grows by doubling; each Ensure makes room for what follows it.
class ByteSink {
 public:
  explicit ByteSink(size_t capacity) : bytes_(capacity) {}
  void Ensure(size_t count) {
    if (bytes_.size() - used_ < count) bytes_.resize(bytes_.size() * 2 + count);
  }
  void U1(unsigned value) { bytes_[used_++] = static_cast<uint8_t>(value); }
  void U2(unsigned value) {
    U1(value >> 8);
    U1(value);
  }
  void U4(uint32_t value) {
    U2(value >> 16);
    U2(value & 0xffff);
  }
  void Bytes(ByteSpan bytes) {
    Ensure(bytes.size());
    if (!bytes.empty()) std::memcpy(bytes_.data() + used_, bytes.data(), bytes.size());
    used_ += bytes.size();
  }
  void PatchU2(size_t at, unsigned value) {
    bytes_[at] = static_cast<uint8_t>(value >> 8);
    bytes_[at + 1] = static_cast<uint8_t>(value);
  }
  void PatchU4(size_t at, uint32_t value) {
    PatchU2(at, value >> 16);
    PatchU2(at + 2, value & 0xffff);
  }
  size_t size() const { return used_; }
  void Rewind(size_t size) { used_ = size; }
  ByteVector Take() {
    bytes_.resize(used_);
    return std::move(bytes_);
  }

 private:
  ByteVector bytes_;
  size_t used_ = 0;
};

class Encoder {
 public:
  Encoder(Code& code, classfile::ClassFile& file, classfile::Method& method)
      : code_(code),
        file_(file),
        method_(method),
        out_(method.CurrentCode().size() + method.CurrentCode().size() / 4 + 128),
        offsets_(code.scratch.offsets),
        fixups_(code.scratch.fixups),
        lines_(code.scratch.lines),
        frames_(code.scratch.frames),
        try_index_(code.scratch.try_index) {}
  Status Run();

 private:
  static constexpr uint32_t kUnbound = ~0u;
  static constexpr size_t kHeader = 8;  // max_stack, max_locals, code_length

  using Fixup = Scratch::Fixup;
  using Placed = Scratch::Placed;

  // encode.cc
  void ReplaceLastSwitch();
  Status EmitCode();
  // Instructions that cannot fail; the others are for EmitOther.
  bool EmitSimple(const Element& element, uint32_t number);
  Status EmitOther(const Element& element, uint32_t number);
  void EmitLocal(const Element& element);
  Status EmitIinc(const Element& element);
  void EmitJump(const Element& element, uint32_t number);
  Status EmitSwitch(const Element& element, uint32_t number);
  Result<bool> Patch();
  // widen.cc
  Status Widen();
  // encode_attributes.cc
  Status EmitTries();
  Status EmitAttributes();
  Status EmitLines();
  Status EmitVariables(const std::vector<LocalVariable>& variables, uint16_t& name,
                       const char* spelling);
  Status EmitTypeAnnotations(bool visible);
  Status EmitAnnotationTarget(const TypeAnnotation& annotation, bool* keep);
  Status NameIndex(uint16_t& cached, const char* spelling);
  // stack_map_encode.cc
  Status EmitFrames();
  void ExtendFrame(Frame& frame);
  Status EmitFrame(const Frame& previous, const Frame& frame, uint32_t delta);
  Status EmitTypes(uint32_t begin, uint32_t count);
  bool Same(const VerificationType& a, const VerificationType& b) const;
  uint32_t CommonLocals(const Frame& a, const Frame& b) const;

  uint32_t pc() const { return static_cast<uint32_t>(out_.size() - kHeader); }
  // The offset of a label; remembers when one is not bound.
  uint32_t OffsetOf(Label label) {
    if (label.id < offsets_.size() && offsets_[label.id] != kUnbound) return offsets_[label.id];
    unbound_ = true;
    return 0;
  }
  Error Bad(std::string message) const {
    return Error{std::move(message), Error::kNoOffset, file_.Where(method_)};
  }

  Code& code_;
  classfile::ClassFile& file_;
  classfile::Method& method_;
  ByteSink out_;
  uint32_t length_ = 0;
  std::vector<uint32_t>& offsets_;  // per label
  std::vector<Fixup>& fixups_;
  std::vector<Placed>& lines_;
  std::vector<Placed>& frames_;
  std::vector<uint32_t>& try_index_;  // per try id: its number in the table, kUnbound if dropped
  std::vector<uint32_t> too_far_;     // elements whose jump does not fit in 16 bits, ascending
  uint16_t attribute_count_ = 0;
  bool unbound_ = false;
};

}  // namespace assay::bytecode
