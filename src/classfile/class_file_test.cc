#include "src/classfile/class_file.h"

#include <gtest/gtest.h>

namespace assay::classfile {
namespace {

// class T extends java/lang/Object, with a field, a method that has code, and a class attribute.
ByteVector SmallClass() {
  ClassFile file;
  file.major = 61;
  file.this_class = *file.pool.AddClass("T");
  file.super_class = *file.pool.AddClass("java/lang/Object");
  file.access_flags = kAccSuper;
  Field& field = file.fields.emplace_back();
  field.name_index = *file.pool.AddUtf8("f");
  field.descriptor_index = *file.pool.AddUtf8("I");
  Method& method = file.methods.emplace_back();
  method.access_flags = kAccStatic;
  method.name_index = *file.pool.AddUtf8("m");
  method.descriptor_index = *file.pool.AddUtf8("()V");
  method.code_name_index = *file.pool.AddUtf8("Code");
  method.new_code = {0, 0, 0, 0, 0, 0, 0, 1, 0xb1, 0, 0, 0, 0};
  uint16_t unknown = *file.pool.AddUtf8("Unknown");
  ByteVector attributes = {0, 1, 0, static_cast<uint8_t>(unknown), 0, 0, 0, 2, 7, 7};
  file.attributes = attributes;
  return WriteClass(file);
}

TEST(ClassFile, ReadsWhatItSays) {
  ByteVector bytes = SmallClass();
  auto file = ParseClass(bytes);
  ASSERT_TRUE(file.ok()) << file.error().ToString();
  EXPECT_EQ(file->Name(), "T");
  EXPECT_EQ(file->SuperName(), "java/lang/Object");
  ASSERT_EQ(file->methods.size(), 1u);
  EXPECT_EQ(file->NameOf(file->methods[0]), "m");
  EXPECT_EQ(file->methods[0].code.size(), 13u);
  EXPECT_EQ(file->Where(file->methods[0]), "class T, method m()V");
  EXPECT_EQ(file->FindAttribute(file->attributes, "Unknown").size(), 2u);
}

TEST(ClassFile, UnchangedComesBackIdentical) {
  ByteVector bytes = SmallClass();
  auto file = ParseClass(bytes);
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(WriteClass(*file), bytes);
}

TEST(ClassFile, NewCodeReplacesTheOldInPlace) {
  ByteVector bytes = SmallClass();
  auto file = ParseClass(bytes);
  ASSERT_TRUE(file.ok());
  file->methods[0].new_code = {0, 0, 0, 0, 0, 0, 0, 2, 0, 0xb1, 0, 0, 0, 0};
  ByteVector changed = WriteClass(*file);
  EXPECT_EQ(changed.size(), bytes.size() + 1);
  auto again = ParseClass(changed);
  ASSERT_TRUE(again.ok()) << again.error().ToString();
  EXPECT_EQ(again->methods[0].code[9], 0xb1);
}

TEST(ClassFile, EveryPrefixIsAnErrorWithAnOffset) {
  ByteVector bytes = SmallClass();
  for (size_t size = 0; size < bytes.size(); ++size) {
    ByteVector part(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(size));
    auto file = ParseClass(part);
    ASSERT_FALSE(file.ok()) << size;
    EXPECT_LE(file.error().offset, size);
  }
}

TEST(ClassFile, HugeAttributeLengthIsAnError) {
  ByteVector bytes = SmallClass();
  // The length of the last attribute: 0x7fffffff instead of 2.
  size_t at = bytes.size() - 6;
  ASSERT_EQ(bytes[at + 3], 2);
  bytes[at] = 0x7f;
  bytes[at + 1] = bytes[at + 2] = bytes[at + 3] = 0xff;
  auto file = ParseClass(bytes);
  ASSERT_FALSE(file.ok());
  EXPECT_EQ(file.error().ToString(), "attribute reaches past the end of the file at byte " +
                                         std::to_string(at - 2) + " in class T");
}

TEST(ClassFile, RefusesWhatIsNoClassFile) {
  ByteVector bytes = SmallClass();
  bytes.push_back(0);
  EXPECT_EQ(ParseClass(bytes).error().message, "bytes after the end of the class");
  bytes.pop_back();
  bytes[7] = 73;
  EXPECT_EQ(ParseClass(bytes).error().message, "class file version 73 is not supported (45 to 72)");
  bytes[0] = 0;
  EXPECT_EQ(ParseClass(bytes).error().message, "not a class file (no 0xcafebabe)");
}

}  // namespace
}  // namespace assay::classfile
