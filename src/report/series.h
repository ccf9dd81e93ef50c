// The per-tick series of a profile, thinned so that a page can draw hours of them.
#pragma once

#include <cstdint>
#include <vector>

#include "src/profile/profile.h"

namespace assay::report {

// One tick, or several neighbouring ticks of a thread.
struct SeriesPoint {
  uint32_t thread;
  uint64_t time_ns;     // of the first tick
  uint64_t latency_ns;  // mean
  uint64_t max_latency_ns;
  uint64_t interval_ns;  // sum
  double density;        // mean over thread time; negative when no tick knew it
  uint64_t samples;      // sum
  uint32_t ticks;
};

// By thread, then time; at most `limit` points (but at least one per thread with ticks).
std::vector<SeriesPoint> ThinSeries(const std::vector<profile::TickPoint>& ticks, size_t limit);

}  // namespace assay::report
