#include "src/sampling/guard_word.h"

#include <gtest/gtest.h>

#include <thread>

namespace assay::sampling {
namespace {

TEST(EntryGuard, RestoresTheValueItFound) {
  std::atomic<uint32_t> word{17};
  EXPECT_TRUE(EntryGuard::Arm(word));
  EXPECT_TRUE(EntryGuard::IsMarked(word));
  EXPECT_EQ(EntryGuard::Plain(word), 17u);
  EXPECT_FALSE(EntryGuard::Arm(word)) << "armed twice";
  EntryGuard::Disarm(word);
  EXPECT_EQ(word, 17u);
}

TEST(EntryGuard, NeverUndoesAChangeOfTheVm) {
  std::atomic<uint32_t> word{17};
  EntryGuard::Arm(word);
  word = 18;  // a GC phase
  EntryGuard::Disarm(word);
  EXPECT_EQ(word, 18u);
}

TEST(EntryGuard, LeavesValuesAloneThatItDoesNotUnderstand) {
  for (uint32_t odd : {0u, EntryGuard::kMark, 0x80000001u, 0xffffffffu}) {
    std::atomic<uint32_t> word{odd};
    EXPECT_FALSE(EntryGuard::Arm(word));
    EXPECT_EQ(word, odd);
  }
  std::atomic<uint32_t> word{0xc0000001u};
  EntryGuard::Disarm(word);
  EXPECT_EQ(word, 0xc0000001u);
}

TEST(ReturnGuard, ChangesOnlyTheRestingValue) {
  std::atomic<uint64_t> word{ReturnGuard::kResting};
  EXPECT_TRUE(ReturnGuard::Arm(word));
  EXPECT_EQ(word & 1, 0u) << "would look like a safepoint request";
  ReturnGuard::Disarm(word);
  EXPECT_EQ(word, ReturnGuard::kResting);
  for (uint64_t vm : {uint64_t{1}, uint64_t{0x7ffe12345670}}) {  // a request, a VM watermark
    word = vm;
    EXPECT_FALSE(ReturnGuard::Arm(word));
    ReturnGuard::Disarm(word);
    EXPECT_EQ(word, vm);
  }
}

// A VM that requests and withdraws safepoints while two of our threads arm and disarm: no request may
// ever be lost.
TEST(ReturnGuard, NoRequestIsLostUnderContention) {
  std::atomic<uint64_t> word{ReturnGuard::kResting};
  std::atomic<bool> stop{false};
  std::thread ours[2];
  for (auto& thread : ours) {
    thread = std::thread([&] {
      while (!stop) {
        ReturnGuard::Arm(word);
        ReturnGuard::Disarm(word);
      }
    });
  }
  int lost = 0;
  for (int i = 0; i < 20000; i++) {
    word = 1;
    for (int spin = 0; spin < 50; spin++) lost += word.load() != 1;
    word = ReturnGuard::kResting;
  }
  stop = true;
  for (auto& thread : ours) thread.join();
  EXPECT_EQ(lost, 0);
}

TEST(EntryGuard, PhasesAreKeptUnderContention) {
  std::atomic<uint32_t> word{1};
  std::atomic<bool> stop{false};
  std::thread ours[2];
  for (auto& thread : ours) {
    thread = std::thread([&] {
      while (!stop) {
        EntryGuard::Arm(word);
        EntryGuard::Disarm(word);
      }
    });
  }
  int wrong = 0;
  for (uint32_t phase = 1; phase < 20000; phase++) {
    word = phase;
    for (int spin = 0; spin < 50; spin++) wrong += EntryGuard::Plain(word.load()) != phase;
  }
  stop = true;
  for (auto& thread : ours) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace assay::sampling
