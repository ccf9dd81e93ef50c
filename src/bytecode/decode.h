// From the bytes of a Code attribute to the model. Safe on any input: memory and time are bounded
// by the size of the attribute (frames: see kMaxFrameTypes), errors name the byte, class and
// method.
#pragma once

#include "src/base/result.h"
#include "src/bytecode/code.h"
#include "src/classfile/class_file.h"

namespace assay::bytecode {

// Relative frames can describe states that are much larger than their own size; a method whose
// states are larger than this together is refused.
inline constexpr size_t kMaxFrameTypes = 4u << 20;

// The Code refers to the bytes and the pool of `file` and to the current code of the method (what
// EncodeCode put there, if it did), so it can be encoded once; decode again to edit again.
Result<Code> DecodeCode(const classfile::ClassFile& file, const classfile::Method& method);
// The same, reusing the memory of `code`.
Status DecodeCode(const classfile::ClassFile& file, const classfile::Method& method, Code& code);

// Fills in code.entry, the implicit frame at the start of the method.
Status EnsureEntryFrame(const classfile::ClassFile& file, const classfile::Method& method,
                        Code& code);

}  // namespace assay::bytecode
