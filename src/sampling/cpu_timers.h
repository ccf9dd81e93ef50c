// Ticks in a thread's own CPU time: one POSIX timer per thread, whose signal arms the thread on the
// thread itself. A real-time signal that nobody uses is taken while running and given back after.
// Linux fires such timers at best once per scheduler tick (1 to 4 ms), whatever is asked for, so they cost no
// interrupt that there would not be anyway. The first tick of a thread comes with the first scheduler tick that finds
// it running: otherwise threads that live shorter than a period would never be seen. A thread that wakes up at a fixed rate
// may never be running just then, or always at the same point of its work, and neither is a program whose work repeats in step with that
// tick seen evenly: TickThread has neither fault, so CPU timers are for those who ask for them.
#pragma once

#include <signal.h>

#include <cstdint>
#include <mutex>

#include "src/base/result.h"
#include "src/sampling/burst.h"
#include "src/sampling/real_time_signal.h"
#include "src/sampling/thread_table.h"

namespace assay::sampling {

// Whether a signal that names the slot means the calling thread. The slot may have a new owner by now; then the signal is a late one of
// the old. Asked before anything is written, because whoever else uses the signal names no slot, and again inside InHandler.
bool IsOfThisThread(const ThreadSlot& slot);

// By whom threads are made to tick: by a thread (TickThread), or by timers of their own.
enum class Ticker { kRemote, kCpu };

class CpuTimers {
 public:
  // Called in the signal handler, on the slot's thread, with the CPU time since the call before and the context of
  // what was interrupted.
  using Function = void (*)(ThreadSlot& slot, uint64_t elapsed_ns, void* context);

  // For all threads of the table; one that starts later asks for its own. When open already, only with a new period.
  Status Start(ThreadTable& threads, Function function, uint64_t period_ns);
  // In an order in which a thread that starts meanwhile gets no timer, or one that is deleted. Afterwards no thread is in the
  // function any more.
  void Stop(ThreadTable& threads);

  // Takes a signal. One at a time in a process.
  Status Open(Function function, uint64_t period_ns);
  // From here on Create() refuses. What exists goes on until it is deleted.
  void Shut();
  // Gives the signal back: after Shut(), and when all timers have been deleted. A timer that were left would meet the
  // default action, which ends the process.
  void Close();
  bool open() const { return signal_.number() != 0; }

  // Any thread, at any time; the slot's thread must be alive. False: not open, or the kernel refused.
  bool Create(ThreadSlot& slot);
  void Delete(ThreadSlot& slot);

  // Whether a timer can be made for the calling thread; an Error says why not.
  static Status Probe();
  // The shortest time between two ticks of a thread.
  static uint64_t ShortestPeriodNs();

 private:
  void SetPeriod(ThreadSlot& slot, uint64_t period_ns);
  static void Handler(int signal, siginfo_t* info, void* context);
  RealTimeSignal signal_;
  std::mutex mutex_;  // a thread that starts makes its timer itself, while others are given or lose theirs
  bool accepts_ = false;
};

}  // namespace assay::sampling
