#include "src/classfile/class_file.h"

namespace assay::classfile {

namespace {

// Skips an attribute table and returns it; notes the Code attribute on the way.
Status ReadAttributes(ByteReader& reader, const ConstantPool& pool, ByteSpan bytes, ByteSpan* table,
                      Method* method) {
  size_t start = reader.position();
  uint16_t count = reader.U2();
  for (uint32_t i = 0; i < count; ++i) {
    uint64_t at = reader.offset();
    uint16_t name = reader.U2();
    uint32_t length = reader.U4();
    ByteSpan content = reader.Bytes(length);
    if (!reader.ok()) return Error{"attribute reaches past the end of the file", at};
    if (!pool.Is(name, Tag::kUtf8)) return Error{"attribute without a name", at};
    if (method && pool.Utf8(name) == "Code") {
      if (!method->code.empty()) return Error{"second Code attribute", at};
      if (length == 0) return Error{"empty Code attribute", at};
      method->code_name_index = name;
      method->code = content;
    }
  }
  if (!reader.ok()) return Error{"attribute table is cut off", reader.offset()};
  *table = bytes.subspan(start, reader.position() - start);
  return {};
}

Status ReadMember(ByteReader& reader, const ClassFile& file, Member* member, Method* method) {
  size_t start = reader.position();
  member->access_flags = reader.U2();
  member->name_index = reader.U2();
  member->descriptor_index = reader.U2();
  if (!reader.ok()) return Error{"member is cut off", reader.offset()};
  if (!file.pool.Is(member->name_index, Tag::kUtf8) ||
      !file.pool.Is(member->descriptor_index, Tag::kUtf8)) {
    return Error{"member without a name or descriptor", start};
  }
  if (Status status = ReadAttributes(reader, file.pool, file.bytes, &member->attributes, method);
      !status.ok()) {
    status.error().where = file.Where(*member);
    return status;
  }
  member->raw = file.bytes.subspan(start, reader.position() - start);
  return {};
}

Status ReadClassHeader(ByteReader& reader, ClassFile& file) {
  uint64_t at = reader.offset();
  file.access_flags = reader.U2();
  file.this_class = reader.U2();
  file.super_class = reader.U2();
  if (!file.pool.Is(file.this_class, Tag::kClass)) return Error{"class without a name", at};
  if (file.super_class != 0 && !file.pool.Is(file.super_class, Tag::kClass)) {
    return Error{"bad super class", at};
  }
  uint16_t count = reader.U2();
  if (reader.remaining() / 2 < count) return Error{"interfaces are cut off", reader.offset()};
  file.interfaces.reserve(count);
  for (uint32_t i = 0; i < count; ++i) {
    file.interfaces.push_back(reader.U2());
    if (!file.pool.Is(file.interfaces.back(), Tag::kClass)) {
      return Error{"bad interface", reader.offset()};
    }
  }
  return {};
}

// Each member takes at least eight bytes, which bounds the memory by the size of the input.
Result<uint16_t> MemberCount(ByteReader& reader) {
  uint16_t count = reader.U2();
  if (!reader.ok() || reader.remaining() / 8 < count) {
    return Error{"members are cut off", reader.offset()};
  }
  return count;
}

Status ReadBody(ByteReader& reader, ClassFile& file) {
  ASSAY_TRY(ReadClassHeader(reader, file));
  ASSAY_ASSIGN(uint16_t field_count, MemberCount(reader));
  file.fields.resize(field_count);
  for (Field& field : file.fields) ASSAY_TRY(ReadMember(reader, file, &field, nullptr));
  ASSAY_ASSIGN(uint16_t method_count, MemberCount(reader));
  file.methods.resize(method_count);
  for (Method& method : file.methods) ASSAY_TRY(ReadMember(reader, file, &method, &method));
  ASSAY_TRY(ReadAttributes(reader, file.pool, file.bytes, &file.attributes, nullptr));
  if (!reader.AtEnd()) return Error{"bytes after the end of the class", reader.offset()};
  return {};
}

}  // namespace

std::string ClassFile::Where() const { return "class " + std::string(Name()); }

std::string ClassFile::Where(const Member& member) const {
  std::string_view descriptor = DescriptorOf(member);
  bool is_method = !descriptor.empty() && descriptor[0] == '(';
  return Where() + (is_method ? ", method " : ", field ") + std::string(NameOf(member)) +
         (is_method ? "" : " ") + std::string(descriptor);
}

uint64_t ClassFile::OffsetOf(ByteSpan part) const {
  if (part.data() < bytes.data() || part.data() > bytes.data() + bytes.size()) {
    return Error::kNoOffset;
  }
  return static_cast<uint64_t>(part.data() - bytes.data());
}

ByteSpan ClassFile::FindAttribute(ByteSpan table, std::string_view name) const {
  AttributeReader reader(table);
  for (Attribute attribute; reader.Next(&attribute);) {
    if (pool.Utf8(attribute.name_index) == name) return attribute.content;
  }
  return {};
}

Result<ClassFile> ParseClass(ByteSpan bytes) {
  ClassFile file;
  file.bytes = bytes;
  ByteReader reader(bytes);
  if (reader.U4() != kMagic) return Error{"not a class file (no 0xcafebabe)", 0};
  file.minor = reader.U2();
  file.major = reader.U2();
  if (!reader.ok()) return Error{"class file is cut off", reader.offset()};
  if (file.major < kOldestMajor || file.major > kNewestMajor) {
    return Error{"class file version " + std::to_string(file.major) + " is not supported (45 to " +
                     std::to_string(kNewestMajor) + ")",
                 6};
  }
  ASSAY_TRY(file.pool.Parse(reader));
  if (Status status = ReadBody(reader, file); !status.ok()) {
    if (status.error().where.empty() && !file.Name().empty()) status.error().where = file.Where();
    return std::move(status.error());
  }
  return file;
}

}  // namespace assay::classfile
