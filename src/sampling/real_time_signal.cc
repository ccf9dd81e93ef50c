#include "src/sampling/real_time_signal.h"

namespace assay::sampling {

int RealTimeSignal::FindFree() {
  // The JDK installs a handler for this one, asking nobody, when it first needs to wake a thread that waits for
  // input (NativeThread.c, linux_close.c).
  const int jdk_wake_up = SIGRTMAX - 2;
  for (int signal = SIGRTMAX - 1; signal > SIGRTMIN; signal--) {
    if (signal == jdk_wake_up) continue;
    struct sigaction now;
    if (sigaction(signal, nullptr, &now) == 0 && !(now.sa_flags & SA_SIGINFO) &&
        now.sa_handler == SIG_DFL) {
      return signal;
    }
  }
  return 0;
}

Status RealTimeSignal::Take(void (*handler)(int, siginfo_t*, void*)) {
  int signal = FindFree();
  if (signal == 0) return Error{"no real-time signal is free in this process"};
  struct sigaction action {};
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
  sigfillset(&action.sa_mask);
  // The VM reports stack overflow and null pointers by these; blocked, they would end the process.
  for (int fault : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP}) sigdelset(&action.sa_mask, fault);
  if (sigaction(signal, &action, &before_) != 0) return Error{"the signal handler was refused"};
  number_ = signal;
  handler_ = handler;
  return {};
}

void RealTimeSignal::GiveBack() {
  if (number_ == 0) return;
  struct sigaction now;
  // Whoever replaced our handler wants to keep his.
  if (sigaction(number_, nullptr, &now) == 0 && (now.sa_flags & SA_SIGINFO) && now.sa_sigaction == handler_) {
    // Ignoring a signal discards what is pending, which must not meet the default action.
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    sigaction(number_, &ignore, nullptr);
    sigaction(number_, &before_, nullptr);
  }
  number_ = 0;
}

}  // namespace assay::sampling
