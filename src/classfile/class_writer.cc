#include "src/classfile/class_file.h"

namespace assay::classfile {

namespace {

void WriteMemberHeader(ByteWriter& out, const Member& member) {
  out.U2(member.access_flags);
  out.U2(member.name_index);
  out.U2(member.descriptor_index);
}

void WriteField(ByteWriter& out, const Field& field) {
  if (!field.header_changed && !field.raw.empty()) return out.Bytes(field.raw);
  WriteMemberHeader(out, field);
  if (field.attributes.empty()) return out.U2(0);
  out.Bytes(field.attributes);
}

void WriteCode(ByteWriter& out, const Method& method) {
  out.U2(method.code_name_index);
  out.U4(static_cast<uint32_t>(method.new_code.size()));
  out.Bytes(method.new_code);
}

void WriteMethod(ByteWriter& out, const Method& method) {
  if (method.new_code.empty()) return WriteField(out, method);
  WriteMemberHeader(out, method);
  if (method.attributes.empty()) {
    out.U2(1);
    return WriteCode(out, method);
  }
  AttributeReader reader(method.attributes);
  bool had_code = !method.code.empty();
  ByteReader count(method.attributes);
  out.U2(static_cast<uint16_t>(count.U2() + (had_code ? 0 : 1)));
  if (!had_code) WriteCode(out, method);
  size_t start = reader.position();
  for (Attribute attribute; reader.Next(&attribute); start = reader.position()) {
    if (had_code && attribute.content.data() == method.code.data()) {
      WriteCode(out, method);
    } else {
      out.Bytes(method.attributes.subspan(start, reader.position() - start));
    }
  }
}

}  // namespace

ByteVector WriteClass(const ClassFile& file) {
  ByteWriter out;
  size_t extra = 0;
  for (const Method& method : file.methods) extra += method.new_code.size();
  out.Reserve(file.bytes.size() + extra + file.pool.WrittenSize());
  out.U4(kMagic);
  out.U2(file.minor);
  out.U2(file.major);
  file.pool.Write(out);
  out.U2(file.access_flags);
  out.U2(file.this_class);
  out.U2(file.super_class);
  out.U2(static_cast<uint16_t>(file.interfaces.size()));
  for (uint16_t index : file.interfaces) out.U2(index);
  out.U2(static_cast<uint16_t>(file.fields.size()));
  for (const Field& field : file.fields) WriteField(out, field);
  out.U2(static_cast<uint16_t>(file.methods.size()));
  for (const Method& method : file.methods) WriteMethod(out, method);
  if (file.attributes.empty()) {
    out.U2(0);
  } else {
    out.Bytes(file.attributes);
  }
  return out.Take();
}

}  // namespace assay::classfile
