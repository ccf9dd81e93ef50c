#include "src/bytecode/code_builder.h"

#include <algorithm>

#include "src/bytecode/stack_effect.h"

namespace assay::bytecode {

uint16_t CodeBuilder::Take(Result<uint16_t> index) {
  if (index.ok()) return *index;
  if (status_.ok()) status_ = Status(std::move(index.error()));
  return 0;
}

void CodeBuilder::Frame(uint32_t frame) {
  if (!code_.has_frames) return;
  Put(ElementKind::kFrame, Op::kNop, 0, static_cast<int32_t>(frame));
  // What a handler or a join has on its stack counts as ours: the bound stays a bound.
  depth_ = code_.StackWords(code_.frames[frame]);
  peak_ = std::max(peak_, depth_);
}

void CodeBuilder::Emit(Op op) { Emit(op, 0, 0); }

void CodeBuilder::Emit(Op op, uint16_t index, int32_t value) {
  Put(ElementKind::kInstruction, op, index, value);
  Result<StackEffect> effect = EffectOf(file_.pool, code_.elements.back());
  if (!effect.ok()) {
    if (status_.ok()) status_ = Status(std::move(effect.error()));
    return;
  }
  depth_ += effect->push - effect->pop;
  peak_ = std::max(peak_, depth_);
  if (EndsFlow(op)) depth_ = 0;
}

void CodeBuilder::PushInt(int32_t value) {
  if (value >= -1 && value <= 5) {
    Emit(static_cast<Op>(static_cast<int>(Op::kIconst0) + value));
  } else if (value >= -128 && value <= 127) {
    Emit(Op::kBipush, 0, value);
  } else if (value >= -32768 && value <= 32767) {
    Emit(Op::kSipush, 0, value);
  } else if (uint16_t index = Take(file_.pool.AddInteger(value))) {
    Emit(Op::kLdc, index);
  }
}

void CodeBuilder::PushLong(int64_t value) {
  if (value == 0 || value == 1) {
    Emit(value == 0 ? Op::kLconst0 : Op::kLconst1);
  } else if (value >= -32768 && value <= 32767) {
    PushInt(static_cast<int32_t>(value));
    Emit(Op::kI2l);
  } else if (uint16_t index = Take(file_.pool.AddLong(value))) {
    Emit(Op::kLdc2W, index);
  }
}

void CodeBuilder::PushString(std::string_view text) {
  if (uint16_t index = Take(file_.pool.AddString(text))) Emit(Op::kLdc, index);
}

void CodeBuilder::InvokeStatic(std::string_view owner, std::string_view name,
                               std::string_view descriptor) {
  if (uint16_t index = Take(file_.pool.AddMethodRef(owner, name, descriptor))) {
    Emit(Op::kInvokestatic, index);
  }
}

void CodeBuilder::InvokeVirtual(std::string_view owner, std::string_view name,
                                std::string_view descriptor) {
  if (uint16_t index = Take(file_.pool.AddMethodRef(owner, name, descriptor))) {
    Emit(Op::kInvokevirtual, index);
  }
}

void CodeBuilder::GetStatic(std::string_view owner, std::string_view name,
                            std::string_view descriptor) {
  if (uint16_t index = Take(file_.pool.AddFieldRef(owner, name, descriptor))) {
    Emit(Op::kGetstatic, index);
  }
}

void CodeBuilder::PutStatic(std::string_view owner, std::string_view name,
                            std::string_view descriptor) {
  if (uint16_t index = Take(file_.pool.AddFieldRef(owner, name, descriptor))) {
    Emit(Op::kPutstatic, index);
  }
}

void CodeBuilder::Handler(Label start, Label end, Label handler, uint16_t catch_type) {
  code_.tries.push_back({start, end, handler, catch_type, code_.try_count++});
}

Status CodeBuilder::Finish() {
  code_.max_stack += static_cast<uint32_t>(peak_);
  peak_ = 0;
  return std::move(status_);
}

}  // namespace assay::bytecode
