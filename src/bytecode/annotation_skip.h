// Skipping annotations (JVMS 4.7.16), whose length only their contents tell.
#pragma once

#include "src/base/bytes.h"

namespace assay::bytecode {

// From a type_path to the end of the annotation behind it. False when malformed or nested deeper
// than anything that a compiler writes.
bool SkipTypePathAndAnnotation(ByteReader& reader);

}  // namespace assay::bytecode
