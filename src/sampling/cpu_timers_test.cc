#include "src/sampling/cpu_timers.h"

#include <gtest/gtest.h>
#include <time.h>
#include <unistd.h>

#include <cstring>
#include <thread>

#include "src/sampling/thread_signals.h"

namespace assay::sampling {
namespace {

std::atomic<int> g_ticks;
std::atomic<uint64_t> g_elapsed;

void OnTick(ThreadSlot&, uint64_t elapsed_ns, void*) {
  g_ticks++;
  g_elapsed += elapsed_ns;
}

uint64_t CpuNs() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * 1000000000ull + time.tv_nsec;
}

TEST(CpuTimers, TicksInCpuTimeAndGivesTheSignalBack) {
  struct sigaction before[65] = {}, after[65] = {};  // some signals cannot be asked for
  for (int signal = 1; signal <= 64; signal++) sigaction(signal, nullptr, &before[signal]);
  ThreadSlot slot;
  slot.cpu_clock = (~gettid() << 3) | 6;
  CpuTimers timers;
  g_ticks = 0;
  g_elapsed = 0;
  ASSERT_TRUE(timers.Open(OnTick, 1000000).ok());
  ASSERT_TRUE(timers.Create(slot));
  uint64_t begin = CpuNs();
  while (CpuNs() - begin < 100000000 || g_ticks < 3) {
  }
  timers.Delete(slot);
  timers.Close();
  int ticks = g_ticks;
  EXPECT_GE(ticks, 3);
  EXPECT_LE(g_elapsed, CpuNs() - begin + 1000000) << "more than was used, and the period that the first tick stands for";
  begin = CpuNs();
  while (CpuNs() - begin < 30000000) {
  }
  EXPECT_EQ(g_ticks, ticks) << "a tick after the end";
  for (int signal = 1; signal <= 64; signal++) {
    sigaction(signal, nullptr, &after[signal]);
    EXPECT_EQ(before[signal].sa_handler, after[signal].sa_handler) << signal;
  }
}

// A thread that starts while the timers are being taken away must not be left with one: its signal would have no handler.
TEST(CpuTimers, MakesNoneBeforeOpeningAndNoneAfterShutting) {
  ThreadSlot slot, late;
  slot.cpu_clock = late.cpu_clock = (~gettid() << 3) | 6;
  CpuTimers timers;
  EXPECT_FALSE(timers.Create(slot));
  ASSERT_TRUE(timers.Open(OnTick, 1000000).ok());
  ASSERT_TRUE(timers.Create(slot));
  timers.Shut();
  EXPECT_TRUE(slot.has_timer);
  EXPECT_FALSE(timers.Create(late));
  timers.Delete(slot);
  EXPECT_FALSE(timers.Create(slot));
  timers.Close();
  ASSERT_TRUE(timers.Open(OnTick, 1000000).ok());
  EXPECT_TRUE(timers.Create(late));
  timers.Shut();
  timers.Delete(late);
  timers.Close();
}

TEST(CpuTimers, ALateSignalOfAnotherThreadIsIgnored) {
  ThreadSlot slot;
  slot.cpu_clock = (~gettid() << 3) | 6;
  CpuTimers timers;
  g_ticks = 0;
  ASSERT_TRUE(timers.Open(OnTick, 1000000).ok());
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);  // the first tick may come at once
  ASSERT_TRUE(timers.Create(slot));
  slot.cpu_clock = (~(gettid() + 1) << 3) | 6;  // as if the slot had a new owner
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  uint64_t begin = CpuNs();
  while (CpuNs() - begin < 30000000) {
  }
  EXPECT_EQ(g_ticks, 0);
  timers.Delete(slot);
  timers.Close();
}

// A thread was taken off the processor in the middle of its handler while another one detached and gave its slot away: the
// handler went on with the null that it then found as its JavaThread.
template <typename Stop>
void ExpectWaitsForTheHandler(ThreadTable& threads, Stop stop, std::atomic<bool>& inside, std::atomic<bool>& leave) {
  while (!inside) sched_yield();
  std::atomic<bool> stopped{false};
  std::thread stopper([&] {
    stop();
    stopped = true;
  });
  timespec time = {0, 30000000};
  nanosleep(&time, nullptr);
  EXPECT_FALSE(stopped);
  EXPECT_EQ(threads.slot(0).inside, 1u);
  leave = true;
  stopper.join();
  EXPECT_EQ(threads.slot(0).inside, 0u);
}

std::atomic<bool> g_inside, g_leave, g_end;

void StayInHandler() {
  g_inside = true;
  while (!g_leave) {
  }
}

// A thread with a slot that computes until it is told to end.
class Computing {
 public:
  Computing() {
    g_inside = g_leave = g_end = false;
    threads.Init();
    thread_ = std::thread([this] {
      ThreadSlot* slot = threads.Add(0x1000);
      slot->cpu_clock = (~gettid() << 3) | 6;
      ready_ = true;
      while (!g_end) {
      }
    });
    while (!ready_) sched_yield();
  }
  ~Computing() {
    g_end = true;
    thread_.join();
  }
  ThreadTable threads;

 private:
  std::atomic<bool> ready_{false};
  std::thread thread_;
};

TEST(CpuTimers, StopWaitsForAHandlerThatHasBegun) {
  Computing computing;
  CpuTimers timers;
  ASSERT_TRUE(timers.Start(computing.threads, [](ThreadSlot&, uint64_t, void*) { StayInHandler(); }, 1000000).ok());
  ExpectWaitsForTheHandler(computing.threads, [&] { timers.Stop(computing.threads); }, g_inside, g_leave);
}

TEST(ThreadSignals, CloseWaitsForAHandlerThatHasBegun) {
  Computing computing;
  ThreadSignals signals;
  ASSERT_TRUE(signals.Open([](ThreadSlot&, void*) { StayInHandler(); }).ok());
  ASSERT_TRUE(signals.Send(computing.threads.slot(0)));
  ExpectWaitsForTheHandler(computing.threads, [&] { signals.Close(computing.threads); }, g_inside, g_leave);
}

TEST(CpuTimers, Probe) { EXPECT_TRUE(CpuTimers::Probe().ok()); }

}  // namespace
}  // namespace assay::sampling
