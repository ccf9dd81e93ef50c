// How many words an instruction takes from the stack and puts there.
#pragma once

#include "src/base/result.h"
#include "src/bytecode/code.h"
#include "src/classfile/constant_pool.h"

namespace assay::bytecode {

struct StackEffect {
  int pop = 0;
  int push = 0;
};

// Fails when the operand names no member with a sound descriptor.
Result<StackEffect> EffectOf(const classfile::ConstantPool& pool, const Element& instruction);

}  // namespace assay::bytecode
