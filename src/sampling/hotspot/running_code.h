// Which code threads in Java were executing: interpreted or compiled (the VM's own does not count).
// Tells how much of the time no yieldpoint of compiled code could see. Looked at is what a CPU timer interrupts;
// where there are none, the tick thread interrupts a thread for it now and then (kEveryNs). The look itself happens
// in a signal handler: two loads and a counter.
#pragma once

#include <atomic>
#include <cstdint>

#include "src/base/result.h"
#include "src/sampling/hotspot/code_heap.h"
#include "src/sampling/hotspot/compiled_methods.h"
#include "src/sampling/thread_signals.h"

namespace assay::sampling {

class RunningCode {
 public:
  static constexpr uint64_t kEveryNs = 50000000;

  // One at a time in a process. Without a free signal LookAt() does nothing.
  void Open(CompiledMethods::Range interpreter, const CodeHeap& code);
  // Nobody asks any more.
  void Close(ThreadTable& threads);

  // On the tick thread: whether it is time for a look, after so much time.
  bool IsDue(uint64_t elapsed_ns);
  // The slot is pinned, its thread in Java.
  void LookAt(ThreadSlot& slot);
  // In a signal handler, on a thread in Java.
  void See(void* context);

  uint64_t looks() const { return interpreted_ + compiled_; }
  double interpreted_share() const { return looks() == 0 ? 0 : 1.0 * interpreted_ / looks(); }

 private:
  static void OnSignal(ThreadSlot& slot, void* context);

  ThreadSignals signals_;
  bool open_ = false;
  uint64_t since_ns_ = 0;
  CompiledMethods::Range interpreter_{0, 0};
  const CodeHeap* code_ = nullptr;
  std::atomic<uint64_t> interpreted_{0}, compiled_{0};
};

}  // namespace assay::sampling
