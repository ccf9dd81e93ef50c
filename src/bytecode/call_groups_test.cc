#include "src/bytecode/call_groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace assay::bytecode {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Opcodes by hand: a decoder is not to be tested by an encoder of ours.
constexpr uint8_t kInvoke = 0xb8, kIfeq = 0x99, kGoto = 0xa7, kReturn = 0xb1, kIload0 = 0x1a, kAthrow = 0xbf;

std::vector<std::vector<uint32_t>> Sites(const std::vector<uint8_t>& code) {
  std::vector<std::vector<uint32_t>> sites;
  for (const CallGroup& group : FindCallGroups(code)) sites.push_back(group.sites);
  return sites;
}

TEST(CallGroups, OneBlock) {
  std::vector<uint8_t> code = {kInvoke, 0, 1, kInvoke, 0, 1, kReturn};
  EXPECT_THAT(Sites(code), ElementsAre(ElementsAre(0, 3)));
  EXPECT_TRUE(FindCallGroups(code)[0].at_entry);
}

//  0 call; 3 iload; 4 ifeq -> 10; 7 call; 10 call; 13 return: the one in the branch stands alone.
TEST(CallGroups, AroundABranch) {
  EXPECT_THAT(Sites({kInvoke, 0, 1, kIload0, kIfeq, 0, 6, kInvoke, 0, 1, kInvoke, 0, 1, kReturn}),
              ElementsAre(ElementsAre(0, 10)));
}

// 0 call; loop: 3 iload; 4 ifeq -> 16; 7 call; 10 call; 13 goto 3; 16 call; 19 return.
TEST(CallGroups, LoopsAreApart) {
  auto groups = FindCallGroups(std::vector<uint8_t>{kInvoke, 0,       1, kIload0, kIfeq, 0,    12,
                                                    kInvoke, 0,       1, kInvoke, 0,     1,    kGoto,
                                                    0xff,    0xf6,    kInvoke, 0, 1,     kReturn});
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_THAT(groups[0].sites, ElementsAre(0, 16));
  EXPECT_TRUE(groups[0].at_entry);
  EXPECT_THAT(groups[1].sites, ElementsAre(7, 10));
  EXPECT_FALSE(groups[1].at_entry);
}

// A body that is one endless loop never reaches an exit: nothing can be said.
TEST(CallGroups, EndlessLoop) {
  EXPECT_THAT(Sites({kInvoke, 0, 1, kInvoke, 0, 1, kGoto, 0xff, 0xfa}), IsEmpty());
}

// 0 iload; 1 ifeq -> 8; 4 call; 7 return; 8 call; 11 athrow: two ways out, neither at the entry.
TEST(CallGroups, EarlyReturn) {
  EXPECT_THAT(Sites({kIload0, kIfeq, 0, 7, kInvoke, 0, 1, kReturn, kInvoke, 0, 1, kAthrow}), IsEmpty());
}

// iload; tableswitch 0..1 -> {24, 30, default 36}; calls in each arm, and one after all of them.
TEST(CallGroups, Switch) {
  std::vector<uint8_t> code = {kInvoke, 0, 1, kIload0, 0xaa, 0, 0, 0, 0, 0, 0, 36,  // default: 40
                               0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 24, 0, 0, 0, 30};
  for (int i = 0; i < 2; i++) code.insert(code.end(), {kInvoke, 0, 1, kGoto, 0, static_cast<uint8_t>(i == 0 ? 9 : 3)});
  code.insert(code.end(), {kInvoke, 0, 1, kReturn});
  ASSERT_EQ(code.size(), 44u);
  EXPECT_THAT(Sites(code), ElementsAre(ElementsAre(0, 40)));
}

TEST(CallGroups, RefusesWhatIsNoBody) {
  EXPECT_THAT(Sites({}), IsEmpty());
  EXPECT_THAT(Sites({0xfe, 0, 0}), IsEmpty());
  EXPECT_THAT(Sites({kInvoke, 0}), IsEmpty());
  EXPECT_THAT(Sites({kInvoke, 0, 1, kGoto, 0x7f, 0xff}), IsEmpty());
  EXPECT_THAT(Sites({0xaa, 0, 0, 0, 0, 0, 0, 0}), IsEmpty());
}

// Whatever the bytes, it neither crashes nor names a place that is not a call.
TEST(CallGroups, RandomBytes) {
  std::mt19937 random(3);
  constexpr uint8_t kOften[] = {kInvoke, kIfeq, kGoto, kReturn, kIload0, 0xaa, 0xab, 0xc4, 0, 0, 0, 1, 3, 6, 9};
  for (int i = 0; i < 20000; i++) {
    std::vector<uint8_t> code(1 + random() % 60);
    for (uint8_t& byte : code) byte = random() % 8 ? kOften[random() % sizeof kOften] : random();
    for (const CallGroup& group : FindCallGroups(code)) {
      for (uint32_t site : group.sites) {
        ASSERT_LT(site, code.size());
        EXPECT_TRUE(code[site] >= 0xb6 && code[site] <= 0xba);
      }
    }
  }
}

}  // namespace
}  // namespace assay::bytecode
