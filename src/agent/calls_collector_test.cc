#include "src/agent/calls_collector.h"

#include <gtest/gtest.h>

namespace assay::agent {
namespace {

TEST(CallsCollector, TicksBecomeRarerWithWhatIsKnown) {
  EXPECT_STREQ(TickAfter(0), "4ms");
  EXPECT_STREQ(TickAfter(1499), "4ms");
  EXPECT_STREQ(TickAfter(1500), "8ms");
  EXPECT_STREQ(TickAfter(2499), "8ms");
  EXPECT_STREQ(TickAfter(2500), "16ms");
  EXPECT_STREQ(TickAfter(UINT64_MAX), "16ms");
}

}  // namespace
}  // namespace assay::agent
