#include "src/instrument/module_info.h"

#include <functional>

#include "src/classfile/class_file.h"

namespace assay::instrument {
namespace {

using Change = std::function<void(ByteReader&, ByteWriter&)>;

// Writes the class with one attribute replaced; a class without it stays as it is.
Result<ByteVector> ChangeAttribute(classfile::ClassFile& file, std::string_view name,
                                   const Change& change) {
  ByteWriter table;
  ByteReader count(file.attributes);
  table.U2(count.U2());
  classfile::AttributeReader reader(file.attributes);
  for (classfile::Attribute attribute; reader.Next(&attribute);) {
    ByteWriter content;
    if (file.pool.Utf8(attribute.name_index) == name) {
      ByteReader old(attribute.content);
      change(old, content);
      content.Bytes(old.Bytes(old.remaining()));
      if (!old.ok()) return Error{"damaged attribute " + std::string(name)};
    } else {
      content.Bytes(attribute.content);
    }
    table.U2(attribute.name_index);
    table.U4(static_cast<uint32_t>(content.size()));
    table.Bytes(content.bytes());
  }
  if (!reader.ok()) return Error{"damaged attributes"};
  file.attributes = table.bytes();
  return classfile::WriteClass(file);
}

}  // namespace

// JVMS 4.7.26
Result<ByteVector> AddModulePackage(ByteSpan module_info, std::string_view package) {
  ASSAY_ASSIGN(classfile::ClassFile file, classfile::ParseClass(module_info));
  ASSAY_ASSIGN(uint16_t index, file.pool.AddPackage(package));
  return ChangeAttribute(file, "ModulePackages", [index](ByteReader& old, ByteWriter& out) {
    uint16_t count = old.U2();
    out.U2(static_cast<uint16_t>(count + 1));
    out.Bytes(old.Bytes(count * 2u));
    out.U2(index);
  });
}

// JVMS 4.7.25
Result<ByteVector> AddModuleRequires(ByteSpan module_info, std::string_view module) {
  ASSAY_ASSIGN(classfile::ClassFile file, classfile::ParseClass(module_info));
  ASSAY_ASSIGN(uint16_t index, file.pool.AddModule(module));
  return ChangeAttribute(file, "Module", [index](ByteReader& old, ByteWriter& out) {
    out.Bytes(old.Bytes(6));  // name, flags, version
    uint16_t count = old.U2();
    out.U2(static_cast<uint16_t>(count + 1));
    out.Bytes(old.Bytes(count * 6u));
    out.U2(index);
    out.U2(classfile::kAccMandated);
    out.U2(0);
  });
}

}  // namespace assay::instrument
