// The class file as a model: parsed lazily, as spans into the input, and written back verbatim
// where nothing changed. The input must outlive the ClassFile. Not safe for concurrent use.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/bytes.h"
#include "src/base/result.h"
#include "src/classfile/constant_pool.h"
#include "src/classfile/constants.h"

namespace assay::classfile {

// One attribute_info; `content` is what follows its length.
struct Attribute {
  uint16_t name_index = 0;
  ByteSpan content;
};

// Iterates over attributes_count and the attribute_infos behind it. A truncated table ends early
// and is reported by ok(); the parser has checked those of the class and of its members already.
class AttributeReader {
 public:
  explicit AttributeReader(ByteSpan table) : reader_(table), left_(reader_.U2()) {}
  bool Next(Attribute* attribute) {
    if (left_ == 0 || !reader_.ok()) return false;
    --left_;
    attribute->name_index = reader_.U2();
    attribute->content = reader_.Bytes(reader_.U4());
    return reader_.ok();
  }
  bool ok() const { return reader_.ok(); }
  size_t position() const { return reader_.position(); }

 private:
  ByteReader reader_;
  uint16_t left_;
};

// A field or a method.
struct Member {
  uint16_t access_flags = 0;
  uint16_t name_index = 0;
  uint16_t descriptor_index = 0;
  ByteSpan raw;         // the whole member_info in the input, empty for an added member
  ByteSpan attributes;  // from attributes_count on; empty for an added member
  // The header differs from `raw`, because a pass changed a flag or a name.
  bool header_changed = false;

  bool Has(uint16_t flag) const { return (access_flags & flag) != 0; }
};

using Field = Member;

struct Method : Member {
  uint16_t code_name_index = 0;  // the pool index of "Code" as this method spells it
  ByteSpan code;                 // the content of the original Code attribute, empty without one
  ByteVector new_code;           // replaces it when not empty

  bool HasCode() const { return !code.empty() || !new_code.empty(); }
  ByteSpan CurrentCode() const { return new_code.empty() ? code : ByteSpan(new_code); }
};

struct ClassFile {
  ClassFile() = default;
  ClassFile(ClassFile&&) = default;
  ClassFile& operator=(ClassFile&&) = default;

  ByteSpan bytes;  // the input
  uint16_t minor = 0;
  uint16_t major = 0;
  ConstantPool pool;
  uint16_t access_flags = 0;
  uint16_t this_class = 0;
  uint16_t super_class = 0;
  std::vector<uint16_t> interfaces;
  std::vector<Field> fields;
  std::vector<Method> methods;
  ByteSpan attributes;  // from attributes_count on

  std::string_view Name() const { return pool.ClassName(this_class); }
  std::string_view SuperName() const { return pool.ClassName(super_class); }
  bool IsInterface() const { return (access_flags & kAccInterface) != 0; }
  std::string_view NameOf(const Member& member) const { return pool.Utf8(member.name_index); }
  std::string_view DescriptorOf(const Member& member) const {
    return pool.Utf8(member.descriptor_index);
  }
  // "class a/b/C, method m(I)V", for errors.
  std::string Where(const Member& member) const;
  std::string Where() const;
  // The offset of a part of the input in it, Error::kNoOffset for anything else.
  uint64_t OffsetOf(ByteSpan part) const;
  // The class attribute of that name, or an empty span.
  ByteSpan FindAttribute(ByteSpan table, std::string_view name) const;
};

// Checks the structure of the whole file and the pool; the insides of attributes stay unread.
Result<ClassFile> ParseClass(ByteSpan bytes);

ByteVector WriteClass(const ClassFile& class_file);

}  // namespace assay::classfile
