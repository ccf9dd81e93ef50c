#include "src/agent/sampled_timer.h"

#include <signal.h>

#include <algorithm>
#include <chrono>

namespace assay::agent {

void SampledTimer::Start(std::atomic<int32_t>& flag, uint64_t period_ns) {
  Stop();
  flag_ = &flag;
  stop_ = false;
  auto period = std::chrono::nanoseconds(std::max<uint64_t>(period_ns, 10'000));
  // The program's signals are not for this thread.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this, period] {
    std::unique_lock lock(mutex_);
    auto next = std::chrono::steady_clock::now();
    while (!stop_) {
      next += period;
      wake_.wait_until(lock, next, [this] { return stop_; });
      if (!stop_) flag_->store(1, std::memory_order_relaxed);
    }
  });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void SampledTimer::Stop() {
  if (!thread_.joinable()) return;
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  thread_.join();
  flag_->store(0, std::memory_order_relaxed);
}

}  // namespace assay::agent
