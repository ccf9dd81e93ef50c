#include "src/sampling/cpu_timers.h"

#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

namespace assay::sampling {
namespace {

std::atomic<CpuTimers::Function> g_function{nullptr};

itimerspec Every(uint64_t period_ns) {
  timespec period = {static_cast<time_t>(period_ns / 1000000000),
                     static_cast<long>(period_ns % 1000000000)};
  return {period, period};
}

bool MakeTimer(int32_t clock, int32_t thread, int signal, void* value, uint64_t period_ns,
               timer_t* timer) {
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = signal;
  event.sigev_value.sival_ptr = value;
  event.sigev_notify_thread_id = thread;
  if (timer_create(clock, &event, timer) != 0) return false;
  itimerspec every = Every(period_ns);
  if (timer_settime(*timer, 0, &every, nullptr) == 0) return true;
  timer_delete(*timer);
  return false;
}

}  // namespace

Status CpuTimers::Open(Function function, uint64_t period_ns) {
  g_function = function;
  period_ns_ = period_ns;
  return signal_.Take(Handler);
}

void CpuTimers::Close() {
  if (!open()) return;
  g_function = nullptr;
  signal_.GiveBack();
}

void CpuTimers::Handler(int, siginfo_t* info, void*) {
  int saved = errno;
  Function function = g_function.load(std::memory_order_relaxed);
  auto* slot = static_cast<ThreadSlot*>(info->si_value.sival_ptr);
  timespec time;
  // The slot may have a new owner by now; then the signal is a late one of the old.
  if (function != nullptr && info->si_code == SI_TIMER && slot->cpu_clock != 0 &&
      ThreadIdOf(*slot) == gettid() && clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0) {
    uint64_t cpu = time.tv_sec * 1000000000ull + time.tv_nsec;
    uint64_t before = slot->signal_cpu_ns;
    slot->signal_cpu_ns = cpu;
    function(*slot, before == 0 ? 0 : cpu - before);
  }
  errno = saved;
}

bool CpuTimers::Create(ThreadSlot& slot) {
  if (!open() || slot.cpu_clock == 0 || slot.has_timer) return false;
  slot.signal_cpu_ns = 0;
  slot.has_timer = MakeTimer(slot.cpu_clock, ThreadIdOf(slot), signal_.number(), &slot, period_ns_, &slot.timer);
  return slot.has_timer;
}

void CpuTimers::Delete(ThreadSlot& slot) {
  if (slot.has_timer) timer_delete(slot.timer);
  slot.has_timer = false;
}

void CpuTimers::SetPeriod(ThreadSlot& slot, uint64_t period_ns) {
  period_ns_ = period_ns;
  itimerspec every = Every(period_ns);
  if (slot.has_timer) timer_settime(slot.timer, 0, &every, nullptr);
}

Status CpuTimers::Probe() {
  int signal = RealTimeSignal::FindFree();
  if (signal == 0) return Error{"no real-time signal is free in this process"};
  timer_t timer;
  // So far in the future that it never fires.
  if (!MakeTimer((~gettid() << 3) | 6, gettid(), signal, nullptr, 1000000000000000ull, &timer)) {
    return Error{std::string("timer_create: ") + strerror(errno)};
  }
  timer_delete(timer);
  return {};
}

}  // namespace assay::sampling
