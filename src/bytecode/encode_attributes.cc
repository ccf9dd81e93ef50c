#include "src/bytecode/encoder.h"

namespace assay::bytecode {

Status Encoder::EmitTries() {
  try_index_.assign(code_.try_count, kUnbound);
  out_.Ensure(2 + code_.tries.size() * 8);
  size_t count_at = out_.size();
  out_.U2(0);
  uint32_t count = 0;
  for (const TryRange& range : code_.tries) {
    uint32_t start = OffsetOf(range.start), end = OffsetOf(range.end);
    if (start > end) return Bad("exception range ends before it starts");
    // An edit may have left nothing in between, and the format knows no empty range.
    if (start == end) continue;
    if (range.id < try_index_.size()) try_index_[range.id] = count;
    out_.U2(start);
    out_.U2(end);
    out_.U2(OffsetOf(range.handler));
    out_.U2(range.catch_type);
    ++count;
  }
  if (count > 65535) return Bad("more than 65535 exception ranges");
  out_.PatchU2(count_at, count);
  return {};
}

Status Encoder::NameIndex(uint16_t& cached, const char* spelling) {
  if (cached == 0) {
    ASSAY_ASSIGN(cached, file_.pool.AddUtf8(spelling));
  }
  ++attribute_count_;
  out_.Ensure(8);
  out_.U2(cached);
  out_.U4(0);
  return {};
}

Status Encoder::EmitAttributes() {
  AttributeNames& names = code_.attribute_names;
  out_.Ensure(2);
  size_t count_at = out_.size();
  out_.U2(0);
  if (!lines_.empty()) ASSAY_TRY(EmitLines());
  if (!code_.variables.empty()) {
    ASSAY_TRY(EmitVariables(code_.variables, names.variables, "LocalVariableTable"));
  }
  if (!code_.variable_types.empty()) {
    ASSAY_TRY(EmitVariables(code_.variable_types, names.variable_types, "LocalVariableTypeTable"));
  }
  if (code_.has_frames && !frames_.empty()) ASSAY_TRY(EmitFrames());
  if (!code_.annotations.empty()) {
    ASSAY_TRY(EmitTypeAnnotations(true));
    ASSAY_TRY(EmitTypeAnnotations(false));
  }
  for (const UnknownAttribute& attribute : code_.unknown) {
    out_.Ensure(6);
    out_.U2(attribute.name_index);
    out_.U4(static_cast<uint32_t>(attribute.content.size()));
    out_.Bytes(attribute.content);
    ++attribute_count_;
  }
  out_.PatchU2(count_at, attribute_count_);
  return {};
}

Status Encoder::EmitLines() {
  if (lines_.back().pc >= length_) {
    while (!lines_.empty() && lines_.back().pc >= length_) lines_.pop_back();
    if (lines_.empty()) return {};
  }
  ASSAY_TRY(NameIndex(code_.attribute_names.lines, "LineNumberTable"));
  if (lines_.size() > 65535) return Bad("more than 65535 line numbers");
  out_.PatchU4(out_.size() - 4, static_cast<uint32_t>(2 + lines_.size() * 4));
  out_.Ensure(2 + lines_.size() * 4);
  out_.U2(static_cast<unsigned>(lines_.size()));
  for (const Placed& line : lines_) {
    out_.U2(line.pc);
    out_.U2(line.number);
  }
  return {};
}

Status Encoder::EmitVariables(const std::vector<LocalVariable>& variables, uint16_t& name,
                              const char* spelling) {
  ASSAY_TRY(NameIndex(name, spelling));
  if (variables.size() > 65535) return Bad("more than 65535 local variables");
  out_.PatchU4(out_.size() - 4, static_cast<uint32_t>(2 + variables.size() * 10));
  out_.Ensure(2 + variables.size() * 10);
  out_.U2(static_cast<unsigned>(variables.size()));
  for (const LocalVariable& variable : variables) {
    uint32_t start = OffsetOf(variable.start), end = OffsetOf(variable.end);
    if (start > end) return Bad("local variable range ends before it starts");
    out_.U2(start);
    out_.U2(end - start);
    out_.U2(variable.name_index);
    out_.U2(variable.type_index);
    out_.U2(variable.slot);
  }
  return {};
}

Status Encoder::EmitAnnotationTarget(const TypeAnnotation& annotation, bool* keep) {
  out_.Ensure(8 + annotation.ranges.size() * 6);
  out_.U1(annotation.target_type);
  if (annotation.target_type == 0x40 || annotation.target_type == 0x41) {
    out_.U2(static_cast<unsigned>(annotation.ranges.size()));
    for (const TypeAnnotation::Range& range : annotation.ranges) {
      uint32_t start = OffsetOf(range.start), end = OffsetOf(range.end);
      if (start > end) return Bad("type annotation range ends before it starts");
      out_.U2(start);
      out_.U2(end - start);
      out_.U2(range.slot);
    }
  } else if (annotation.target_type == 0x42) {
    uint32_t index =
        annotation.try_id < try_index_.size() ? try_index_[annotation.try_id] : kUnbound;
    *keep = index != kUnbound;
    out_.U2(index);
  } else {
    // A pass may have removed the instruction; the annotation goes with it.
    uint32_t id = annotation.label.id;
    *keep = id < offsets_.size() && offsets_[id] != kUnbound;
    out_.U2(*keep ? offsets_[id] : 0);
    if (annotation.target_type >= 0x47) out_.U1(annotation.argument);
  }
  return {};
}

Status Encoder::EmitTypeAnnotations(bool visible) {
  uint32_t count = 0;
  size_t length_at = 0;
  for (const TypeAnnotation& annotation : code_.annotations) {
    if (annotation.visible != visible) continue;
    if (length_at == 0) {
      AttributeNames& names = code_.attribute_names;
      ASSAY_TRY(visible
                    ? NameIndex(names.visible_annotations, "RuntimeVisibleTypeAnnotations")
                    : NameIndex(names.invisible_annotations, "RuntimeInvisibleTypeAnnotations"));
      length_at = out_.size() - 4;
      out_.Ensure(2);
      out_.U2(0);
    }
    size_t start = out_.size();
    bool keep = true;
    ASSAY_TRY(EmitAnnotationTarget(annotation, &keep));
    if (!keep) {
      out_.Rewind(start);
      continue;
    }
    out_.Bytes(annotation.rest);
    ++count;
  }
  if (length_at == 0) return {};
  out_.PatchU4(length_at, static_cast<uint32_t>(out_.size() - length_at - 4));
  out_.PatchU2(length_at + 4, count);
  return {};
}

}  // namespace assay::bytecode
