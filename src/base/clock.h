// Clocks of the kernel in nanoseconds. Any context.
#pragma once

#include <time.h>

#include <cstdint>

namespace assay {

// 0 when there is no such clock.
inline uint64_t ClockNs(clockid_t clock) {
  timespec time;
  if (clock_gettime(clock, &time) != 0) return 0;
  return static_cast<uint64_t>(time.tv_sec) * 1000000000 + static_cast<uint64_t>(time.tv_nsec);
}

}  // namespace assay
