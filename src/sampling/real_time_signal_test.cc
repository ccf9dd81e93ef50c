#include "src/sampling/real_time_signal.h"

#include <gtest/gtest.h>

namespace assay::sampling {
namespace {

void Mine(int, siginfo_t*, void*) {}
void Theirs(int) {}

TEST(RealTimeSignal, LeavesTheOneThatTheJdkTakes) {
  std::vector<RealTimeSignal> all(40);
  int taken = 0;
  for (RealTimeSignal& one : all) {
    if (!one.Take(Mine).ok()) break;
    EXPECT_NE(one.number(), SIGRTMAX - 2);
    taken++;
  }
  EXPECT_GT(taken, 10);
  EXPECT_EQ(RealTimeSignal::FindFree(), 0);
  for (RealTimeSignal& one : all) one.GiveBack();
  EXPECT_EQ(RealTimeSignal::FindFree(), SIGRTMAX - 1);
}

TEST(RealTimeSignal, ForeignHandlersStay) {
  RealTimeSignal signal;
  ASSERT_TRUE(signal.Take(Mine).ok());
  int number = signal.number();
  struct sigaction theirs {}, now {};
  theirs.sa_handler = Theirs;
  sigaction(number, &theirs, nullptr);
  signal.GiveBack();
  sigaction(number, nullptr, &now);
  EXPECT_EQ(now.sa_handler, Theirs);
  theirs.sa_handler = SIG_DFL;
  sigaction(number, &theirs, nullptr);
}

}  // namespace
}  // namespace assay::sampling
