// The exact max_stack of edited code.
#pragma once

#include "src/base/result.h"
#include "src/bytecode/code.h"
#include "src/classfile/constant_pool.h"

namespace assay::bytecode {

// Sets code.max_stack to the highest depth that any path reaches. Linear in the code. Fails on code
// whose depth is not sound (underflow), which no verifier would take.
Status ComputeMaxStack(const classfile::ConstantPool& pool, Code& code);

}  // namespace assay::bytecode
