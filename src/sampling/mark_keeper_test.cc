#include "src/sampling/mark_keeper.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <memory>
#include <thread>
#include <vector>

#include "src/sampling/guard_word.h"

namespace assay::sampling {
namespace {

// As in JDK 17 to 27; it is for vm_structs to say.
constexpr int32_t kInNative = 4, kInVm = 6, kInJava = 8, kBlocked = 10;
constexpr ThreadStates kStates = {
    .native = kInNative, .native_trans = 5, .vm = kInVm, .vm_trans = 7, .java = kInJava, .java_trans = 9};
constexpr uint64_t kLong = 60'000'000'000, kShort = 3'000'000;

// What the keeper sees of a JavaThread.
struct FakeThread {
  std::atomic<uint64_t> word{ReturnGuard::kResting};
  std::atomic<int32_t> state{kInJava};
};

class FakeReturns : public Yieldpoint {
 public:
  static std::atomic<uint64_t>& Word(uintptr_t thread) { return reinterpret_cast<FakeThread*>(thread)->word; }
  const char* name() const override { return "fake"; }
  Status Install() override { return {}; }
  bool Remove(bool) override { return true; }
  bool Arm(uintptr_t thread) override { return ReturnGuard::Arm(Word(thread)); }
  void Disarm(uintptr_t thread) override { ReturnGuard::Disarm(Word(thread)); }
  bool IsArmed(uintptr_t thread) const override { return ReturnGuard::IsMarked(Word(thread).load()); }
  bool VmTakesMarks() const override { return true; }
  std::string Describe() const override { return ""; }
};

class MarkKeeperTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(table_->Init());
    ThreadStates states = kStates;
    states.offset = offsetof(FakeThread, state);
    keeper_.set_states(states);
  }
  // A thread that a tick has just armed.
  ThreadSlot& Armed(FakeThread& thread) {
    ThreadSlot& slot = *table_->Add(reinterpret_cast<uintptr_t>(&thread));
    slot.tick_number = 1;
    yieldpoint_.Arm(reinterpret_cast<uintptr_t>(&thread));
    return slot;
  }
  static void Complete(FakeThread& thread, ThreadSlot& slot) {
    slot.done_tick.store(slot.tick_number, std::memory_order_release);
    ReturnGuard::Disarm(thread.word);
  }

  std::unique_ptr<ThreadTable> table_ = std::make_unique<ThreadTable>();
  FakeReturns yieldpoint_;
  MarkKeeper keeper_;
};

// The program passes 200 calls, and after every third of them the VM takes the mark.
TEST_F(MarkKeeperTest, ABurstGoesOnWhenTheVmTakesTheMark) {
  FakeThread thread;
  ThreadSlot& slot = Armed(thread);
  int taken = 0;
  std::thread program([&] {
    for (int seen = 0; seen < 200;) {
      if (!ReturnGuard::IsMarked(thread.word)) continue;
      if (++seen % 3 != 0) continue;
      thread.word = ReturnGuard::kResting;
      taken++;
    }
    Complete(thread, slot);
  });
  keeper_.KeepBursts(*table_, yieldpoint_, kLong);
  program.join();
  EXPECT_EQ(keeper_.restored(), static_cast<uint64_t>(taken));
  EXPECT_EQ(slot.restored, static_cast<uint32_t>(taken));
  EXPECT_EQ(thread.word, ReturnGuard::kResting) << "a burst that is complete stays so";
  EXPECT_EQ(slot.pin, 0u);
}

TEST_F(MarkKeeperTest, NeverArmsAThreadThatHasCompletedItsBurst) {
  for (int round = 0; round < 2000; round++) {
    FakeThread thread;
    ThreadSlot& slot = Armed(thread);
    std::thread program([&] { Complete(thread, slot); });
    keeper_.KeepBursts(*table_, yieldpoint_, kLong);
    program.join();
    ASSERT_EQ(thread.word, ReturnGuard::kResting);
    table_->Remove(reinterpret_cast<uintptr_t>(&thread));
  }
  EXPECT_EQ(keeper_.restored(), 0u);
}

TEST_F(MarkKeeperTest, WhatTheVmWritesIsLeftAlone) {
  for (uint64_t theirs : {uint64_t{1}, uint64_t{0x7f0012345678}}) {
    FakeThread thread;
    Armed(thread);
    thread.word = theirs;
    keeper_.KeepBursts(*table_, yieldpoint_, kShort);
    EXPECT_EQ(thread.word, theirs);
    table_->Remove(reinterpret_cast<uintptr_t>(&thread));
  }
}

TEST_F(MarkKeeperTest, LeavesThreadsAloneThatAreBlockedOrInNativeCode) {
  for (int32_t state : {kInNative, kBlocked}) {
    FakeThread thread;
    Armed(thread);
    thread.state = state;
    thread.word = ReturnGuard::kResting;
    keeper_.KeepBursts(*table_, yieldpoint_, kLong);  // would not end
    EXPECT_EQ(thread.word, ReturnGuard::kResting);
    table_->Remove(reinterpret_cast<uintptr_t>(&thread));
  }
}

// The VM is where marks are taken: the thread is back in a moment.
TEST_F(MarkKeeperTest, FollowsAThreadIntoTheVm) {
  FakeThread thread;
  Armed(thread);
  thread.state = kInVm;
  thread.word = ReturnGuard::kResting;
  keeper_.KeepBursts(*table_, yieldpoint_, kShort);
  EXPECT_TRUE(ReturnGuard::IsMarked(thread.word));
  EXPECT_EQ(keeper_.restored(), 1u);
}

TEST_F(MarkKeeperTest, EndsWithItsTime) {
  FakeThread thread;
  ThreadSlot& slot = Armed(thread);  // and never calls anything
  keeper_.KeepBursts(*table_, yieldpoint_, kShort);
  EXPECT_TRUE(ReturnGuard::IsMarked(thread.word)) << "it may still call";
  EXPECT_EQ(slot.pin, 0u);
}

TEST_F(MarkKeeperTest, KeepsEverythingArmedWhereEverythingIsCounted) {
  FakeThread threads[3];
  for (FakeThread& thread : threads) Complete(thread, Armed(thread));
  keeper_.KeepAll(*table_, yieldpoint_, kShort);
  for (FakeThread& thread : threads) EXPECT_TRUE(ReturnGuard::IsMarked(thread.word));
}

TEST_F(MarkKeeperTest, WithMoreThreadsThanItFollowsTheOthersStayAsTheyAre) {
  std::vector<FakeThread> threads(MarkKeeper::kMostThreads + 10);
  for (FakeThread& thread : threads) {
    Armed(thread);
    thread.word = ReturnGuard::kResting;
  }
  keeper_.KeepBursts(*table_, yieldpoint_, kShort);
  int armed = 0;
  for (FakeThread& thread : threads) armed += ReturnGuard::IsMarked(thread.word);
  EXPECT_EQ(armed, MarkKeeper::kMostThreads);
  for (uint32_t i = 0; i < table_->high_water(); i++) EXPECT_EQ(table_->slot(i).pin, 0u);
}

// The kernel wakes us up on the processor of the thread that we watch, which does not run then.
TEST_F(MarkKeeperTest, MovesAwayFromTheThreadsThatItWatches) {
  cpu_set_t before, after;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  if (CPU_COUNT(&before) < 2) GTEST_SKIP() << "one processor";
  FakeThread thread;
  ThreadSlot& slot = Armed(thread);
  const int here = sched_getcpu();
  slot.processor = here + 1;
  int ticks = 0;
  while (sched_getcpu() == here && ticks++ < 1000) keeper_.KeepBursts(*table_, yieldpoint_, kShort / 100);
  EXPECT_NE(sched_getcpu(), here);
  ASSERT_EQ(sched_getaffinity(0, sizeof after, &after), 0);
  EXPECT_TRUE(CPU_EQUAL(&before, &after)) << "free to run anywhere later";
}

TEST_F(MarkKeeperTest, DoesNotWaitOnTheOnlyProcessor) {
  cpu_set_t before, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  FakeThread thread;
  Armed(thread).processor = sched_getcpu() + 1;
  keeper_.KeepBursts(*table_, yieldpoint_, kLong);  // would not end
  EXPECT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
}

// Who ends waits for the keeper; afterwards nobody touches the thread.
TEST_F(MarkKeeperTest, AThreadThatEndsWaits) {
  auto thread = std::make_unique<FakeThread>();
  Armed(*thread);
  const auto address = reinterpret_cast<uintptr_t>(thread.get());
  std::atomic<bool> ended{false};
  std::thread ending([&] {
    table_->Remove(address);
    ended = true;
    thread.reset();
  });
  while (!ended) keeper_.KeepBursts(*table_, yieldpoint_, kShort / 100);
  ending.join();
  EXPECT_EQ(table_->Find(address), nullptr);
}

}  // namespace
}  // namespace assay::sampling
