#include "src/sampling/shape_votes.h"

#include <gtest/gtest.h>

#include <vector>

namespace assay::sampling {
namespace {

std::vector<uint8_t> Method(uint8_t displacement, int32_t rel) {
  std::vector<uint8_t> code = {0x41, 0x81, 0x7f, displacement, 1, 0, 0, 0, 0x74, 0x05, 0xe8,
                               0,    0,    0,    0,            0xc3};
  memcpy(&code[11], &rel, 4);
  return code;
}

TEST(ShapeVotes, DecidesOnlyWithAQuorum) {
  ShapeVotes votes;
  bool undecided;
  for (uint32_t i = 0; i + 1 < ShapeVotes::kQuorum; i++) votes.Observe(Method(32, 1000), 0x10000);
  EXPECT_FALSE(votes.Entry(&undecided).ok());
  EXPECT_TRUE(undecided);
  votes.Observe(Method(32, 1000), 0x10000);
  auto layout = votes.Entry(&undecided);
  ASSERT_TRUE(layout.ok());
  EXPECT_EQ(layout->displacement, 32);
  EXPECT_EQ(layout->stub, 0x10000 + 15 + 1000u);
}

TEST(ShapeVotes, OneDissenterMeansRefusal) {
  ShapeVotes votes;
  bool undecided;
  for (int i = 0; i < 1000; i++) votes.Observe(Method(32, 1000), 0x10000);
  votes.Observe(Method(40, 1000), 0x10000);
  EXPECT_FALSE(votes.Entry(&undecided).ok());
  EXPECT_FALSE(undecided);
  EXPECT_TRUE(votes.dissent());
}

TEST(ShapeVotes, RareMatchesMeanRefusal) {
  ShapeVotes votes;
  bool undecided;
  std::vector<uint8_t> other = {0x90, 0xc3};
  for (int i = 0; i < 20; i++) votes.Observe(Method(32, 1000), 0x10000);
  for (int i = 0; i < 100; i++) votes.Observe(other, 0x10000);
  EXPECT_FALSE(votes.Entry(&undecided).ok());
  EXPECT_FALSE(undecided);
  EXPECT_FALSE(votes.Return(&undecided).ok());
}

}  // namespace
}  // namespace assay::sampling
