// P1's performance counter: how many near calls a thread has executed in user mode, where the processor has an event for that (or
// for near returns, which are as many) and the kernel lets us use it. Calls of stubs, of the VM and of native code are in it, so it
// tells how dense calls are, and not how many the program made. One file descriptor per thread, closed on exec.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "src/base/result.h"
#include "src/sampling/thread_table.h"

namespace assay::sampling {

struct CounterEvent {
  uint32_t type;    // as in perf_event_attr
  uint64_t config;
  const char* name;
};

// By the processor's vendor and family as CPUID gives them. Nothing for processors that we do not know.
std::optional<CounterEvent> CallEventOf(const std::string& vendor, uint32_t family);

class CallCounter {
 public:
  // An Error says why calls cannot be counted here; otherwise the event that does.
  static Result<CounterEvent> Probe();
  // A counter that runs; of the calling thread with 0. Negative: none.
  static int Open(const CounterEvent& event, int32_t thread);
  // Signal-safe. False when it could not be read.
  static bool Read(int counter, uint64_t* value);

  // For all threads of the table that are alive; those that start later ask for their own.
  void Start(ThreadTable& threads, const CounterEvent& event);
  // When nobody reads any more.
  void Stop(ThreadTable& threads);
  void Create(ThreadSlot& slot);
  // What a thread that ends had. To be given back after the thread is out of the table, because whoever ticks may be reading it.
  static int Take(ThreadSlot& slot) { return slot.counter.exchange(0) - 1; }
  void GiveBack(int counter);

  // On the thread itself or with its slot pinned: adds what it counted since the last time to the slot.
  static void Collect(ThreadSlot& slot);

 private:
  // A process may have a thousand descriptors; most of them are the program's.
  static constexpr int kMostCounters = 256;
  std::mutex mutex_;  // a thread that starts makes its counter itself
  std::optional<CounterEvent> event_;
  int free_ = 0;
};

}  // namespace assay::sampling
