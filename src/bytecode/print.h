// A class as text, in the spirit of `javap -c -v`, for tests and debugging.
#pragma once

#include <string>

#include "src/classfile/class_file.h"

namespace assay::bytecode {

struct PrintOptions {
  bool frames = true;     // stack-map frames, at their place in the code
  bool lines = true;      // line numbers, likewise
  bool variables = true;  // local variables
};

// Methods that cannot be decoded are shown with the reason in the place of their code.
std::string PrintClass(const classfile::ClassFile& file, const PrintOptions& options = {});
std::string PrintMethod(const classfile::ClassFile& file, const classfile::Method& method,
                        const PrintOptions& options = {});

// What a constant is, as javap says it behind "//": "Method java/io/PrintStream.println:(I)V".
std::string DescribeConstant(const classfile::ClassFile& file, uint16_t index);

}  // namespace assay::bytecode
