#include "src/sampling/tick_thread.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>

#include "src/base/clock.h"
#include "src/base/hash.h"
#include "src/base/system_calls.h"

namespace assay::sampling {
namespace {

// struct sched_attr of sched_setattr(2): the kernel's header for it and the C library's exclude each other.
struct SchedulingWish {
  uint32_t size, policy;
  uint64_t flags;
  int32_t nice;
  uint32_t priority;
  uint64_t slice_ns, deadline_ns, period_ns;
};

// Where every processor is busy the kernel may let us wait until one of the running threads stops, and would have us meet the moments at which
// threads end or block. From Linux 6.12 on a thread may ask for short slices, which come sooner in return (sched_setattr(2)); before, for nothing.
void AskForShortSlices() {
  if (HasSystemCallFilter() || sched_getscheduler(0) != SCHED_OTHER) return;
  SchedulingWish wish{.size = sizeof wish, .policy = SCHED_OTHER, .nice = getpriority(PRIO_PROCESS, 0), .slice_ns = 100000};
  syscall(SYS_sched_setattr, 0, &wish, 0);
}

}  // namespace

uint64_t MonotonicNs() { return ClockNs(CLOCK_MONOTONIC); }

Status TickThread::Start(Function function, void* context, uint64_t period_ns, uint64_t seed) {
  function_ = function;
  context_ = context;
  period_ns_ = period_ns;
  random_ = Mix64(seed) | 1;
  sem_init(&woken_, 0, 0);
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
  sem_post(&woken_);
  pthread_join(thread_, nullptr);
}

void TickThread::SetPeriod(uint64_t ns) {
  if (period_ns_.exchange(ns) != ns && running()) sem_post(&woken_);
}

uint64_t TickThread::ThreadCpuNs() const {
  clockid_t clock;
  return pthread_getcpuclockid(thread_, &clock) == 0 ? ClockNs(clock) : 0;
}

uint64_t TickThread::cpu_ns() const { return cpu_before_ns_ + (running() ? ThreadCpuNs() : 0); }

void* TickThread::Main(void* self) {
  auto* thread = static_cast<TickThread*>(self);
  thread->Loop();
  thread->cpu_before_ns_ += ClockNs(CLOCK_THREAD_CPUTIME_ID);  // here, because once it has ended nobody can ask
  return nullptr;
}

// False when woken before that.
bool TickThread::SleepUntil(uint64_t when) {
  const timespec until = {static_cast<time_t>(when / 1000000000), static_cast<long>(when % 1000000000)};
  int result;
  do {
    result = sem_clockwait(&woken_, CLOCK_MONOTONIC, &until);
  } while (result != 0 && errno == EINTR);
  return result != 0;
}

void TickThread::Loop() {
  pthread_setname_np(pthread_self(), "assay-tick");
  prctl(PR_SET_TIMERSLACK, 1);
  AskForShortSlices();
  uint64_t last = MonotonicNs();
  uint64_t next = last;
  while (running_.load(std::memory_order_relaxed)) {
    uint64_t period = period_ns_.load(std::memory_order_relaxed);
    random_ = random_ * 6364136223846793005ull + 1442695040888963407ull;
    next += period * 3 / 4 + (random_ >> 33) % (period / 2 + 1);
    uint64_t now = MonotonicNs();
    if (next < now) next = now;  // late: never catch up in a rush
    while (!SleepUntil(next)) {
      if (!running_.load(std::memory_order_relaxed)) return;
      next = std::min(next, MonotonicNs() + period_ns_.load(std::memory_order_relaxed));
    }
    now = MonotonicNs();
    function_(context_, now - last);
    last = now;
  }
}

}  // namespace assay::sampling
