#include "src/base/bytes.h"

#include <gtest/gtest.h>

#include <limits>

namespace assay {
namespace {

TEST(ByteReader, ReadsBigEndianAndStopsAtTheEnd) {
  const uint8_t data[] = {0xca, 0xfe, 0xba, 0xbe, 0x01};
  ByteReader reader(data, 100);
  EXPECT_EQ(reader.U4(), 0xcafebabeu);
  EXPECT_EQ(reader.offset(), 104u);
  EXPECT_EQ(reader.U2(), 0u);
  EXPECT_FALSE(reader.ok());
  EXPECT_EQ(reader.U1(), 0u) << "a failure is sticky";
}

TEST(ByteReader, RefusesSpansLongerThanTheInput) {
  const uint8_t data[] = {1, 2, 3};
  ByteReader reader(data);
  EXPECT_TRUE(reader.Bytes(0xffffffffu).empty());
  EXPECT_FALSE(reader.ok());
}

TEST(Varint, RoundTripsExtremes) {
  for (uint64_t value : {uint64_t{0}, uint64_t{127}, uint64_t{128}, ~uint64_t{0}}) {
    ByteWriter writer;
    writer.Varint(value);
    ByteReader reader(writer.bytes());
    EXPECT_EQ(reader.Varint(), value);
    EXPECT_TRUE(reader.ok() && reader.AtEnd());
  }
  for (int64_t value : {int64_t{0}, int64_t{-1}, std::numeric_limits<int64_t>::min()}) {
    ByteWriter writer;
    writer.SignedVarint(value);
    EXPECT_EQ(ByteReader(writer.bytes()).SignedVarint(), value);
  }
}

TEST(Varint, RefusesMoreThanSixtyFourBits) {
  const uint8_t data[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02};
  ByteReader reader(data);
  reader.Varint();
  EXPECT_FALSE(reader.ok());
}

}  // namespace
}  // namespace assay
