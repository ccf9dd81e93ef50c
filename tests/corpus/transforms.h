// What the corpus is put through: re-encoding, edits that exercise one part of the library each,
// and every pass of src/instrument.
#pragma once

#include <string>

#include "src/base/result.h"
#include "src/bytecode/code.h"
#include "src/classfile/class_file.h"

namespace assay::corpus {

// Transforms one method with the named transformation; on an error the method is as it was.
//   reencode   decode and encode
//   entry      a call at the entry
//   wrap       a live local, calls at the entry and before returns, a catch-all around the body
//   clone      the body twice, chosen by a test at the entry
//   spread     nops until jumps reach too far
//   infer      all frames recomputed
Status Transform(const std::string& name, classfile::ClassFile& file, classfile::Method& method,
                 bytecode::Code& code);

// Tells `infer` about a class.
void See(const classfile::ClassFile& file);

}  // namespace assay::corpus
