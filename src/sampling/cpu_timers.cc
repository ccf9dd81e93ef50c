#include "src/sampling/cpu_timers.h"

#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "src/base/clock.h"

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

namespace assay::sampling {
namespace {

std::atomic<CpuTimers::Function> g_function{nullptr};
std::atomic<uint64_t> g_period_ns{0};

timespec TimeOf(uint64_t ns) {
  return {static_cast<time_t>(ns / 1000000000), static_cast<long>(ns % 1000000000)};
}

bool MakeTimer(int32_t clock, int32_t thread, int signal, void* value, uint64_t first_ns,
               uint64_t period_ns, timer_t* timer) {
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = signal;
  event.sigev_value.sival_ptr = value;
  event.sigev_notify_thread_id = thread;
  if (timer_create(clock, &event, timer) != 0) return false;
  itimerspec every{.it_interval = TimeOf(period_ns), .it_value = TimeOf(first_ns)};
  if (timer_settime(*timer, 0, &every, nullptr) == 0) return true;
  timer_delete(*timer);
  return false;
}

}  // namespace

bool IsOfThisThread(const ThreadSlot& slot) { return slot.cpu_clock != 0 && ThreadIdOf(slot) == gettid(); }

Status CpuTimers::Open(Function function, uint64_t period_ns) {
  g_function = function;
  g_period_ns = period_ns;
  ASSAY_TRY(signal_.Take(Handler));
  std::lock_guard lock(mutex_);
  accepts_ = true;
  return {};
}

void CpuTimers::Shut() {
  std::lock_guard lock(mutex_);
  accepts_ = false;
}

void CpuTimers::Close() {
  if (!open()) return;
  Shut();
  g_function = nullptr;
  signal_.GiveBack();
}

Status CpuTimers::Start(ThreadTable& threads, Function function, uint64_t period_ns) {
  const bool was_open = open();
  if (!was_open) ASSAY_TRY(Open(function, period_ns));
  for (uint32_t i = 0; i < threads.high_water(); i++) {
    if (was_open) SetPeriod(threads.slot(i), period_ns);
    if (!was_open && threads.slot(i).thread != 0) Create(threads.slot(i));
  }
  return {};
}

void CpuTimers::Stop(ThreadTable& threads) {
  Shut();
  for (uint32_t i = 0; i < threads.high_water(); i++) Delete(threads.slot(i));
  Close();
  threads.WaitForHandlers();
}

void CpuTimers::Handler(int, siginfo_t* info, void* context) {
  auto* slot = static_cast<ThreadSlot*>(info->si_value.sival_ptr);
  if (info->si_code != SI_TIMER || !IsOfThisThread(*slot)) return;
  int saved = errno;
  InHandler inside(*slot);
  Function function = g_function.load();
  if (function != nullptr && IsOfThisThread(*slot)) {
    const uint64_t cpu = ClockNs(CLOCK_THREAD_CPUTIME_ID);
    uint64_t before = slot->signal_cpu_ns;
    slot->signal_cpu_ns = cpu;
    // A thread that is found once stands for others like it that were not.
    function(*slot, before == 0 ? g_period_ns.load(std::memory_order_relaxed) : cpu - before, context);
  }
  errno = saved;
}

bool CpuTimers::Create(ThreadSlot& slot) {
  std::lock_guard lock(mutex_);
  if (!accepts_ || slot.cpu_clock == 0 || slot.has_timer) return false;
  slot.signal_cpu_ns = 0;
  slot.has_timer =
      MakeTimer(slot.cpu_clock, ThreadIdOf(slot), signal_.number(), &slot, 1, g_period_ns, &slot.timer);
  return slot.has_timer;
}

void CpuTimers::Delete(ThreadSlot& slot) {
  std::lock_guard lock(mutex_);
  if (slot.has_timer) timer_delete(slot.timer);
  slot.has_timer = false;
}

void CpuTimers::SetPeriod(ThreadSlot& slot, uint64_t period_ns) {
  std::lock_guard lock(mutex_);
  g_period_ns = period_ns;
  itimerspec every{.it_interval = TimeOf(period_ns), .it_value = TimeOf(period_ns)};
  if (slot.has_timer) timer_settime(slot.timer, 0, &every, nullptr);
}

Status CpuTimers::Probe() {
  int signal = RealTimeSignal::FindFree();
  if (signal == 0) return Error{"no real-time signal is free in this process"};
  timer_t timer;
  constexpr uint64_t kNever = 1000000000000000ull;
  if (!MakeTimer((~gettid() << 3) | 6, gettid(), signal, nullptr, kNever, kNever, &timer)) {
    return Error{std::string("timer_create: ") + strerror(errno)};
  }
  timer_delete(timer);
  return {};
}

// The kernel's coarse clocks move with the scheduler tick.
uint64_t CpuTimers::ShortestPeriodNs() {
  timespec tick;
  if (clock_getres(CLOCK_MONOTONIC_COARSE, &tick) != 0) return UINT64_MAX;
  return tick.tv_sec * 1000000000ull + tick.tv_nsec;
}

}  // namespace assay::sampling
