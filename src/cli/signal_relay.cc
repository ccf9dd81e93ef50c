#include "src/cli/signal_relay.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "src/cli/commands.h"

namespace assay::cli {
namespace {

volatile sig_atomic_t g_last = 0;
volatile sig_atomic_t g_child = 0;

void OnSignal(int number) {
  int error = errno;
  g_last = number;
  if (g_child > 0 && (number == SIGTERM || number == SIGHUP)) kill(g_child, number);
  errno = error;
}

}  // namespace

SignalRelay::SignalRelay() {
  struct sigaction action = {};
  action.sa_handler = OnSignal;
  action.sa_flags = SA_RESTART;
  for (size_t i = 0; i < kCount; ++i) {
    sigaction(kSignals[i], nullptr, &before_[i]);
    if (before_[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &action, nullptr);
  }
}

SignalRelay::~SignalRelay() {
  for (size_t i = 0; i < kCount; ++i) sigaction(kSignals[i], &before_[i], nullptr);
}

pid_t SignalRelay::Fork() {
  // A signal that comes now waits until it is known whom to pass it on to.
  sigset_t all, mask;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, &mask);
  pid_t child = fork();
  int error = errno;
  if (child == 0) {
    // A handler becomes the default when the program is executed; what was ignored is still.
    for (size_t i = 0; i < kCount; ++i) {
      if (before_[i].sa_handler == SIG_IGN) continue;
      signal(kSignals[i], SIG_DFL);
    }
  } else {
    g_child = child;
  }
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  errno = error;
  return child;
}

void SignalRelay::AwaitEnd() {
  siginfo_t info;
  // Not reaped yet, so that the number is still its own while signals are passed on.
  while (waitid(P_PID, static_cast<id_t>(g_child), &info, WEXITED | WNOWAIT) < 0 &&
         errno == EINTR) {
  }
  g_child = 0;
}

void SignalRelay::ThrowIfSignalled() {
  if (g_last == 0) return;
  throw CommandError(std::string("ended by a signal: ") + strsignal(g_last), 128 + g_last);
}

}  // namespace assay::cli
