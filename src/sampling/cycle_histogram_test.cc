#include "src/sampling/cycle_histogram.h"

#include <gtest/gtest.h>

namespace assay::sampling {
namespace {

TEST(CycleHistogramTest, MedianIgnoresOutliers) {
  CycleHistogram histogram;
  EXPECT_EQ(histogram.Median(), 0);
  for (uint64_t value : {5ull, 6ull, 7ull}) histogram.Add(value);
  EXPECT_EQ(histogram.Median(), 6);
  for (uint64_t middle : {100ull, 2500ull, 700000ull, 1ull << 40}) {
    CycleHistogram each;
    for (int i = 0; i < 10; i++) each.Add(middle);
    for (int i = 0; i < 4; i++) each.Add(~0ull);
    EXPECT_NEAR(each.Median(), static_cast<double>(middle), static_cast<double>(middle) / 12);
  }
}

}  // namespace
}  // namespace assay::sampling
