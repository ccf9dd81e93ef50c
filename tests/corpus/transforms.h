// What the corpus is put through: re-encoding, edits that exercise one part of the library each,
// and every pass of src/instrument.
//   reencode   decode and encode
//   entry      a call at the entry
//   wrap       a live local, calls at the entry and before returns, a catch-all around the body
//   clone      the body twice, chosen by a test at the entry
//   spread     nops until jumps reach too far
//   infer      all frames recomputed
//   prepend    a call at the entry, the body moved as it is
//   exact ...  the passes, by their names
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "src/base/bytes.h"
#include "src/instrument/pass.h"

namespace assay::corpus {

// Puts a class through one transformation. Fails for a name that is not known, too.
Result<instrument::Rewritten> Transform(const std::string& name, instrument::Pass* pass,
                                        ByteSpan bytes);

// Null for `prepend`, which is no pass, and for a name that is not known. `infer` learns the
// classes that are put through it.
std::unique_ptr<instrument::Pass> MakeTransform(const std::string& name);

std::vector<std::string> TransformNames();

// Tells `infer` about a class.
void See(const classfile::ClassFile& file);

}  // namespace assay::corpus
