#include "src/agent/calls_collector.h"

#include <gtest/gtest.h>

namespace assay::agent {
namespace {

TEST(CallsCollector, TicksBecomeRarerWithWhatIsKnown) {
  EXPECT_STREQ(TickAfter(0, 0), "1ms");
  EXPECT_STREQ(TickAfter(999, 9.9), "1ms");
  EXPECT_STREQ(TickAfter(1000, 0.1), "4ms");
  EXPECT_STREQ(TickAfter(0, 10), "4ms");
  EXPECT_STREQ(TickAfter(1499, 100), "4ms");
  EXPECT_STREQ(TickAfter(1500, 1), "8ms");
  EXPECT_STREQ(TickAfter(1999, 1), "8ms");
  EXPECT_STREQ(TickAfter(2000, 1), "16ms");
  EXPECT_STREQ(TickAfter(2499, 1), "16ms");
  EXPECT_STREQ(TickAfter(2500, 1), "32ms");
  EXPECT_STREQ(TickAfter(2999, 1), "32ms");
  EXPECT_STREQ(TickAfter(3000, 1), "64ms");
  EXPECT_STREQ(TickAfter(UINT64_MAX, 1e9), "64ms");
}

TEST(CallsCollector, WhatRunsAlreadyIsNotHurried) {
  EXPECT_STREQ(TickAfter(kOpeningBursts, 0), "16ms");
}

TEST(CallsCollector, ProgramsThatWaitAreTold) {
  EXPECT_FALSE(FindLittle(0, 0));
  EXPECT_FALSE(FindLittle(499, 0));
  EXPECT_TRUE(FindLittle(500, 24));
  EXPECT_FALSE(FindLittle(500, 25));
  EXPECT_FALSE(FindLittle(1000, 8000));  // eight threads
}

}  // namespace
}  // namespace assay::agent
