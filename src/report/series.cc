#include "src/report/series.h"

#include <algorithm>

namespace assay::report {

using profile::TickPoint;

namespace {

SeriesPoint Fold(const TickPoint* first, const TickPoint* last) {
  SeriesPoint point{first->thread, first->time_ns, 0, 0, 0, -1, 0, 0};
  double latency = 0, calls = 0, known = 0;
  for (const TickPoint* tick = first; tick != last; ++tick) {
    ++point.ticks;
    latency += static_cast<double>(tick->latency_ns);
    point.max_latency_ns = std::max(point.max_latency_ns, tick->latency_ns);
    point.interval_ns += tick->interval_ns;
    point.samples += tick->samples;
    if (tick->density < 0) continue;
    // A tick without a known interval still counts, as one nanosecond.
    const double interval = static_cast<double>(std::max<uint64_t>(tick->interval_ns, 1));
    calls += tick->density * interval;
    known += interval;
  }
  point.latency_ns = static_cast<uint64_t>(latency / point.ticks);
  if (known > 0) point.density = calls / known;
  return point;
}

}  // namespace

std::vector<SeriesPoint> ThinSeries(const std::vector<TickPoint>& ticks, size_t limit) {
  std::vector<TickPoint> sorted = ticks;
  std::stable_sort(sorted.begin(), sorted.end(), [](const TickPoint& a, const TickPoint& b) {
    return a.thread != b.thread ? a.thread < b.thread : a.time_ns < b.time_ns;
  });
  // The same number of ticks per point everywhere, so threads stay comparable.
  const size_t step = limit ? std::max<size_t>(1, (sorted.size() + limit - 1) / limit) : 1;
  std::vector<SeriesPoint> points;
  for (size_t i = 0; i < sorted.size();) {
    size_t end = i + 1;
    while (end < sorted.size() && end - i < step && sorted[end].thread == sorted[i].thread) ++end;
    points.push_back(Fold(&sorted[i], sorted.data() + end));
    i = end;
  }
  return points;
}

}  // namespace assay::report
