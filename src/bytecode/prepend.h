// Straight-line code at the entry of a method without taking the rest apart: the body stays as it
// is in the bytes, and what refers to it by offset moves. Several times cheaper than decoding and
// encoding, for passes that only want to know that a method was entered.
#pragma once

#include "src/base/bytes.h"
#include "src/base/result.h"
#include "src/classfile/class_file.h"

namespace assay::bytecode {

// `code` are whole instructions that neither jump nor leave anything on the stack, and need
// `stack` words of it. They are padded with nops to a multiple of four bytes where the body has a
// switch, whose operands are aligned. On an error the method keeps the code that it had; methods
// with type annotations in their code are for CodeBuilder.
Status PrependCode(const classfile::ClassFile& file, classfile::Method& method, ByteSpan code,
                   uint16_t stack);

}  // namespace assay::bytecode
