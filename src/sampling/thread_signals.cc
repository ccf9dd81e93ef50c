#include "src/sampling/thread_signals.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "src/sampling/cpu_timers.h"

namespace assay::sampling {
namespace {

std::atomic<ThreadSignals::Function> g_function{nullptr};

}  // namespace

Status ThreadSignals::Open(Function function) {
  int signal = FreeRealTimeSignal();
  if (signal == 0) return Error{"no real-time signal is free in this process"};
  g_function = function;
  struct sigaction action {};
  action.sa_sigaction = Handler;
  action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
  sigfillset(&action.sa_mask);
  // The VM reports stack overflow and null pointers by these; blocked, they would end the process.
  for (int fault : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP}) sigdelset(&action.sa_mask, fault);
  if (sigaction(signal, &action, &before_) != 0) return Error{"the signal handler was refused"};
  signal_ = signal;
  return {};
}

void ThreadSignals::Close() {
  if (signal_ == 0) return;
  g_function = nullptr;
  // Ignoring a signal discards what is pending, which must not meet the default action.
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  sigaction(signal_, &ignore, nullptr);
  sigaction(signal_, &before_, nullptr);
  signal_ = 0;
}

bool ThreadSignals::Send(ThreadSlot& slot) {
  siginfo_t info{};
  info.si_signo = signal_;
  info.si_code = SI_QUEUE;
  info.si_pid = getpid();
  info.si_uid = getuid();
  info.si_value.sival_ptr = &slot;
  return syscall(SYS_rt_tgsigqueueinfo, getpid(), ThreadIdOf(slot), signal_, &info) == 0;
}

void ThreadSignals::Handler(int, siginfo_t* info, void* context) {
  int saved = errno;
  Function function = g_function.load(std::memory_order_acquire);
  auto* slot = static_cast<ThreadSlot*>(info->si_value.sival_ptr);
  // The slot may have a new owner by now; then the signal is a late one of the old. The same
  // signal from elsewhere has another code or sender.
  if (function != nullptr && info->si_code == SI_QUEUE && info->si_pid == getpid() &&
      slot != nullptr && slot->cpu_clock != 0 && ThreadIdOf(*slot) == gettid()) {
    function(*slot, context);
  }
  errno = saved;
}

}  // namespace assay::sampling
