// Interrupts a thread so that a function runs on it with its registers. A real-time signal that
// nobody uses is taken while open and given back after. Sending is for one thread of ours; the
// function runs in a signal handler.
#pragma once

#include <signal.h>

#include "src/base/result.h"
#include "src/sampling/burst.h"
#include "src/sampling/real_time_signal.h"
#include "src/sampling/thread_table.h"

namespace assay::sampling {

class ThreadSignals {
 public:
  // `context` is a ucontext_t*.
  using Function = void (*)(ThreadSlot& slot, void* context);

  // One at a time in a process.
  Status Open(Function function);
  // Nobody sends any more. Afterwards no thread of the table is in the function.
  void Close(ThreadTable& threads);
  // The slot's thread must be alive (pinned), its CPU clock known.
  bool Send(ThreadSlot& slot);

 private:
  static void Handler(int signal, siginfo_t* info, void* context);
  RealTimeSignal signal_;
};

}  // namespace assay::sampling
