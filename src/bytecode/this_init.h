// Where in a constructor `this` is still uninitialized: before the call of super(...) or this(...).
// Found by following the types, not by looking for the call.
#pragma once

#include <vector>

#include "src/base/result.h"
#include "src/bytecode/code.h"
#include "src/classfile/class_file.h"

namespace assay::bytecode {

// Per element of the code: 1 where `this` is uninitialized before it. Empty for methods that are no
// constructors. Fails on code that no verifier would take.
Result<std::vector<uint8_t>> ThisUninitialized(const classfile::ClassFile& file,
                                               const classfile::Method& method, Code& code);

// A frame of code where `this` is uninitialized must have it in local variable 0 or cannot tell
// where it is: after this instruction it may be elsewhere.
inline bool OverwritesThis(const Element& element) {
  return element.IsInstruction() && IsStore(element.op) && element.index == 0;
}

}  // namespace assay::bytecode
