// Calls a function on a thread of its own, again and again, `period` apart give or take a random
// quarter so that ticks cannot fall in step with the program. All signals are blocked on the thread.
#pragma once

#include <pthread.h>
#include <semaphore.h>

#include <atomic>
#include <cstdint>

#include "src/base/result.h"

namespace assay::sampling {

class TickThread {
 public:
  using Function = void (*)(void* context, uint64_t elapsed_ns);

  Status Start(Function function, void* context, uint64_t period_ns, uint64_t seed);
  void Stop();  // returns when the last call has ended
  // At once: the tick that is waited for comes sooner too.
  void SetPeriod(uint64_t ns);
  bool running() const { return running_.load(); }
  // CPU time of the thread, and of those before it.
  uint64_t cpu_ns() const;
  void ResetCpu() { cpu_before_ns_ = 0; }  // while stopped

 private:
  static void* Main(void* self);
  void Loop();
  bool SleepUntil(uint64_t when);
  uint64_t ThreadCpuNs() const;

  Function function_ = nullptr;
  void* context_ = nullptr;
  std::atomic<uint64_t> period_ns_{0};
  std::atomic<bool> running_{false};
  uint64_t random_ = 1;
  pthread_t thread_{};
  sem_t woken_{};
  std::atomic<uint64_t> cpu_before_ns_{0};  // of threads that were stopped
};

uint64_t MonotonicNs();

}  // namespace assay::sampling
