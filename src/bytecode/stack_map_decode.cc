// StackMapTable (JVMS 4.7.4) to absolute states.
//
// Each frame in the file is a difference to the one before. Here each is complete, but they share
// memory: `same` frames share the whole slice of locals, `chop` a prefix of it, and `append` grows
// the slice in place when it is the last thing in Code::types.
#include "src/bytecode/decode.h"
#include "src/bytecode/decoder.h"
#include "src/bytecode/simulator.h"
#include "src/classfile/descriptor.h"

namespace assay::bytecode {

using classfile::ClassFile;
using classfile::Method;
using classfile::Tag;
using V = VerificationType;

Status EnsureEntryFrame(const ClassFile& file, const Method& method, Code& code) {
  if (code.has_entry) return {};
  Frame frame;
  frame.locals_begin = static_cast<uint32_t>(code.types.size());
  if (!method.Has(classfile::kAccStatic)) {
    bool uninitialized = file.NameOf(method) == "<init>" && file.Name() != "java/lang/Object";
    code.types.push_back(uninitialized ? V{V::kUninitializedThis, 0}
                                       : V{V::kObject, file.this_class});
  }
  classfile::DescriptorReader types(file.DescriptorOf(method));
  for (std::string_view type; types.NextParameter(&type);) {
    code.types.push_back(TypeOfDescriptor(code, type));
  }
  if (!types.ok()) return Error{"bad descriptor", Error::kNoOffset, file.Where(method)};
  frame.locals_count = static_cast<uint32_t>(code.types.size()) - frame.locals_begin;
  frame.stack_begin = static_cast<uint32_t>(code.types.size());
  code.entry = frame;
  code.has_entry = true;
  return {};
}

Status Decoder::ReadType(ByteReader& reader) {
  uint8_t tag = reader.U1();
  V type{static_cast<V::Tag>(tag), 0};
  if (tag == V::kObject) {
    type.data = reader.U2();
    if (!file_.pool.Is(static_cast<uint16_t>(type.data), Tag::kClass)) {
      return BadAt("frame names no class", reader);
    }
  } else if (tag == V::kUninitialized) {
    uint16_t pc = reader.U2();
    if (!IsStart(pc) || static_cast<Op>(bytes_[pc]) != Op::kNew) {
      return BadAt("frame names no new instruction", reader);
    }
    type.data = SelfAt(pc).id;
  } else if (tag > V::kUninitialized) {
    return BadAt("bad verification type", reader);
  }
  if (!reader.ok()) return BadAt("StackMapTable is cut off", reader);
  if (code_.types.size() >= kMaxFrameTypes) return BadAt("frames too large", reader);
  code_.types.push_back(type);
  return {};
}

Status Decoder::AppendLocals(ByteReader& reader, Frame& frame, uint32_t count) {
  if (frame.locals_begin + frame.locals_count != code_.types.size()) {
    if (code_.types.size() + frame.locals_count > kMaxFrameTypes) {
      return BadAt("frames too large", reader);
    }
    uint32_t begin = static_cast<uint32_t>(code_.types.size());
    for (uint32_t i = 0; i < frame.locals_count; ++i) {
      code_.types.push_back(V(code_.types[frame.locals_begin + i]));
    }
    frame.locals_begin = begin;
  }
  for (uint32_t i = 0; i < count; ++i) ASSAY_TRY(ReadType(reader));
  frame.locals_count += count;
  return {};
}

// `frame` is the previous one, and becomes the next.
Status Decoder::ReadFrame(ByteReader& reader, Frame& frame) {
  uint8_t kind = reader.U1();
  uint32_t delta = kind < 64 ? kind : kind < 128 ? kind - 64u : 0;
  frame.stack_count = 0;
  if (kind >= 128) {
    if (kind < 247) return BadAt("bad frame", reader);
    delta = reader.U2();
  }
  uint32_t pc = delta + (frame_at_.empty() ? 0 : frame_at_.back().pc + 1);
  if ((kind >= 64 && kind < 128) || kind == 247) {
    frame.stack_begin = static_cast<uint32_t>(code_.types.size());
    frame.stack_count = 1;
    ASSAY_TRY(ReadType(reader));
  } else if (kind >= 248 && kind <= 250) {
    uint32_t chop = 251u - kind;
    if (chop > frame.locals_count) return BadAt("frame chops more than there is", reader);
    frame.locals_count -= chop;
  } else if (kind >= 252 && kind <= 254) {
    ASSAY_TRY(AppendLocals(reader, frame, kind - 251u));
  } else if (kind == 255) {
    frame.locals_begin = static_cast<uint32_t>(code_.types.size());
    frame.locals_count = reader.U2();
    for (uint32_t i = 0; i < frame.locals_count; ++i) ASSAY_TRY(ReadType(reader));
    frame.stack_begin = static_cast<uint32_t>(code_.types.size());
    frame.stack_count = reader.U2();
    for (uint32_t i = 0; i < frame.stack_count; ++i) ASSAY_TRY(ReadType(reader));
  }
  if (!reader.ok()) return BadAt("StackMapTable is cut off", reader);
  if (!IsStart(pc)) return BadAt("frame in the middle of an instruction", reader);
  code_.frames.push_back(frame);
  frame_at_.push_back({pc, static_cast<uint32_t>(code_.frames.size() - 1)});
  return {};
}

Status Decoder::ReadFrames(ByteSpan content) {
  ByteReader reader = ReaderOf(content);
  uint16_t count = reader.U2();
  ASSAY_TRY(EnsureEntryFrame(file_, method_, code_));
  code_.frames.reserve(std::min<size_t>(count, length_));
  frame_at_.reserve(std::min<size_t>(count, length_));
  Frame frame = code_.entry;
  for (uint32_t i = 0; i < count; ++i) ASSAY_TRY(ReadFrame(reader, frame));
  if (!reader.ok() || !reader.AtEnd()) return BadAt("bad StackMapTable", reader);
  return {};
}

}  // namespace assay::bytecode
