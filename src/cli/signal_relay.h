// While one exists, signals that end a program do not end this one: SIGTERM and SIGHUP are passed
// on to the program that runs, SIGINT and SIGQUIT of the terminal reach it anyway. It decides; what
// came is remembered. Signals that were ignored when we began stay ignored, here and in the
// program.
#pragma once

#include <signal.h>

#include <cstddef>

namespace assay::cli {

class SignalRelay {
 public:
  SignalRelay();
  ~SignalRelay();
  SignalRelay(const SignalRelay&) = delete;

  // Starts a program by fork: in the child everything is as it was before this object.
  pid_t Fork();
  // Waits until the program that was forked has ended; from then on nothing is passed on.
  void AwaitEnd();
  // Throws CommandError, with the status of a program that the signal ends, when one has come.
  static void ThrowIfSignalled();

 private:
  static constexpr int kSignals[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
  static constexpr size_t kCount = sizeof kSignals / sizeof *kSignals;
  struct sigaction before_[kCount];
};

}  // namespace assay::cli
