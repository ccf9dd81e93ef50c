// The constant pool: the original entries stay where they are in the input and are written back
// verbatim; new ones are appended, each at most once. Not safe for concurrent use.
//
// Parse() checks every cross reference, so that a lookup only has to check the tag of the index it
// was given. A lookup of an index that is out of range or of another kind yields an empty view or
// zeros; callers that take indices from untrusted code ask Is() first.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "src/base/bytes.h"
#include "src/base/result.h"
#include "src/classfile/constants.h"

namespace assay::classfile {

struct NameAndType {
  std::string_view name;
  std::string_view descriptor;
};

// A field or method as an instruction names it.
struct MemberRef {
  std::string_view owner;  // internal form, java/lang/Object or [I
  std::string_view name;
  std::string_view descriptor;
};

class ConstantPool {
 public:
  ConstantPool() = default;
  ConstantPool(ConstantPool&&) = default;
  ConstantPool& operator=(ConstantPool&&) = default;

  // Reads the count and the entries at the reader's position.
  Status Parse(ByteReader& reader);

  // The number of indices, as in constant_pool_count: valid indices are 1 .. size() - 1.
  uint32_t size() const { return static_cast<uint32_t>(entries_.size()); }
  bool grown() const { return size() != original_size_; }
  Tag TagAt(uint16_t index) const {
    return index < entries_.size() && entries_[index] ? static_cast<Tag>(*entries_[index])
                                                      : Tag::kNone;
  }
  bool Is(uint16_t index, Tag tag) const { return TagAt(index) == tag; }

  // Modified UTF-8, as stored.
  std::string_view Utf8(uint16_t index) const;
  std::string_view ClassName(uint16_t index) const { return Indirect(index, Tag::kClass); }
  std::string_view String(uint16_t index) const { return Indirect(index, Tag::kString); }
  std::string_view MethodType(uint16_t index) const { return Indirect(index, Tag::kMethodType); }
  std::string_view ModuleName(uint16_t index) const { return Indirect(index, Tag::kModule); }
  std::string_view PackageName(uint16_t index) const { return Indirect(index, Tag::kPackage); }
  assay::classfile::NameAndType NameAndType(uint16_t index) const;
  // Field, method and interface method references.
  MemberRef Member(uint16_t index) const;
  bool IsMember(uint16_t index) const {
    Tag tag = TagAt(index);
    return tag == Tag::kFieldRef || tag == Tag::kMethodRef || tag == Tag::kInterfaceMethodRef;
  }
  // The name and type of a Dynamic or InvokeDynamic entry, and its bootstrap method's number.
  assay::classfile::NameAndType DynamicNameAndType(uint16_t index) const;
  uint16_t BootstrapIndex(uint16_t index) const;
  int32_t Integer(uint16_t index) const;
  uint32_t FloatBits(uint16_t index) const;
  int64_t Long(uint16_t index) const;
  uint64_t DoubleBits(uint16_t index) const;
  uint8_t MethodHandleKind(uint16_t index) const;
  uint16_t MethodHandleReference(uint16_t index) const;
  // The raw first and second 16-bit operand of an entry that has them.
  uint16_t First(uint16_t index) const { return U2At(entries_[index] + 1); }
  uint16_t Second(uint16_t index) const { return U2At(entries_[index] + 3); }

  // The index of the entry, appended when it is not there yet. Fails when the pool is full.
  Result<uint16_t> AddUtf8(std::string_view text);
  Result<uint16_t> AddClass(std::string_view name);
  Result<uint16_t> AddString(std::string_view text);
  Result<uint16_t> AddInteger(int32_t value);
  Result<uint16_t> AddFloatBits(uint32_t bits);
  Result<uint16_t> AddLong(int64_t value);
  Result<uint16_t> AddDoubleBits(uint64_t bits);
  Result<uint16_t> AddNameAndType(std::string_view name, std::string_view descriptor);
  Result<uint16_t> AddFieldRef(std::string_view owner, std::string_view name,
                               std::string_view descriptor);
  Result<uint16_t> AddMethodRef(std::string_view owner, std::string_view name,
                                std::string_view descriptor);
  Result<uint16_t> AddInterfaceMethodRef(std::string_view owner, std::string_view name,
                                         std::string_view descriptor);
  Result<uint16_t> AddMethodType(std::string_view descriptor);
  Result<uint16_t> AddModule(std::string_view name);
  Result<uint16_t> AddPackage(std::string_view name);
  Result<uint16_t> AddMethodHandle(uint8_t kind, uint16_t reference);
  Result<uint16_t> AddDynamic(Tag tag, uint16_t bootstrap, std::string_view name,
                              std::string_view descriptor);

  // Forgets the entries added since size() was `size`: the undo of a pass that failed half way.
  void TruncateTo(uint32_t size);

  void Write(ByteWriter& out) const;
  size_t WrittenSize() const { return 2 + original_bytes_.size() + appended_size_; }

 private:
  static uint16_t U2At(const uint8_t* p) { return static_cast<uint16_t>(p[0] << 8 | p[1]); }
  static uint32_t U4At(const uint8_t* p) {
    return static_cast<uint32_t>(p[0]) << 24 | p[1] << 16 | p[2] << 8 | p[3];
  }
  static uint64_t U8At(const uint8_t* p) {
    return static_cast<uint64_t>(U4At(p)) << 32 | U4At(p + 4);
  }
  static size_t EntrySize(const uint8_t* entry);
  std::string_view Indirect(uint16_t index, Tag tag) const;
  Status CheckReferences(uint64_t offset) const;
  bool ReferencesAreSound(uint16_t index) const;
  Result<uint16_t> AddMember(Tag tag, std::string_view owner, std::string_view name,
                             std::string_view descriptor);
  Result<uint16_t> Add2(Tag tag, uint16_t first);
  Result<uint16_t> Add4(Tag tag, uint16_t first, uint16_t second);
  Result<uint16_t> Add(const uint8_t* head, size_t head_size, std::string_view tail);
  static uint32_t HashEntry(const uint8_t* head, size_t head_size, std::string_view tail);
  uint8_t* Allocate(size_t size);
  void BuildTable();
  void Insert(uint16_t index);

  std::vector<const uint8_t*> entries_;  // the tag byte of each entry, null where there is none
  uint32_t original_size_ = 0;
  ByteSpan original_bytes_;
  // Appended entries live in chunks that never move, so views of them stay valid.
  std::vector<std::unique_ptr<uint8_t[]>> chunks_;
  size_t chunk_used_ = 0;
  size_t chunk_size_ = 0;
  size_t appended_size_ = 0;
  std::vector<uint16_t> table_;  // open addressing over indices, built by the first Add
  uint32_t table_count_ = 0;
};

}  // namespace assay::classfile
