#include "src/sampling/stub_patch.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <atomic>
#include <cstring>
#include <thread>

#include "src/sampling/code_shapes.h"

namespace assay::sampling {
namespace {

// A function that looks like the entry stub at its start and returns 1:
// push -1; push rbp; mov rbp, rsp; mov eax, 1; pop rbp; add rsp, 8; ret
constexpr uint8_t kFunction[] = {0x68, 0xff, 0xff, 0xff, 0xff, 0x55, 0x48, 0x8b, 0xec, 0xb8, 1,
                                 0,    0,    0,    0x5d, 0x48, 0x83, 0xc4, 0x08, 0xc3};

int Diverted() { return 2; }

class StubPatchTest : public testing::Test {
 protected:
  void SetUp() override {
    page_ = static_cast<uint8_t*>(mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    ASSERT_NE(page_, MAP_FAILED);
    memcpy(page_, kFunction, sizeof kFunction);
  }
  void TearDown() override { munmap(page_, 4096); }
  int Call() { return reinterpret_cast<int (*)()>(page_)(); }
  const void* target() { return reinterpret_cast<const void*>(&Diverted); }

  uint8_t* page_;
  StubPatch patch_;
};

TEST_F(StubPatchTest, DivertsAndRestores) {
  EXPECT_EQ(Call(), 1);
  ASSERT_TRUE(patch_.Prepare(page_, kEntryStubShape, target()).ok());
  EXPECT_EQ(Call(), 1) << "Prepare changes nothing";
  patch_.Install();
  EXPECT_TRUE(patch_.installed());
  EXPECT_EQ(Call(), 2);
  patch_.Remove();
  EXPECT_EQ(Call(), 1);
  EXPECT_TRUE(patch_.IsPristine());
  EXPECT_EQ(memcmp(page_, kFunction, sizeof kFunction), 0);
  ASSERT_TRUE(patch_.Prepare(page_, kEntryStubShape, target()).ok()) << "again";
  patch_.Install();
  EXPECT_EQ(Call(), 2);
  patch_.Remove();
}

TEST_F(StubPatchTest, LeavesTheInstructionsAfterTheFirstInPlace) {
  ASSERT_TRUE(patch_.Prepare(page_, kEntryStubShape, target()).ok());
  patch_.Install();
  EXPECT_EQ(memcmp(page_ + 5, kFunction + 5, sizeof kFunction - 5), 0);
  EXPECT_EQ(patch_.resume(), page_ + 5);
  patch_.Remove();
}

TEST_F(StubPatchTest, RefusesUnknownBytes) {
  for (size_t at = 0; at < sizeof kEntryStubShape; at++) {
    page_[at] ^= 0x10;
    StubPatch patch;
    EXPECT_FALSE(patch.Prepare(page_, kEntryStubShape, target()).ok()) << at;
    page_[at] ^= 0x10;
  }
}

TEST_F(StubPatchTest, RefusesAStubThatCrossesAWord) {
  memcpy(page_ + 4, kFunction, sizeof kFunction);
  EXPECT_FALSE(patch_.Prepare(page_ + 4, kEntryStubShape, target()).ok());
}

TEST_F(StubPatchTest, RefusesAWriteProtectedCodeCache) {
  mprotect(page_, 4096, PROT_READ | PROT_EXEC);
  auto status = patch_.Prepare(page_, kEntryStubShape, target());
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().message.find("not writable"), std::string::npos);
}

TEST_F(StubPatchTest, DoesNotOverwriteAForeignChange) {
  ASSERT_TRUE(patch_.Prepare(page_, kEntryStubShape, target()).ok());
  page_[1] = 0x7f;  // somebody else was here meanwhile
  patch_.Install();
  EXPECT_FALSE(patch_.installed());
  EXPECT_EQ(page_[0], 0x68);
  page_[1] = 0xff;
}

TEST_F(StubPatchTest, ThreadsRunTheStubWhileItChanges) {
  ASSERT_TRUE(patch_.Prepare(page_, kEntryStubShape, target()).ok());
  std::atomic<bool> stop{false};
  std::atomic<int> wrong{0};
  std::thread runner([&] {
    while (!stop) {
      int value = Call();
      if (value != 1 && value != 2) wrong++;
    }
  });
  for (int i = 0; i < 2000; i++) {
    patch_.Install();
    patch_.Remove();
  }
  stop = true;
  runner.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace assay::sampling
