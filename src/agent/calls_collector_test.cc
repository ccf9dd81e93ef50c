#include "src/agent/calls_collector.h"

#include <gtest/gtest.h>

namespace assay::agent {
namespace {

TEST(CallsCollector, TicksLessOnlyWhenTheProfileIsLongAndAccurate) {
  profile::Profile profile;
  EXPECT_FALSE(KnowsEnough(profile));
  profile.metadata = {{"accuracy", "95.00"}, {"bursts", "4999"}};
  EXPECT_FALSE(KnowsEnough(profile));
  profile.metadata["bursts"] = "5000";
  EXPECT_TRUE(KnowsEnough(profile));
  profile.metadata["accuracy"] = "94.99";
  EXPECT_FALSE(KnowsEnough(profile));
  profile.metadata.erase("accuracy");
  EXPECT_FALSE(KnowsEnough(profile));
}

}  // namespace
}  // namespace assay::agent
