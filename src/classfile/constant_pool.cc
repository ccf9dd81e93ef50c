#include "src/classfile/constant_pool.h"

#include <cstring>

namespace assay::classfile {

namespace {

// Bytes after the tag, 0 for an unknown tag; Utf8 is handled apart.
size_t OperandSize(Tag tag) {
  switch (tag) {
    case Tag::kInteger:
    case Tag::kFloat:
    case Tag::kFieldRef:
    case Tag::kMethodRef:
    case Tag::kInterfaceMethodRef:
    case Tag::kNameAndType:
    case Tag::kDynamic:
    case Tag::kInvokeDynamic:
      return 4;
    case Tag::kLong:
    case Tag::kDouble:
      return 8;
    case Tag::kClass:
    case Tag::kString:
    case Tag::kMethodType:
    case Tag::kModule:
    case Tag::kPackage:
      return 2;
    case Tag::kMethodHandle:
      return 3;
    case Tag::kNone:
    case Tag::kUtf8:
      break;
  }
  return 0;
}

bool TakesTwo(const uint8_t* entry) {
  return *entry == static_cast<uint8_t>(Tag::kLong) || *entry == static_cast<uint8_t>(Tag::kDouble);
}

}  // namespace

Status ConstantPool::Parse(ByteReader& reader) {
  uint16_t count = reader.U2();
  if (!reader.ok() || count == 0) return Error{"no constant pool", reader.offset()};
  // Every entry takes at least three bytes, which bounds the memory by the size of the input.
  if (reader.remaining() / 3 < count - 1u) {
    return Error{"constant pool does not fit the class file", reader.offset()};
  }
  size_t start = reader.position();
  uint64_t start_offset = reader.offset();
  ByteSpan all = reader.Bytes(reader.remaining());
  const uint8_t* begin = all.data();
  const uint8_t* p = begin;
  const uint8_t* end = begin + all.size();
  entries_.assign(count, nullptr);
  for (uint32_t i = 1; i < count; ++i) {
    uint64_t at = start_offset + static_cast<uint64_t>(p - begin);
    if (end - p < 3) return Error{"constant pool is cut off", at};
    Tag tag = static_cast<Tag>(*p);
    size_t size = tag == Tag::kUtf8 ? 2u + U2At(p + 1) : OperandSize(tag);
    if (size == 0) {
      return Error{"unknown constant pool tag " + std::to_string(*p), at};
    }
    if (static_cast<size_t>(end - p) < size + 1) return Error{"constant pool is cut off", at};
    entries_[i] = p;
    if (TakesTwo(p) && ++i == count) return Error{"long or double at the end of the pool", at};
    p += size + 1;
  }
  original_size_ = count;
  original_bytes_ = all.first(static_cast<size_t>(p - begin));
  reader.Seek(start + original_bytes_.size());
  return CheckReferences(start_offset);
}

bool ConstantPool::ReferencesAreSound(uint16_t index) const {
  switch (TagAt(index)) {
    case Tag::kClass:
    case Tag::kString:
    case Tag::kMethodType:
    case Tag::kModule:
    case Tag::kPackage:
      return Is(First(index), Tag::kUtf8);
    case Tag::kFieldRef:
    case Tag::kMethodRef:
    case Tag::kInterfaceMethodRef:
      return Is(First(index), Tag::kClass) && Is(Second(index), Tag::kNameAndType);
    case Tag::kNameAndType:
      return Is(First(index), Tag::kUtf8) && Is(Second(index), Tag::kUtf8);
    case Tag::kDynamic:
    case Tag::kInvokeDynamic:
      return Is(Second(index), Tag::kNameAndType);
    case Tag::kMethodHandle: {
      uint8_t kind = MethodHandleKind(index);
      return kind >= 1 && kind <= 9 && IsMember(MethodHandleReference(index));
    }
    default:
      return true;
  }
}

Status ConstantPool::CheckReferences(uint64_t offset) const {
  for (uint32_t i = 1; i < entries_.size(); ++i) {
    if (!ReferencesAreSound(static_cast<uint16_t>(i))) {
      return Error{"constant pool entry " + std::to_string(i) + " refers to one of another kind",
                   offset + static_cast<uint64_t>(entries_[i] - original_bytes_.data())};
    }
  }
  return {};
}

std::string_view ConstantPool::Utf8(uint16_t index) const {
  if (!Is(index, Tag::kUtf8)) return {};
  const uint8_t* entry = entries_[index];
  return {reinterpret_cast<const char*>(entry + 3), U2At(entry + 1)};
}

std::string_view ConstantPool::Indirect(uint16_t index, Tag tag) const {
  return Is(index, tag) ? Utf8(First(index)) : std::string_view();
}

NameAndType ConstantPool::NameAndType(uint16_t index) const {
  if (!Is(index, Tag::kNameAndType)) return {};
  return {Utf8(First(index)), Utf8(Second(index))};
}

MemberRef ConstantPool::Member(uint16_t index) const {
  if (!IsMember(index)) return {};
  auto name_and_type = NameAndType(Second(index));
  return {ClassName(First(index)), name_and_type.name, name_and_type.descriptor};
}

NameAndType ConstantPool::DynamicNameAndType(uint16_t index) const {
  if (!Is(index, Tag::kDynamic) && !Is(index, Tag::kInvokeDynamic)) return {};
  return NameAndType(Second(index));
}

uint16_t ConstantPool::BootstrapIndex(uint16_t index) const {
  return Is(index, Tag::kDynamic) || Is(index, Tag::kInvokeDynamic) ? First(index) : 0;
}

int32_t ConstantPool::Integer(uint16_t index) const {
  return Is(index, Tag::kInteger) ? static_cast<int32_t>(U4At(entries_[index] + 1)) : 0;
}

uint32_t ConstantPool::FloatBits(uint16_t index) const {
  return Is(index, Tag::kFloat) ? U4At(entries_[index] + 1) : 0;
}

int64_t ConstantPool::Long(uint16_t index) const {
  return Is(index, Tag::kLong) ? static_cast<int64_t>(U8At(entries_[index] + 1)) : 0;
}

uint64_t ConstantPool::DoubleBits(uint16_t index) const {
  return Is(index, Tag::kDouble) ? U8At(entries_[index] + 1) : 0;
}

uint8_t ConstantPool::MethodHandleKind(uint16_t index) const {
  return Is(index, Tag::kMethodHandle) ? entries_[index][1] : 0;
}

uint16_t ConstantPool::MethodHandleReference(uint16_t index) const {
  return Is(index, Tag::kMethodHandle) ? U2At(entries_[index] + 2) : 0;
}

size_t ConstantPool::EntrySize(const uint8_t* entry) {
  Tag tag = static_cast<Tag>(*entry);
  return tag == Tag::kUtf8 ? 3u + U2At(entry + 1) : 1 + OperandSize(tag);
}

// Reads at most the head, the length and sixteen bytes of text: names differ at their ends.
uint32_t ConstantPool::HashEntry(const uint8_t* head, size_t head_size, std::string_view tail) {
  constexpr uint64_t kOdd = 0x9e3779b97f4a7c15ull;
  auto load = [](const void* from, auto to) {
    std::memcpy(&to, from, sizeof to);
    return static_cast<uint64_t>(to);
  };
  uint64_t hash = *head;
  if (head_size == 5) {
    hash |= load(head + 1, uint32_t{}) << 8;
  } else if (head_size == 9) {
    hash ^= load(head + 1, uint64_t{}) * kOdd;
  } else {  // 3 or 4 bytes
    hash |= load(head + 1, uint16_t{}) << 8 | static_cast<uint64_t>(head[head_size - 1]) << 24;
  }
  hash *= kOdd;
  size_t size = tail.size();
  const char* text = tail.data();
  if (size >= 8) {
    hash ^= load(text, uint64_t{}) + (load(text + size - 8, uint64_t{}) ^ size) * kOdd;
  } else if (size >= 4) {
    hash ^= load(text, uint32_t{}) << 32 | load(text + size - 4, uint32_t{});
  } else if (size > 0) {
    hash ^= static_cast<uint64_t>(static_cast<uint8_t>(text[0])) << 16 |
            static_cast<uint64_t>(static_cast<uint8_t>(text[size / 2])) << 8 |
            static_cast<uint8_t>(text[size - 1]);
  }
  return static_cast<uint32_t>(hash * kOdd >> 32);
}

namespace {
constexpr size_t kUtf8Head = 3;
size_t HeadSize(const uint8_t* entry, size_t size) {
  return *entry == static_cast<uint8_t>(Tag::kUtf8) ? kUtf8Head : size;
}
}  // namespace

void ConstantPool::Insert(uint16_t index) {
  const uint8_t* entry = entries_[index];
  size_t size = EntrySize(entry);
  size_t head = HeadSize(entry, size);
  std::string_view tail(reinterpret_cast<const char*>(entry + head), size - head);
  uint32_t mask = static_cast<uint32_t>(table_.size()) - 1;
  uint32_t slot = HashEntry(entry, head, tail) & mask;
  while (table_[slot] != 0) slot = (slot + 1) & mask;
  table_[slot] = index;
  ++table_count_;
}

void ConstantPool::BuildTable() {
  size_t capacity = 64;
  while (capacity < entries_.size() * 2 + 32) capacity *= 2;
  table_.assign(capacity, 0);
  table_count_ = 0;
  for (uint32_t i = 1; i < entries_.size(); ++i) {
    if (entries_[i]) Insert(static_cast<uint16_t>(i));
  }
}

uint8_t* ConstantPool::Allocate(size_t size) {
  if (chunks_.empty() || chunk_size_ - chunk_used_ < size) {
    chunk_size_ = size > 1024 ? size : 1024;
    chunks_.emplace_back(new uint8_t[chunk_size_]);
    chunk_used_ = 0;
  }
  uint8_t* result = chunks_.back().get() + chunk_used_;
  chunk_used_ += size;
  return result;
}

Result<uint16_t> ConstantPool::Add(const uint8_t* head, size_t head_size, std::string_view tail) {
  if (entries_.empty()) entries_.push_back(nullptr);
  if (table_.empty() || table_count_ * 2 > table_.size()) BuildTable();
  size_t size = head_size + tail.size();
  uint32_t mask = static_cast<uint32_t>(table_.size()) - 1;
  for (uint32_t slot = HashEntry(head, head_size, tail) & mask; table_[slot] != 0;
       slot = (slot + 1) & mask) {
    const uint8_t* entry = entries_[table_[slot]];
    if (*entry == *head && std::memcmp(entry, head, head_size) == 0 && EntrySize(entry) == size &&
        (tail.empty() || std::memcmp(entry + head_size, tail.data(), tail.size()) == 0)) {
      return table_[slot];
    }
  }
  bool two = TakesTwo(head);
  if (entries_.size() + (two ? 2 : 1) > 65535) return Error{"constant pool is full"};
  uint8_t* entry = Allocate(size);
  std::memcpy(entry, head, head_size);
  if (!tail.empty()) std::memcpy(entry + head_size, tail.data(), tail.size());
  uint16_t index = static_cast<uint16_t>(entries_.size());
  entries_.push_back(entry);
  if (two) entries_.push_back(nullptr);
  appended_size_ += size;
  Insert(index);
  return index;
}

void ConstantPool::TruncateTo(uint32_t size) {
  if (size >= entries_.size() || size < original_size_) return;
  for (uint32_t i = size; i < entries_.size(); ++i) {
    if (entries_[i]) appended_size_ -= EntrySize(entries_[i]);
  }
  entries_.resize(size);
  table_.clear();
}

Result<uint16_t> ConstantPool::Add2(Tag tag, uint16_t first) {
  const uint8_t head[] = {static_cast<uint8_t>(tag), static_cast<uint8_t>(first >> 8),
                          static_cast<uint8_t>(first)};
  return Add(head, sizeof head, {});
}

Result<uint16_t> ConstantPool::Add4(Tag tag, uint16_t first, uint16_t second) {
  const uint8_t head[] = {static_cast<uint8_t>(tag), static_cast<uint8_t>(first >> 8),
                          static_cast<uint8_t>(first), static_cast<uint8_t>(second >> 8),
                          static_cast<uint8_t>(second)};
  return Add(head, sizeof head, {});
}

Result<uint16_t> ConstantPool::AddUtf8(std::string_view text) {
  if (text.size() > 65535) return Error{"text of more than 65535 bytes for the constant pool"};
  const uint8_t head[] = {static_cast<uint8_t>(Tag::kUtf8), static_cast<uint8_t>(text.size() >> 8),
                          static_cast<uint8_t>(text.size())};
  return Add(head, sizeof head, text);
}

Result<uint16_t> ConstantPool::AddClass(std::string_view name) {
  ASSAY_ASSIGN(uint16_t utf8, AddUtf8(name));
  return Add2(Tag::kClass, utf8);
}

Result<uint16_t> ConstantPool::AddString(std::string_view text) {
  ASSAY_ASSIGN(uint16_t utf8, AddUtf8(text));
  return Add2(Tag::kString, utf8);
}

Result<uint16_t> ConstantPool::AddMethodType(std::string_view descriptor) {
  ASSAY_ASSIGN(uint16_t utf8, AddUtf8(descriptor));
  return Add2(Tag::kMethodType, utf8);
}

Result<uint16_t> ConstantPool::AddModule(std::string_view name) {
  ASSAY_ASSIGN(uint16_t utf8, AddUtf8(name));
  return Add2(Tag::kModule, utf8);
}

Result<uint16_t> ConstantPool::AddPackage(std::string_view name) {
  ASSAY_ASSIGN(uint16_t utf8, AddUtf8(name));
  return Add2(Tag::kPackage, utf8);
}

Result<uint16_t> ConstantPool::AddMethodHandle(uint8_t kind, uint16_t reference) {
  const uint8_t head[] = {static_cast<uint8_t>(Tag::kMethodHandle), kind,
                          static_cast<uint8_t>(reference >> 8), static_cast<uint8_t>(reference)};
  return Add(head, sizeof head, {});
}

Result<uint16_t> ConstantPool::AddInteger(int32_t value) {
  uint32_t bits = static_cast<uint32_t>(value);
  return Add4(Tag::kInteger, static_cast<uint16_t>(bits >> 16), static_cast<uint16_t>(bits));
}

Result<uint16_t> ConstantPool::AddFloatBits(uint32_t bits) {
  return Add4(Tag::kFloat, static_cast<uint16_t>(bits >> 16), static_cast<uint16_t>(bits));
}

namespace {
void PutWide(uint8_t* head, Tag tag, uint64_t bits) {
  head[0] = static_cast<uint8_t>(tag);
  for (int i = 0; i < 8; ++i) head[1 + i] = static_cast<uint8_t>(bits >> (56 - 8 * i));
}
}  // namespace

Result<uint16_t> ConstantPool::AddLong(int64_t value) {
  uint8_t head[9];
  PutWide(head, Tag::kLong, static_cast<uint64_t>(value));
  return Add(head, sizeof head, {});
}

Result<uint16_t> ConstantPool::AddDoubleBits(uint64_t bits) {
  uint8_t head[9];
  PutWide(head, Tag::kDouble, bits);
  return Add(head, sizeof head, {});
}

Result<uint16_t> ConstantPool::AddNameAndType(std::string_view name, std::string_view descriptor) {
  ASSAY_ASSIGN(uint16_t name_index, AddUtf8(name));
  ASSAY_ASSIGN(uint16_t descriptor_index, AddUtf8(descriptor));
  return Add4(Tag::kNameAndType, name_index, descriptor_index);
}

Result<uint16_t> ConstantPool::AddMember(Tag tag, std::string_view owner, std::string_view name,
                                         std::string_view descriptor) {
  ASSAY_ASSIGN(uint16_t owner_index, AddClass(owner));
  ASSAY_ASSIGN(uint16_t name_and_type, AddNameAndType(name, descriptor));
  return Add4(tag, owner_index, name_and_type);
}

Result<uint16_t> ConstantPool::AddFieldRef(std::string_view owner, std::string_view name,
                                           std::string_view descriptor) {
  return AddMember(Tag::kFieldRef, owner, name, descriptor);
}

Result<uint16_t> ConstantPool::AddMethodRef(std::string_view owner, std::string_view name,
                                            std::string_view descriptor) {
  return AddMember(Tag::kMethodRef, owner, name, descriptor);
}

Result<uint16_t> ConstantPool::AddInterfaceMethodRef(std::string_view owner, std::string_view name,
                                                     std::string_view descriptor) {
  return AddMember(Tag::kInterfaceMethodRef, owner, name, descriptor);
}

Result<uint16_t> ConstantPool::AddDynamic(Tag tag, uint16_t bootstrap, std::string_view name,
                                          std::string_view descriptor) {
  ASSAY_ASSIGN(uint16_t name_and_type, AddNameAndType(name, descriptor));
  return Add4(tag, bootstrap, name_and_type);
}

void ConstantPool::Write(ByteWriter& out) const {
  out.U2(static_cast<uint16_t>(entries_.empty() ? 1 : entries_.size()));
  out.Bytes(original_bytes_);
  for (uint32_t i = original_size_ ? original_size_ : 1; i < entries_.size(); ++i) {
    if (entries_[i]) out.Bytes({entries_[i], EntrySize(entries_[i])});
  }
}

}  // namespace assay::classfile
