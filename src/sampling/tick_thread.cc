#include "src/sampling/tick_thread.h"

#include <signal.h>
#include <sys/prctl.h>
#include <time.h>

#include <algorithm>

#include "src/base/hash.h"

namespace assay::sampling {

uint64_t MonotonicNs() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000ull + now.tv_nsec;
}

Status TickThread::Start(Function function, void* context, uint64_t period_ns, uint64_t seed) {
  function_ = function;
  context_ = context;
  period_ns_ = period_ns;
  random_ = Mix64(seed) | 1;
  running_ = true;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int error = pthread_create(&thread_, nullptr, Main, this);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (error != 0) {
    running_ = false;
    return Error{"cannot start the tick thread"};
  }
  return {};
}

void TickThread::Stop() {
  if (!running_.exchange(false)) return;
  pthread_join(thread_, nullptr);
}

void* TickThread::Main(void* self) {
  static_cast<TickThread*>(self)->Loop();
  return nullptr;
}

// In pieces, because Stop() waits for the one under way. False when stopped meanwhile.
bool TickThread::SleepUntil(uint64_t when) {
  constexpr uint64_t kLongestNs = 20000000;
  for (uint64_t now = MonotonicNs(); now < when; now = MonotonicNs()) {
    uint64_t piece = std::min(when, now + kLongestNs);
    timespec until = {static_cast<time_t>(piece / 1000000000), static_cast<long>(piece % 1000000000)};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);
    if (!running_.load(std::memory_order_relaxed)) return false;
  }
  return true;
}

void TickThread::Loop() {
  pthread_setname_np(pthread_self(), "assay-tick");
  prctl(PR_SET_TIMERSLACK, 1);
  uint64_t last = MonotonicNs();
  uint64_t next = last;
  while (running_.load(std::memory_order_relaxed)) {
    uint64_t period = period_ns_.load(std::memory_order_relaxed);
    random_ = random_ * 6364136223846793005ull + 1442695040888963407ull;
    next += period * 3 / 4 + (random_ >> 33) % (period / 2 + 1);
    uint64_t now = MonotonicNs();
    if (next < now) next = now;  // late: never catch up in a rush
    if (!SleepUntil(next)) break;
    now = MonotonicNs();
    function_(context_, now - last);
    last = now;
  }
}

}  // namespace assay::sampling
