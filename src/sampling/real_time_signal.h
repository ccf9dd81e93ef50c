// A real-time signal that nobody in the process uses, taken for a handler and given back. Taking and
// giving back is for one thread of ours at a time.
#pragma once

#include <signal.h>

#include "src/base/result.h"

namespace assay::sampling {

class RealTimeSignal {
 public:
  // One with the default action; 0 when there is none.
  static int FindFree();

  // The handler runs with every signal blocked but faults.
  Status Take(void (*handler)(int, siginfo_t*, void*));
  // Discards what is still pending. A handler that somebody else has installed meanwhile stays.
  void GiveBack();
  // 0 while none is taken.
  int number() const { return number_; }

 private:
  int number_ = 0;
  void (*handler_)(int, siginfo_t*, void*) = nullptr;
  struct sigaction before_ {};
};

}  // namespace assay::sampling
