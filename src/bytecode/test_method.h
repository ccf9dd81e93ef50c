// For tests: a class made from nothing, with one static method.
#pragma once

#include <string_view>

#include "src/bytecode/code.h"
#include "src/classfile/class_file.h"

namespace assay::bytecode {

struct TestMethod {
  classfile::ClassFile file;
  explicit TestMethod(uint16_t major = 61, std::string_view descriptor = "()V",
                      uint16_t flags = classfile::kAccStatic, std::string_view name = "m") {
    file.major = major;
    file.this_class = *file.pool.AddClass("T");
    file.super_class = *file.pool.AddClass("java/lang/Object");
    classfile::Method& method = file.methods.emplace_back();
    method.access_flags = flags;
    method.name_index = *file.pool.AddUtf8(name);
    method.descriptor_index = *file.pool.AddUtf8(descriptor);
    method.code_name_index = *file.pool.AddUtf8("Code");
  }
  classfile::Method& method() { return file.methods[0]; }

  // A Code attribute with these instructions and the given tail (tables), or none.
  void SetCode(const ByteVector& instructions, const ByteVector& tail = {0, 0, 0, 0}) {
    ByteWriter out;
    out.U2(10);
    out.U2(10);
    out.U4(static_cast<uint32_t>(instructions.size()));
    out.Bytes(instructions);
    out.Bytes(tail);
    method().new_code = out.Take();
  }
  // The instructions of the current code.
  ByteVector Instructions() {
    ByteReader reader(method().CurrentCode());
    reader.Skip(4);
    ByteSpan bytes = reader.Bytes(reader.U4());
    return {bytes.begin(), bytes.end()};
  }
};

}  // namespace assay::bytecode
