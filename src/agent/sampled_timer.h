// A thread that sets a flag at fixed times: the timer trigger.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

namespace assay::agent {

class SampledTimer {
 public:
  ~SampledTimer() { Stop(); }
  // Starts, or changes the period.
  void Start(std::atomic<int32_t>& flag, uint64_t period_ns);
  // Returns when the thread is gone, and the flag is down.
  void Stop();

 private:
  std::mutex mutex_;
  std::condition_variable wake_;
  std::thread thread_;
  std::atomic<int32_t>* flag_ = nullptr;
  bool stop_ = false;
};

}  // namespace assay::agent
