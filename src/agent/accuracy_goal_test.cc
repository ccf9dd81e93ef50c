#include "src/agent/accuracy_goal.h"

#include <gtest/gtest.h>

namespace assay::agent {
namespace {

using std::chrono::seconds;

std::map<std::string, std::string> Stated(const char* accuracy, const char* limit) {
  return {{"accuracy", accuracy}, {"accuracy-limit", limit}};
}

TEST(AccuracyGoal, IsReached) {
  EXPECT_EQ(VerdictOn(80, Stated("80.00", "94.02"), seconds(1)), "estimated accuracy 80.00 % reached");
  EXPECT_EQ(VerdictOn(80, Stated("79.99", "94.02"), seconds(1)), "");
  EXPECT_EQ(VerdictOn(80, Stated("79.99", "94.02"), seconds(1000)), "");
}

TEST(AccuracyGoal, IsOutOfReachOnceLittleIsLeftToChance) {
  EXPECT_EQ(VerdictOn(80, Stated("68.10", "70.00"), seconds(30)), "80 % is out of reach of sampling in this program, which has 70.00 % at most");
  EXPECT_NE(VerdictOn(80, Stated("64.10", "70.00"), seconds(30)), "");
  EXPECT_EQ(VerdictOn(80, Stated("63.90", "70.00"), seconds(30)), "");
  EXPECT_EQ(VerdictOn(80, Stated("79.00", "80.01"), seconds(30)), "");
}

TEST(AccuracyGoal, AProgramThatStartsMayGetBetter) {
  EXPECT_EQ(VerdictOn(80, Stated("68.10", "70.00"), seconds(19)), "");
}

TEST(AccuracyGoal, NothingIsKnownYet) { EXPECT_EQ(VerdictOn(80, {}, seconds(100)), ""); }

}  // namespace
}  // namespace assay::agent
