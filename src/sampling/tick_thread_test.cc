#include "src/sampling/tick_thread.h"

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>

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

// Also of a thread that has ended before anybody could ask.
TEST(TickThread, KnowsTheCpuTimeOfThoseBefore) {
  TickThread thread;
  for (int round = 0; round < 200; round++) {
    const uint64_t before = thread.cpu_ns();
    ASSERT_TRUE(thread.Start([](void*, uint64_t) {}, nullptr, 3600ull * 1000000000, 1).ok());
    thread.Stop();
    ASSERT_GT(thread.cpu_ns(), before) << round;
  }
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

// As SystemCallFilter=~@resources of systemd does it.
void ForbidAskingTheScheduler() {
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sched_setattr, 2, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sched_setaffinity, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
  };
  sock_fprog program{sizeof filter / sizeof *filter, filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) _exit(2);
}

TEST(TickThreadDeathTest, ASandboxDoesNotEndTheProcess) {
  auto ticks = [] {
    ForbidAskingTheScheduler();
    TickThread thread;
    static std::atomic<int> calls{0};
    auto count = [](void*, uint64_t) { calls++; };
    if (!thread.Start(count, nullptr, 100000, 1).ok()) _exit(3);
    while (calls < 10) {
    }
    thread.Stop();
    _exit(0);
  };
  EXPECT_EXIT(ticks(), testing::ExitedWithCode(0), "");
  EXPECT_EXIT((ForbidAskingTheScheduler(), syscall(SYS_sched_setattr, 0, nullptr, 0), _exit(0)), testing::KilledBySignal(SIGSYS), "");
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
