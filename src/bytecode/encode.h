// The one encoder: from elements to a Code attribute. It alone knows offsets: it chooses the
// shortest form of every instruction, widens jumps that reach too far, pads switches and packs
// frames.
#pragma once

#include "src/base/result.h"
#include "src/bytecode/code.h"
#include "src/classfile/class_file.h"

namespace assay::bytecode {

// Replaces the code of the method. On an error (more than 65535 bytes, pool full, unbound label...)
// the method keeps the code it had; the pool may have grown. `code` may be changed by widening.
// max_stack and max_locals are taken from `code`; see ComputeMaxStack in max_stack.h.
Status EncodeCode(Code& code, classfile::ClassFile& file, classfile::Method& method);

}  // namespace assay::bytecode
