#include "src/sampling/tick_thread.h"

#include <gtest/gtest.h>

namespace assay::sampling {
namespace {

// A tick of an hour, to have the agent idle, must not hold up the end of the program.
TEST(TickThread, StopsInTheMiddleOfALongPeriod) {
  TickThread thread;
  static std::atomic<int> calls{0};
  auto count = [](void*, uint64_t) { calls++; };
  uint64_t begin = MonotonicNs();
  ASSERT_TRUE(thread.Start(count, nullptr, 3600ull * 1000000000, 1).ok());
  thread.Stop();
  EXPECT_LT(MonotonicNs() - begin, 600ull * 1000000000);
  EXPECT_EQ(calls, 0);
}

TEST(TickThread, AShorterPeriodDoesNotWaitForTheEndOfALongOne) {
  TickThread thread;
  static std::atomic<int> calls{0};
  auto count = [](void*, uint64_t) { calls++; };
  calls = 0;
  ASSERT_TRUE(thread.Start(count, nullptr, 3600ull * 1000000000, 1).ok());
  thread.SetPeriod(100000);
  while (calls < 10) {
  }
  EXPECT_GT(thread.cpu_ns(), 0u);
  thread.Stop();
  const uint64_t used = thread.cpu_ns();
  EXPECT_GT(used, 0u);
  ASSERT_TRUE(thread.Start(count, nullptr, 3600ull * 1000000000, 1).ok());
  EXPECT_GE(thread.cpu_ns(), used);
  thread.Stop();
}

TEST(TickThread, TicksAndStartsAgain) {
  TickThread thread;
  static std::atomic<int> calls{0};
  auto count = [](void*, uint64_t) { calls++; };
  for (int round = 0; round < 3; round++) {
    calls = 0;
    ASSERT_TRUE(thread.Start(count, nullptr, 100000, round).ok());
    while (calls < 10) {
    }
    thread.Stop();
    int last = calls;
    EXPECT_EQ(calls, last);
  }
}

}  // namespace
}  // namespace assay::sampling
