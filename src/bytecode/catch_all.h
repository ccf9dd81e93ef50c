// A handler around a whole body: what a pass needs to see a method left by an exception.
#pragma once

#include <vector>

#include "src/base/result.h"
#include "src/bytecode/code.h"
#include "src/bytecode/code_builder.h"
#include "src/classfile/class_file.h"

namespace assay::bytecode {

// A part of a body with its handler. In a constructor the part where `this` is uninitialized needs
// a handler of its own, whose frame says so.
struct CatchRegion {
  Label handler;
  bool this_uninitialized = false;
  uint32_t frame = 0;  // nothing in the locals but `this` (if uninitialized) and live added locals
};

// Splits the code between two bound labels into regions and adds a catch-all exception range for
// each, behind all existing ones. The caller then binds each handler and emits its code, which is
// entered with the exception on the stack. There may be no region at all: nothing to protect.
//
// The call of super(...) or this(...) itself is in no region, and cannot be. HotSpot checks a
// handler against the state before the call and the one after it, with the flag that `this` is
// uninitialized still set (verifier.cpp, verify_invoke_init and the check behind the switch); a
// frame that has the flag has uninitializedThis among its locals, so none matches both. A pass must
// recover in the caller when a constructor is left by an exception out of that call. The same holds
// for all of the code before it in a constructor that overwrites local variable 0 there: frames
// would have to follow `this` to where it is.
//   CodeBuilder build(file, code, CodeBuilder::Append{});
//   for (const CatchRegion& region : regions) {
//     build.Bind(region.handler);
//     build.Frame(region.frame);
//     ... the exception is on the stack ...
//     build.Emit(Op::kAthrow);
//   }
Result<std::vector<CatchRegion>> AddCatchAll(const classfile::ClassFile& file,
                                             const classfile::Method& method, Code& code,
                                             Label begin, Label end);

}  // namespace assay::bytecode
