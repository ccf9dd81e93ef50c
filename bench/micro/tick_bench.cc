// What a tick costs on this machine, whoever makes it: a thread that does nothing but read the
// time-stamp counter loses so much of its time to interruptions, alone and with a timer of its own,
// and another thread that only wakes up needs so much processor time.
//
//   tick_bench [PERIOD_US [SECONDS [ROUNDS]]]
//
// Losses are gaps of more than kGapCycles between two readings, so what else happens to the clock
// speed does not matter. Medians over rounds of all ways in turn.
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

namespace {

constexpr uint64_t kGapCycles = 800;
constexpr uint64_t kCheckEvery = 1 << 20;

double Seconds(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

timespec Span(long us) { return {us / 1000000, us % 1000000 * 1000}; }

// Share of the time, in percent, in which this thread did not run on.
double Lost(double seconds) {
  const double end = Seconds(CLOCK_MONOTONIC) + seconds;
  const uint64_t start = __rdtsc();
  uint64_t last = start;
  uint64_t lost = 0;
  for (uint64_t n = 1;; n++) {
    const uint64_t now = __rdtsc();
    if (now - last > kGapCycles) lost += now - last;
    last = now;
    if (n % kCheckEvery != 0) continue;
    if (Seconds(CLOCK_MONOTONIC) > end) break;
    last = __rdtsc();
  }
  return 100.0 * static_cast<double>(lost) / static_cast<double>(last - start);
}

void OnPerf(int, siginfo_t* info, void*) { ioctl(info->si_fd, PERF_EVENT_IOC_REFRESH, 1); }
void OnTimer(int, siginfo_t*, void*) {}

void Handle(int signal, void (*handler)(int, siginfo_t*, void*)) {
  struct sigaction action {};
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigaction(signal, &action, nullptr);
}

double WithTimer(clockid_t clock, long period_us, double seconds) {
  Handle(SIGUSR1, OnTimer);
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = SIGUSR1;
  event.sigev_notify_thread_id = gettid();
  timer_t timer;
  if (timer_create(clock, &event, &timer) != 0) return -1;
  const itimerspec every = {Span(period_us), Span(period_us)};
  timer_settime(timer, 0, &every, nullptr);
  const double lost = Lost(seconds);
  timer_delete(timer);
  return lost;
}

// The kernel's own clock of the thread, as a perf event: -1 where that is not allowed.
double WithPerf(long period_us, double seconds) {
  Handle(SIGUSR2, OnPerf);
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.config = PERF_COUNT_SW_TASK_CLOCK;
  attributes.sample_period = static_cast<uint64_t>(period_us) * 1000;
  attributes.disabled = 1;
  attributes.wakeup_events = 1;
  attributes.exclude_kernel = 1;
  const int fd = static_cast<int>(syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
  if (fd < 0) return -1;
  const f_owner_ex owner = {F_OWNER_TID, gettid()};
  fcntl(fd, F_SETFL, O_ASYNC);
  fcntl(fd, F_SETSIG, SIGUSR2);
  fcntl(fd, F_SETOWN_EX, &owner);
  ioctl(fd, PERF_EVENT_IOC_REFRESH, 1);
  const double lost = Lost(seconds);
  close(fd);
  return lost;
}

// A thread that only sleeps and wakes up: what it needs of a core itself.
double OfWaker(long period_us, double seconds) {
  std::atomic<bool> stop{false};
  double used = 0;
  std::thread waker([&] {
    while (!stop) {
      const timespec period = Span(period_us);
      nanosleep(&period, nullptr);
    }
    used = Seconds(CLOCK_THREAD_CPUTIME_ID);
  });
  Lost(seconds);
  stop = true;
  waker.join();
  return 100.0 * used / seconds;
}

}  // namespace

int main(int count, char** arguments) {
  const long period_us = count > 1 ? atol(arguments[1]) : 1000;
  const double seconds = count > 2 ? atof(arguments[2]) : 1;
  const int rounds = count > 3 ? atoi(arguments[3]) : 5;
  if (period_us <= 0 || seconds <= 0 || rounds <= 0) {
    fprintf(stderr, "usage: tick_bench [PERIOD_US [SECONDS [ROUNDS]]]\n");
    return 2;
  }
  const std::vector<std::pair<std::string, std::function<double()>>> ways = {
      {"lost without any timer", [&] { return Lost(seconds); }},
      {"lost with a CPU-time timer (fires once per scheduler tick at best)",
       [&] { return WithTimer(CLOCK_THREAD_CPUTIME_ID, period_us, seconds); }},
      {"lost with a timer of the monotonic clock", [&] { return WithTimer(CLOCK_MONOTONIC, period_us, seconds); }},
      {"lost with a perf event of the task clock", [&] { return WithPerf(period_us, seconds); }},
      {"used by another thread that wakes up", [&] { return OfWaker(period_us, seconds); }},
  };
  std::map<std::string, std::vector<double>> seen;
  for (int round = 0; round < rounds; round++) {
    for (const auto& [name, way] : ways) seen[name].push_back(way());
  }
  printf("every %ld us, %% of a core, median of %d\n", period_us, rounds);
  for (const auto& [name, way] : ways) {
    auto& values = seen[name];
    std::sort(values.begin(), values.end());
    const double median = values[values.size() / 2];
    if (median < 0) {
      printf("      -  %s (not allowed here)\n", name.c_str());
    } else {
      printf("%7.2f  %s\n", median, name.c_str());
    }
  }
}
