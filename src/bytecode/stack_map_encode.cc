// Absolute states to a StackMapTable (JVMS 4.7.4), each in its most compact form.
#include "src/bytecode/decode.h"
#include "src/bytecode/encoder.h"
#include "src/bytecode/simulator.h"

namespace assay::bytecode {

using V = VerificationType;

bool Encoder::Same(const V& a, const V& b) const {
  if (a == b) return true;
  if (a.tag != V::kObject || b.tag != V::kObject) return false;
  return ClassNameOf(file_, code_, a) == ClassNameOf(file_, code_, b);
}

uint32_t Encoder::CommonLocals(const Frame& a, const Frame& b) const {
  uint32_t limit = std::min(a.locals_count, b.locals_count);
  if (a.locals_begin == b.locals_begin) return limit;
  for (uint32_t i = 0; i < limit; ++i) {
    if (!Same(code_.types[a.locals_begin + i], code_.types[b.locals_begin + i])) return i;
  }
  return limit;
}

// Adds the live added locals, with padding in front of them.
void Encoder::ExtendFrame(Frame& frame) {
  uint32_t slots = 0;
  for (uint32_t i = 0; i < frame.locals_count; ++i) {
    slots += code_.types[frame.locals_begin + i].IsWide() ? 2 : 1;
  }
  bool copied = false;
  for (const AddedLocal& local : code_.added_locals) {
    if (!local.live || local.slot < slots) continue;
    if (!copied) {
      uint32_t begin = static_cast<uint32_t>(code_.types.size());
      for (uint32_t i = 0; i < frame.locals_count; ++i) {
        code_.types.push_back(V(code_.types[frame.locals_begin + i]));
      }
      frame.locals_begin = begin;
      copied = true;
    }
    for (; slots < local.slot; ++slots) code_.types.push_back({});
    code_.types.push_back(local.type);
    slots += local.type.IsWide() ? 2 : 1;
    frame.locals_count = static_cast<uint32_t>(code_.types.size()) - frame.locals_begin;
  }
}

Status Encoder::EmitFrames() {
  while (!frames_.empty() && frames_.back().pc >= length_) frames_.pop_back();
  if (frames_.empty()) return {};
  ASSAY_TRY(EnsureEntryFrame(file_, method_, code_));
  ASSAY_TRY(NameIndex(code_.attribute_names.frames, "StackMapTable"));
  size_t length_at = out_.size() - 4;
  out_.Ensure(2);
  out_.U2(static_cast<unsigned>(frames_.size()));
  bool extend = false;
  for (const AddedLocal& local : code_.added_locals) extend |= local.live;
  Frame previous = code_.entry;
  uint32_t next_pc = 0;
  for (const Placed& placed : frames_) {
    if (placed.number >= code_.frames.size()) return Bad("unknown frame");
    Frame frame = code_.frames[placed.number];
    if (extend && !frame.exact) ExtendFrame(frame);
    ASSAY_TRY(EmitFrame(previous, frame, placed.pc - next_pc));
    next_pc = placed.pc + 1;
    previous = frame;
  }
  out_.PatchU4(length_at, static_cast<uint32_t>(out_.size() - length_at - 4));
  return {};
}

Status Encoder::EmitFrame(const Frame& previous, const Frame& frame, uint32_t delta) {
  out_.Ensure(8);
  uint32_t common = CommonLocals(previous, frame);
  bool extends = common == previous.locals_count;
  bool same = extends && common == frame.locals_count;
  if (frame.stack_count == 1 && same) {
    if (delta < 64) {
      out_.U1(64 + delta);
    } else {
      out_.U1(247);
      out_.U2(delta);
    }
    return EmitTypes(frame.stack_begin, 1);
  }
  if (frame.stack_count == 0) {
    if (same) {
      if (delta < 64) {
        out_.U1(delta);
      } else {
        out_.U1(251);
        out_.U2(delta);
      }
      return {};
    }
    uint32_t more = frame.locals_count - common, fewer = previous.locals_count - common;
    if (extends && more <= 3) {
      out_.U1(251 + more);
      out_.U2(delta);
      return EmitTypes(frame.locals_begin + common, more);
    }
    if (more == 0 && fewer <= 3) {
      out_.U1(251 - fewer);
      out_.U2(delta);
      return {};
    }
  }
  out_.U1(255);
  out_.U2(delta);
  out_.U2(frame.locals_count);
  ASSAY_TRY(EmitTypes(frame.locals_begin, frame.locals_count));
  out_.Ensure(2);
  out_.U2(frame.stack_count);
  return EmitTypes(frame.stack_begin, frame.stack_count);
}

Status Encoder::EmitTypes(uint32_t begin, uint32_t count) {
  out_.Ensure(count * size_t{3});
  for (uint32_t i = begin; i < begin + count; ++i) {
    V type = code_.types[i];
    out_.U1(type.tag);
    if (type.tag == V::kObject) {
      uint16_t index = static_cast<uint16_t>(type.data);
      if (type.data >= V::kNameBase) {
        ASSAY_ASSIGN(index, file_.pool.AddClass(ClassNameOf(file_, code_, type)));
      }
      out_.U2(index);
    } else if (type.tag == V::kUninitialized) {
      out_.U2(OffsetOf({type.data}));
    }
  }
  return {};
}

}  // namespace assay::bytecode
