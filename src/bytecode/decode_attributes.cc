#include <algorithm>

#include "src/bytecode/annotation_skip.h"
#include "src/bytecode/decoder.h"

namespace assay::bytecode {

using classfile::Tag;

Status Decoder::ReadAttributes(ByteReader& reader) {
  uint16_t count = reader.U2();
  bool stack_map = false;
  for (uint32_t i = 0; i < count; ++i) {
    uint16_t name_index = reader.U2();
    ByteSpan content = reader.Bytes(reader.U4());
    if (!reader.ok()) return BadAt("attribute of the code is cut off", reader);
    std::string_view name = file_.pool.Utf8(name_index);
    if (name == "LineNumberTable") {
      code_.attribute_names.lines = name_index;
      ASSAY_TRY(ReadLines(content));
    } else if (name == "StackMapTable" && file_.major >= 50) {
      if (stack_map) return BadAt("second StackMapTable", reader);
      stack_map = true;
      code_.attribute_names.frames = name_index;
      ASSAY_TRY(ReadFrames(content));
    } else if (name == "LocalVariableTable") {
      code_.attribute_names.variables = name_index;
      ASSAY_TRY(ReadVariables(content, code_.variables));
    } else if (name == "LocalVariableTypeTable") {
      code_.attribute_names.variable_types = name_index;
      ASSAY_TRY(ReadVariables(content, code_.variable_types));
    } else if (name == "RuntimeVisibleTypeAnnotations") {
      code_.attribute_names.visible_annotations = name_index;
      ASSAY_TRY(ReadTypeAnnotations(content, true));
    } else if (name == "RuntimeInvisibleTypeAnnotations") {
      code_.attribute_names.invisible_annotations = name_index;
      ASSAY_TRY(ReadTypeAnnotations(content, false));
    } else if (name != "StackMapTable" && name != "StackMap") {
      code_.unknown.push_back({name_index, content});
    }
  }
  if (!reader.ok()) return BadAt("attributes of the code are cut off", reader);
  // A class of version 50 without frames is checked by the old verifier, unless it needs none.
  code_.has_frames = file_.major > 50 || (file_.major == 50 && (stack_map || !has_targets_));
  return {};
}

Status Decoder::ReadLines(ByteSpan content) {
  ByteReader reader = ReaderOf(content);
  uint16_t count = reader.U2();
  if (reader.remaining() != count * 4u) return BadAt("bad LineNumberTable", reader);
  lines_.reserve(lines_.size() + count);
  bool sorted = true;
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t pc = reader.U2();
    uint16_t line = reader.U2();
    if (pc >= length_) return BadAt("line number beyond the code", reader);
    // HotSpot takes lines in the middle of an instruction; they have an effect from the next on.
    pc = NextStart(pc);
    if (!lines_.empty() && lines_.back().pc > pc) sorted = false;
    if (pc < length_) lines_.push_back({pc, line});
  }
  if (!sorted) {
    std::stable_sort(lines_.begin(), lines_.end(),
                     [](const Placed& a, const Placed& b) { return a.pc < b.pc; });
  }
  return {};
}

Status Decoder::ReadVariables(ByteSpan content, std::vector<LocalVariable>& out) {
  ByteReader reader = ReaderOf(content);
  uint16_t count = reader.U2();
  if (reader.remaining() != count * 10u) return BadAt("bad local variable table", reader);
  out.reserve(out.size() + count);
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t start = reader.U2(), size = reader.U2();
    uint16_t name = reader.U2(), type = reader.U2(), slot = reader.U2();
    if (start + size > length_) return BadAt("local variable beyond the code", reader);
    out.push_back({LabelAt(NextStart(start)), LabelAt(NextStart(start + size)), name, type, slot});
  }
  return {};
}

Status Decoder::ReadTypeAnnotations(ByteSpan content, bool visible) {
  ByteReader reader = ReaderOf(content);
  uint16_t count = reader.U2();
  for (uint32_t i = 0; i < count; ++i) {
    TypeAnnotation annotation;
    annotation.visible = visible;
    ASSAY_TRY(ReadAnnotationTarget(reader, annotation));
    size_t rest = reader.position();
    if (!SkipTypePathAndAnnotation(reader)) return BadAt("bad type annotation", reader);
    annotation.rest = content.subspan(rest, reader.position() - rest);
    code_.annotations.push_back(std::move(annotation));
  }
  if (!reader.ok() || !reader.AtEnd()) return BadAt("bad type annotations", reader);
  return {};
}

// JVMS 4.7.20.1; only the targets that occur in code.
Status Decoder::ReadAnnotationTarget(ByteReader& reader, TypeAnnotation& annotation) {
  annotation.target_type = reader.U1();
  switch (annotation.target_type) {
    case 0x40:
    case 0x41: {
      uint16_t count = reader.U2();
      if (reader.remaining() / 6 < count) return BadAt("bad type annotation", reader);
      for (uint32_t i = 0; i < count; ++i) {
        uint32_t start = reader.U2(), size = reader.U2();
        uint16_t slot = reader.U2();
        if (start + size > length_) return BadAt("type annotation beyond the code", reader);
        annotation.ranges.push_back(
            {LabelAt(NextStart(start)), LabelAt(NextStart(start + size)), slot});
      }
      return {};
    }
    case 0x42: {
      uint16_t index = reader.U2();
      // javac is known to leave indices that are out of range; nothing reads them.
      annotation.try_id = index < code_.tries.size() ? index : Label::kNone;
      return {};
    }
    case 0x43:
    case 0x44:
    case 0x45:
    case 0x46:
    case 0x47:
    case 0x48:
    case 0x49:
    case 0x4a:
    case 0x4b: {
      uint16_t pc = reader.U2();
      if (!IsStart(pc)) return BadAt("type annotation without an instruction", reader);
      annotation.label = SelfAt(pc);
      if (annotation.target_type >= 0x47) annotation.argument = reader.U1();
      return {};
    }
    default:
      return BadAt("type annotation of a kind that code has not", reader);
  }
}

}  // namespace assay::bytecode
