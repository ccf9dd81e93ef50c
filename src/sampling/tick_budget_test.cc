#include "src/sampling/tick_budget.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace assay::sampling {
namespace {

constexpr double kSecond = 1e9;

// A program that uses one processor, and what sampling it costs.
struct Program {
  double price_ns = 100e3;  // of a burst
  double java = 0.8;        // of its time, where ticks find it
  double tick_ns = 0;       // of a tick, whether or not it finds it
  double busy = 1;          // of the time

  TickBudget::Usage used;
  double bursts = 0;

  void Run(TickBudget& budget, double seconds, bool bursts_suffice = false) {
    constexpr double kStep = 20e6;
    for (double passed = 0; passed < seconds * kSecond; passed += kStep) {
      const double ticks = kStep / static_cast<double>(budget.period_ns());
      const double met = ticks * busy * java;
      used.program_ns += kStep * busy;
      used.taken_ns += met * price_ns + ticks * tick_ns;
      bursts += met;
      used.bursts = static_cast<uint64_t>(bursts);
      budget.Follow(used, bursts_suffice);
    }
  }
  double Taken() const { return used.taken_ns / used.program_ns; }
};

TEST(TickBudget, TakesTheShareItWasGivenWhateverABurstCosts) {
  for (double price : {30e3, 100e3, 400e3}) {
    for (double share : {0.008, 0.01, 0.03}) {
      Program program{.price_ns = price};
      TickBudget budget(share, 0);
      program.Run(budget, 60);
      const double possible = program.java * price / TickBudget::kShortestNs;
      EXPECT_NEAR(program.Taken() / std::min(share, possible), 1, 0.1) << price << " " << share;
    }
  }
}

TEST(TickBudget, TheCreditIsSpentFirstAndOnce) {
  Program program;
  TickBudget budget(0.01, TickBudget::kCreditNs);
  program.Run(budget, 1);
  EXPECT_GT(program.Taken(), 0.05);
  program.Run(budget, 3);
  EXPECT_GT(program.used.taken_ns, 0.8 * 0.01 * (4 * kSecond + TickBudget::kCreditNs));
  program.Run(budget, 96);
  EXPECT_NEAR(program.used.taken_ns, 0.01 * (100 * kSecond + TickBudget::kCreditNs), 0.05 * kSecond);
}

TEST(TickBudget, FollowsAProgramThatChanges) {
  Program program{.price_ns = 50e3};
  TickBudget budget(0.01, 0);
  program.Run(budget, 20);
  program.price_ns = 300e3;
  program.java = 0.3;
  program.Run(budget, 20);
  EXPECT_NEAR(program.Taken(), 0.01, 0.0015);
}

TEST(TickBudget, AProgramThatHardlyRunsIsNotWokenForMuch) {
  Program program{.tick_ns = 17e3, .busy = 0.001};
  TickBudget budget(0.01, TickBudget::kCreditNs);
  program.Run(budget, 60);
  EXPECT_GT(budget.period_ns(), TickBudget::kLongestNs / 4);
  EXPECT_LT(program.used.taken_ns, 0.002 * 60 * kSecond);
}

TEST(TickBudget, BooksMaySayMoreThanTheProcessUsed) {
  TickBudget budget(0.01, TickBudget::kCreditNs);
  TickBudget::Usage used;
  for (int step = 0; step < 1000; step++) {
    used.program_ns -= 5e6;
    used.taken_ns += 10e6;
    used.bursts += 3;
    budget.Follow(used, false);
    ASSERT_GE(budget.period_ns(), TickBudget::kShortestNs) << step;
    ASSERT_LE(budget.period_ns(), TickBudget::kLongestNs) << step;
  }
  EXPECT_EQ(budget.period_ns(), TickBudget::kLongestNs);
}

TEST(TickBudget, ManyBurstsSuffice) {
  Program program{.price_ns = 5e3};
  TickBudget budget(0.01, 0);
  program.Run(budget, 1.9, true);
  EXPECT_LT(budget.period_ns(), 2'000'000u);
  program.Run(budget, 60, true);
  EXPECT_EQ(budget.period_ns(), TickBudget::kLongestNs);
  Program asked{.price_ns = 5e3};
  TickBudget wanted(0.01, 0);
  asked.Run(wanted, 60, false);
  EXPECT_LT(wanted.period_ns(), 2'000'000u);
}

TEST(TickBudget, KeepsToPeriodsThatAreToBeHad) {
  EXPECT_EQ(TickBudget(1, 0, 4'000'000).period_ns(), 4'000'000u);
  EXPECT_EQ(TickBudget(1, 0, 0).period_ns(), TickBudget::kShortestNs);
  EXPECT_LT(TickBudget(0.02, 0).period_ns(), 4'000'000u);
  EXPECT_EQ(TickBudget(0.02, 0, 4'000'000).period_ns(), 4'000'000u);
  EXPECT_EQ(TickBudget(1e-6, 0).period_ns(), TickBudget::kLongestNs);
}

// Each change sets the timers of all threads, and a timer that is set anew begins from the start.
TEST(TickBudget, ChangesSeldom) {
  Program program;
  TickBudget budget(0.01, 0);
  int changes = 0;
  for (int second = 0; second < 100; second++) {
    const uint64_t before = budget.period_ns();
    program.Run(budget, 1);
    changes += budget.period_ns() != before;
  }
  EXPECT_LT(changes, 25);
}

}  // namespace
}  // namespace assay::sampling
