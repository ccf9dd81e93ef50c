#include "src/sampling/code_shapes.h"

#include <gtest/gtest.h>

#include <vector>

namespace assay::sampling {
namespace {

using Code = std::vector<uint8_t>;
constexpr uint64_t kAddress = 0x7f0000001000;
constexpr uint64_t kStub = 0x7f0000400000;

void PutRel32(Code& code, size_t at, uint64_t target) {
  int32_t rel = static_cast<int32_t>(target - (kAddress + at + 4));
  memcpy(&code[at], &rel, 4);
}

// sub rsp,16; mov [rsp+8],rbp; nops to 4-alignment; the C1 shape.
Code C1Entry() {
  Code code = {0x55, 0x48, 0x83, 0xec, 0x10, 0x90, 0x90, 0x90};
  code.insert(code.end(), {0x41, 0x81, 0x7f, 0x20, 1, 0, 0, 0, 0x74, 0x05, 0xe8, 0, 0, 0, 0});
  code.insert(code.end(), 9, 0x90);
  PutRel32(code, 19, kStub);
  return code;
}

Code C2Entry() {
  Code code = {0x48, 0x83, 0xec, 0x18, 0x48, 0x89, 0x6c, 0x24, 0x10, 0x90, 0x90, 0x90};
  code.insert(code.end(), {0x41, 0x81, 0x7f, 0x20, 1, 0, 0, 0, 0x0f, 0x85, 0, 0, 0, 0});
  code.insert(code.end(), {0x33, 0xc0, 0xc3});        // 26: the body
  code.insert(code.end(), {0xe8, 0, 0, 0, 0, 0xe9, 0, 0, 0, 0});  // 29: the stub
  PutRel32(code, 22, kAddress + 29);
  PutRel32(code, 30, kStub);
  PutRel32(code, 35, kAddress + 26);
  return code;
}

Code Return(bool wide, bool lea) {
  Code code = {0x5d};
  if (wide) {
    code.insert(code.end(), {0x49, 0x3b, 0xa7, 0x40, 0x03, 0, 0});
  } else {
    code.insert(code.end(), {0x49, 0x3b, 0x67, 0x28});
  }
  size_t branch = code.size();
  code.insert(code.end(), {0x0f, 0x87, 0, 0, 0, 0, 0xc3});
  size_t slow = code.size();
  PutRel32(code, branch + 2, kAddress + slow);
  uint64_t poll = kAddress + 1;
  if (lea) {
    code.insert(code.end(), {0x4c, 0x8d, 0x15, 0, 0, 0, 0});
    PutRel32(code, slow + 3, poll);
  } else {
    code.insert(code.end(), {0x49, 0xba, 0, 0, 0, 0, 0, 0, 0, 0});
    memcpy(&code[slow + 2], &poll, 8);
  }
  code.insert(code.end(), {0x4d, 0x89, 0x97, 0x58, 0x03, 0, 0, 0xe9, 0, 0, 0, 0});
  PutRel32(code, code.size() - 4, kStub);
  return code;
}

TEST(CodeShapes, EntryOfC1) {
  auto check = FindEntryCheck(C1Entry(), kAddress);
  ASSERT_TRUE(check);
  EXPECT_EQ(*check, (EntryCheck{8, 0x20, 1, kStub, false}));
}

TEST(CodeShapes, EntryOfC2) {
  auto check = FindEntryCheck(C2Entry(), kAddress);
  ASSERT_TRUE(check);
  EXPECT_EQ(*check, (EntryCheck{12, 0x20, 1, kStub, true}));
}

TEST(CodeShapes, ReturnPollInAllEncodings) {
  for (bool wide : {false, true}) {
    for (bool lea : {false, true}) {
      auto poll = FindReturnPoll(Return(wide, lea), kAddress);
      ASSERT_TRUE(poll) << wide << lea;
      EXPECT_EQ(*poll, (ReturnPoll{1, wide ? 0x340 : 0x28, 0x358, kStub}));
    }
  }
}

// Every changed bit of an instruction that is part of the shape must lead to refusal or to a value
// that differs, so that the vote over many methods cannot be unanimous by accident.
template <typename Find, typename Value>
void ExpectMutationsSeen(const Code& code, size_t first, size_t last, Find find, const Value& good) {
  for (size_t at = first; at < last; at++) {
    for (int bit = 0; bit < 8; bit++) {
      Code mutated = code;
      mutated[at] ^= 1 << bit;
      auto found = find(mutated, kAddress);
      EXPECT_TRUE(!found || !(*found == good)) << "byte " << at << " bit " << bit;
    }
  }
}

TEST(CodeShapes, MutatedEntryIsRefused) {
  Code c1 = C1Entry(), c2 = C2Entry();
  ExpectMutationsSeen(c1, 8, 23, FindEntryCheck, *FindEntryCheck(c1, kAddress));
  ExpectMutationsSeen(c2, 12, 26, FindEntryCheck, *FindEntryCheck(c2, kAddress));
  ExpectMutationsSeen(c2, 29, 39, FindEntryCheck, *FindEntryCheck(c2, kAddress));
}

TEST(CodeShapes, MutatedReturnPollIsRefused) {
  for (bool wide : {false, true}) {
    for (bool lea : {false, true}) {
      Code code = Return(wide, lea);
      ExpectMutationsSeen(code, 1, code.size(), FindReturnPoll, *FindReturnPoll(code, kAddress));
    }
  }
}

TEST(CodeShapes, TruncatedCodeIsRefused) {
  for (const Code& whole : {C1Entry(), C2Entry(), Return(true, false), Return(false, true)}) {
    for (size_t length = 0; length < whole.size(); length++) {
      Code code(whole.begin(), whole.begin() + length);  // exact allocation: sanitizers see overreads
      FindReturnPoll(code, kAddress);
      FindEntryCheck(code, kAddress);
    }
  }
  Code short_c1 = C1Entry();
  short_c1.resize(22);
  EXPECT_FALSE(FindEntryCheck(short_c1, kAddress));
}

TEST(CodeShapes, MisalignedEntryCheckIsRefused) {
  EXPECT_FALSE(FindEntryCheck(C1Entry(), kAddress + 1));
}

TEST(CodeShapes, ImmediateFoundFromTheReturnAddress) {
  Code c1 = C1Entry(), c2 = C2Entry();
  c1[12] = 7;
  c2[16] = 9;
  EXPECT_EQ(ImmediateOfEntryCheck(&c1[23], 0x20), 7);
  EXPECT_EQ(ImmediateOfEntryCheck(&c2[34], 0x20), 9);
  EXPECT_EQ(ImmediateOfEntryCheck(&c1[23], 0x28), std::nullopt);
  c2[20] = 0x90;
  EXPECT_EQ(ImmediateOfEntryCheck(&c2[34], 0x20), std::nullopt);
}

TEST(CodeShapes, StubShapes) {
  Code stub(kEntryStubShape, kEntryStubShape + sizeof kEntryStubShape);
  EXPECT_TRUE(StartsWith(stub, kEntryStubShape));
  for (size_t at = 0; at < stub.size(); at++) {
    Code mutated = stub;
    mutated[at] ^= 1;
    EXPECT_FALSE(StartsWith(mutated, kEntryStubShape)) << at;
  }
  stub.pop_back();
  EXPECT_FALSE(StartsWith(stub, kEntryStubShape));
}

}  // namespace
}  // namespace assay::sampling
