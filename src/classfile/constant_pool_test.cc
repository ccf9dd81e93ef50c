#include "src/classfile/constant_pool.h"

#include <gtest/gtest.h>

namespace assay::classfile {
namespace {

ByteVector PoolBytes(const ConstantPool& pool) {
  ByteWriter out;
  pool.Write(out);
  return out.Take();
}

Status ParsePool(const ByteVector& bytes, ConstantPool* pool) {
  ByteReader reader(bytes);
  return pool->Parse(reader);
}

TEST(ConstantPool, AppendsEachEntryOnce) {
  ConstantPool pool;
  uint16_t first = *pool.AddMethodRef("a/B", "m", "()V");
  EXPECT_EQ(pool.size(), 7u);  // B, class, m, ()V, name and type, method
  EXPECT_EQ(*pool.AddMethodRef("a/B", "m", "()V"), first);
  EXPECT_NE(*pool.AddInterfaceMethodRef("a/B", "m", "()V"), first);
  EXPECT_EQ(pool.size(), 8u);
  EXPECT_EQ(pool.Member(first).owner, "a/B");
  EXPECT_EQ(pool.Member(first).name, "m");
  EXPECT_EQ(pool.Member(first).descriptor, "()V");
}

TEST(ConstantPool, FindsEntriesOfTheInput) {
  ConstantPool made;
  uint16_t text = *made.AddString("hello");
  uint16_t number = *made.AddLong(-5);
  ByteVector bytes = PoolBytes(made);
  ConstantPool pool;
  ASSERT_TRUE(ParsePool(bytes, &pool).ok());
  EXPECT_EQ(*pool.AddString("hello"), text);
  EXPECT_EQ(*pool.AddLong(-5), number);
  EXPECT_FALSE(pool.grown());
  EXPECT_EQ(pool.Long(number), -5);
  EXPECT_EQ(PoolBytes(pool), bytes);
}

TEST(ConstantPool, LongsTakeTwoIndices) {
  ConstantPool pool;
  uint16_t a = *pool.AddLong(1), b = *pool.AddDoubleBits(2), c = *pool.AddInteger(3);
  EXPECT_EQ(b, a + 2);
  EXPECT_EQ(c, b + 2);
  EXPECT_EQ(pool.TagAt(static_cast<uint16_t>(a + 1)), Tag::kNone);
}

TEST(ConstantPool, RefusesMoreThanTheFormatHolds) {
  ConstantPool pool;
  int added = 0;
  while (pool.AddInteger(added).ok()) ++added;
  EXPECT_EQ(added, 65534);
  EXPECT_FALSE(pool.AddUtf8("x").ok());
  EXPECT_TRUE(pool.AddInteger(77).ok());  // is there already
  // A long needs two indices, and one is left here.
  ConstantPool other;
  for (int i = 0; i < 65533; ++i) ASSERT_TRUE(other.AddInteger(i).ok());
  EXPECT_FALSE(other.AddLong(1).ok());
  EXPECT_TRUE(other.AddUtf8("x").ok());
}

TEST(ConstantPool, TruncateForgets) {
  ConstantPool pool;
  uint16_t kept = *pool.AddUtf8("kept");
  ByteVector before = PoolBytes(pool);
  uint32_t size = pool.size();
  ASSERT_TRUE(pool.AddMethodRef("a", "b", "()V").ok());
  pool.TruncateTo(size);
  EXPECT_EQ(PoolBytes(pool), before);
  EXPECT_EQ(pool.WrittenSize(), before.size());
  EXPECT_EQ(*pool.AddUtf8("kept"), kept);
}

TEST(ConstantPool, WrongKindsYieldNothing) {
  ConstantPool pool;
  uint16_t utf8 = *pool.AddUtf8("x");
  EXPECT_EQ(pool.ClassName(utf8), "");
  EXPECT_EQ(pool.Member(utf8).name, "");
  EXPECT_EQ(pool.Integer(utf8), 0);
  EXPECT_EQ(pool.Utf8(60000), "");
}

TEST(ConstantPool, RejectsMalformedPools) {
  const std::pair<const char*, ByteVector> cases[] = {
      {"no constant pool", {0, 0}},
      {"does not fit", {0xff, 0xff, 1, 0, 0}},
      {"is cut off", {0, 2, 1, 0, 5, 'a', 'b'}},
      {"unknown constant pool tag 2", {0, 2, 2, 0, 0}},
      {"long or double at the end", {0, 2, 5, 0, 0, 0, 0, 0, 0, 0, 1}},
      {"entry 1 refers to one of another kind", {0, 2, 7, 0, 1}},     // a class named by itself
      {"entry 1 refers to one of another kind", {0, 2, 7, 0xff, 0}},  // far out of range
      {"entry 1 refers to one of another kind", {0, 2, 15, 10, 0, 1}},
  };
  for (const auto& [message, bytes] : cases) {
    ConstantPool pool;
    Status status = ParsePool(bytes, &pool);
    ASSERT_FALSE(status.ok()) << message;
    EXPECT_NE(status.error().message.find(message), std::string::npos) << status.error().message;
    EXPECT_NE(status.error().offset, Error::kNoOffset);
  }
}

}  // namespace
}  // namespace assay::classfile
