#include "src/report/series.h"

#include <gtest/gtest.h>

namespace assay::report {
namespace {

using profile::TickPoint;

TEST(Series, KeepsEveryTickThatFits) {
  const std::vector<TickPoint> ticks = {{1, 20, 7, 4, 2.5, 3}, {0, 10, 5, 4, -1, 3}};
  const auto points = ThinSeries(ticks, 10);
  ASSERT_EQ(points.size(), 2u);
  EXPECT_EQ(points[0].thread, 0u);
  EXPECT_LT(points[0].density, 0);
  EXPECT_EQ(points[1].latency_ns, 7u);
  EXPECT_EQ(points[1].max_latency_ns, 7u);
  EXPECT_EQ(points[1].density, 2.5);
}

TEST(Series, FoldsNeighboursOfAThread) {
  std::vector<TickPoint> ticks;
  for (uint64_t i = 0; i < 100; ++i) {
    ticks.push_back({0, i, i, 1000, 2, 1});
    ticks.push_back({1, i, 10, 1000, i % 2 ? -1.0 : 4.0, 1});
  }
  const auto points = ThinSeries(ticks, 20);
  ASSERT_EQ(points.size(), 20u);
  uint64_t samples = 0;
  for (const SeriesPoint& point : points) {
    samples += point.samples;
    EXPECT_EQ(point.ticks, 10u);
    EXPECT_EQ(point.density, point.thread == 0 ? 2 : 4);
  }
  EXPECT_EQ(samples, 200u);
  EXPECT_EQ(points[0].latency_ns, 4u);
  EXPECT_EQ(points[0].max_latency_ns, 9u);
}

TEST(Series, DensityIsAMeanOverThreadTime) {
  const auto points = ThinSeries({{0, 0, 0, 3000, 1, 1}, {0, 1, 0, 1000, 5, 1}}, 1);
  ASSERT_EQ(points.size(), 1u);
  EXPECT_DOUBLE_EQ(points[0].density, 2);
}

}  // namespace
}  // namespace assay::report
