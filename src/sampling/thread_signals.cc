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
  g_function = function;
  return signal_.Take(Handler);
}

void ThreadSignals::Close(ThreadTable& threads) {
  if (signal_.number() == 0) return;
  g_function = nullptr;
  signal_.GiveBack();
  threads.WaitForHandlers();
}

bool ThreadSignals::Send(ThreadSlot& slot) {
  siginfo_t info{};
  info.si_signo = signal_.number();
  info.si_code = SI_QUEUE;
  info.si_pid = getpid();
  info.si_uid = getuid();
  info.si_value.sival_ptr = &slot;
  return syscall(SYS_rt_tgsigqueueinfo, getpid(), ThreadIdOf(slot), signal_.number(), &info) == 0;
}

void ThreadSignals::Handler(int, siginfo_t* info, void* context) {
  auto* slot = static_cast<ThreadSlot*>(info->si_value.sival_ptr);
  // The same signal from elsewhere has another code or sender.
  if (info->si_code != SI_QUEUE || info->si_pid != getpid() || slot == nullptr || !IsOfThisThread(*slot)) return;
  int saved = errno;
  InHandler inside(*slot);
  Function function = g_function.load();
  if (function != nullptr && IsOfThisThread(*slot)) function(*slot, context);
  errno = saved;
}

}  // namespace assay::sampling
