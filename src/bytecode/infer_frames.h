// Full recomputation of the stack-map frames of a method by type inference over its control flow.
// The encoder keeps and shifts the frames that are there; this is for edits that no longer let it.
#pragma once

#include "src/base/result.h"
#include "src/bytecode/code.h"
#include "src/bytecode/hierarchy.h"
#include "src/classfile/class_file.h"

namespace assay::bytecode {

// Replaces all frames, and drops instructions that cannot be reached (the verifier wants frames
// there too, and no state exists to put in them). Where two classes meet whose common superclass is
// not known, the frame that was there before decides; without one the method is refused and `code`
// is as it was. Methods with jsr or ret are refused.
Status InferFrames(const classfile::ClassFile& file, const classfile::Method& method, Code& code,
                   const Hierarchy& hierarchy);

}  // namespace assay::bytecode
