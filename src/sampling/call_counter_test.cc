#include "src/sampling/call_counter.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/perf_event.h>
#include <unistd.h>

#include <memory>
#include <thread>

namespace assay::sampling {
namespace {

// Counted by the kernel, so that it is there on machines without counters too.
constexpr CounterEvent kTaskClock{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, "task clock"};

int OpenFiles() {
  int open = 0;
  for (int fd = 0; fd < 1024; fd++) open += fcntl(fd, F_GETFD) >= 0;
  return open;
}

void Compute() {
  volatile uint64_t sum = 0;
  for (int i = 0; i < 3'000'000; i++) sum = sum + i;
}

__attribute__((noinline)) void Called(int i) { asm volatile("" : : "r"(i)); }

class CallCounterTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(table_->Init());
    const int counter = CallCounter::Open(kTaskClock, 0);
    if (counter < 0) GTEST_SKIP() << "perf_event_open: " << strerror(errno);
    close(counter);
  }
  ThreadSlot& Slot(uintptr_t thread) {
    ThreadSlot& slot = *table_->Add(thread);
    slot.cpu_clock = (~gettid() << 3) | 6;
    return slot;
  }
  std::unique_ptr<ThreadTable> table_ = std::make_unique<ThreadTable>();
  CallCounter counter_;
};

TEST(CallEvent, IsKnownOfTwoMakers) {
  EXPECT_EQ(CallEventOf("GenuineIntel", 6)->config, 0x02c4u);
  EXPECT_EQ(CallEventOf("AuthenticAMD", 0x19)->config, 0x00c8u);
  EXPECT_FALSE(CallEventOf("AuthenticAMD", 0x15).has_value());
  EXPECT_FALSE(CallEventOf("GenuineIntel", 0xf).has_value());
  EXPECT_FALSE(CallEventOf("HygonGenuine", 0x18).has_value());
}

TEST(CallEvent, EitherCountsOrSaysWhyNot) {
  auto event = CallCounter::Probe();
  if (!event.ok()) {
    EXPECT_FALSE(event.error().message.empty());
    return;
  }
  const int counter = CallCounter::Open(*event, 0);
  uint64_t before = 0, after = 0;
  ASSERT_TRUE(CallCounter::Read(counter, &before));
  for (int i = 0; i < 100'000; i++) Called(i);
  ASSERT_TRUE(CallCounter::Read(counter, &after));
  close(counter);
  EXPECT_NEAR(static_cast<double>(after - before), 100'000, 5'000);
}

TEST_F(CallCounterTest, CollectsWhatCameSinceTheLastTime) {
  ThreadSlot& slot = Slot(0x1000);
  counter_.Start(*table_, kTaskClock);
  Compute();
  CallCounter::Collect(slot);
  const uint64_t first = slot.counted_calls;
  EXPECT_GT(first, 100'000u);
  slot.counted_calls = 0;
  CallCounter::Collect(slot);
  EXPECT_LT(slot.counted_calls, first / 2);
  counter_.Stop(*table_);
}

// A slot begins as zeroed memory, and 0 is somebody's descriptor.
TEST_F(CallCounterTest, WithoutACounterNothingIsRead) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  ASSERT_EQ(write(ends[1], "12345678", 8), 8);
  const int input = dup(0);
  ASSERT_EQ(dup2(ends[0], 0), 0);
  ThreadSlot& slot = Slot(0x1000);
  CallCounter::Collect(slot);
  char text[9] = "";
  EXPECT_EQ(read(0, text, 8), 8) << "the program's input is its own";
  EXPECT_EQ(slot.counted_calls, 0u);
  if (input >= 0) dup2(input, 0);
  for (int fd : {ends[0], ends[1], input}) close(fd);
}

TEST_F(CallCounterTest, ThreadsThatStartLaterHaveOneAndGiveItBack) {
  const int open = OpenFiles();
  counter_.Start(*table_, kTaskClock);
  for (uintptr_t round = 0; round < 600; round++) {  // more than there are at a time
    ThreadSlot& slot = Slot(0x1000 + 64 * round);
    counter_.Create(slot);
    const int taken = CallCounter::Take(slot);
    ASSERT_GE(taken, 0) << round;
    EXPECT_EQ(fcntl(taken, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    table_->Remove(0x1000 + 64 * round);
    counter_.GiveBack(taken);
  }
  EXPECT_EQ(OpenFiles(), open);
}

TEST_F(CallCounterTest, ManyThreadsLeaveTheProgramItsDescriptors) {
  const int open = OpenFiles();
  for (uintptr_t i = 1; i <= 400; i++) Slot(64 * i);
  counter_.Start(*table_, kTaskClock);
  EXPECT_EQ(OpenFiles(), open + 256);
  ThreadSlot& without = *table_->Find(64 * 400);
  EXPECT_EQ(without.counter, 0);
  CallCounter::Collect(without);
  EXPECT_EQ(without.counted_calls, 0u);
  counter_.Stop(*table_);
  EXPECT_EQ(OpenFiles(), open);
  counter_.Create(without);
  EXPECT_EQ(without.counter, 0) << "stopped";
}

}  // namespace
}  // namespace assay::sampling
