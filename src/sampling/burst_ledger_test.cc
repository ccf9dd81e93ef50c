#include "src/sampling/burst_ledger.h"

#include <gtest/gtest.h>

#include <random>

namespace assay::sampling {
namespace {

// A program on one thread whose clock ticks in cycles of 1 ns; the hook costs nothing.
class BurstLedgerTest : public testing::Test {
 protected:
  void SetUp() override {
    ledger_.SetClock(1, 0);
    ledger_.set_hook_cycles(kHook);
  }

  BurstBlock Block(uint64_t tick, uint64_t first, uint64_t last, uint32_t events, uint64_t interval,
                   std::vector<uint32_t> ids) {
    BurstBlock block{};
    block.tick_tsc = tick;
    block.first_tsc = first;
    block.last_tsc = last;
    block.events = events;
    block.interval_ns = interval;
    block.flags = BurstBlock::kLast;
    block.tail_wanted = 1;
    block.count = static_cast<uint16_t>(ids.size());
    std::copy(ids.begin(), ids.end(), block.ids);
    return block;
  }
  // Its passages of the hook cost that part of what they cost in a burst.
  void AddTail(BurstBlock& block, uint32_t call_ns, double hook = BurstLedger::kTailHook) {
    block.tail_calls = 512;
    block.tail_cycles = block.tail_cpu_ns = static_cast<uint32_t>(512 * (call_ns + hook * kHook));
  }
  static constexpr uint64_t kHook = 36;
  BurstLedger ledger_;
};

TEST_F(BurstLedgerTest, ABurstStandsForItsInterval) {
  // 5 calls 1000 ns apart, the first half that after the tick; the interval is 1 ms: 1000 calls, but for
  // the cost of the hook.
  ledger_.Add(Block(10000, 10500, 14500, 5, 1000000, {1, 2, 1, 1, 1}));
  EXPECT_NEAR(ledger_.sites()[1].weight + ledger_.sites()[2].weight, 1000, 50);
  EXPECT_NEAR(ledger_.sites()[1].weight, 4 * ledger_.sites()[2].weight, 1e-6);
  EXPECT_EQ(ledger_.sites()[1].samples, 4u);
}

TEST_F(BurstLedgerTest, ABurstThatOutlastsItsIntervalCountsWhatItSaw) {
  ledger_.Add(Block(10000, 90000, 500000, 3, 2000, {1, 1, 1}));
  EXPECT_DOUBLE_EQ(ledger_.sites()[1].weight, 3);
}

// Two bursts alike but for their density: uncorrected the same, and it is known what correction would make of them.
TEST_F(BurstLedgerTest, OffKnowsWhatCorrectionWouldSay) {
  ledger_.set_correction(Correction::kOff);
  ledger_.Add(Block(10000, 10500, 14500, 5, 1000000, {1, 1, 1, 1, 1}));
  ledger_.Add(Block(2010000, 2011000, 2019000, 5, 1000000, {2, 2, 2, 2, 2}));
  EXPECT_DOUBLE_EQ(ledger_.sites()[1].weight, ledger_.sites()[2].weight);
  EXPECT_NEAR(ledger_.sites()[1].corrected, 2 * ledger_.sites()[2].corrected, 0.1 * ledger_.sites()[1].corrected);
  BurstLedger::Site sum = ledger_.sites()[1];
  sum.Add(ledger_.sites()[2]);
  EXPECT_DOUBLE_EQ(sum.corrected, ledger_.sites()[1].corrected + ledger_.sites()[2].corrected);
}

TEST_F(BurstLedgerTest, OffWeighsSamplesByThePeriodOfTheirTicks) {
  ledger_.set_correction(Correction::kOff);
  auto add = [this](uint32_t period_us, uint64_t interval_ns, uint32_t site) {
    BurstBlock block = Block(1000, 1001, 1100, 2, interval_ns, {site});
    block.period_us = period_us;
    ledger_.Add(block);
  };
  add(4000, 4'000'000, 1);
  add(4000, 100, 2);             // hardly in Java: a burst all the same
  add(16000, 16'000'000, 3);
  add(16000, 9'000'000, 4);
  add(3'600'000'000, 4'000'000, 5);  // the tick came before the change
  add(1000, 1'000'000, 6);
  const double expected[] = {1, 1, 4, 4, 2, 0.25};
  for (uint32_t site = 1; site <= 6; site++) EXPECT_DOUBLE_EQ(ledger_.sites()[site].weight, expected[site - 1]) << site;
}

TEST_F(BurstLedgerTest, OffWeighsAllSamplesAlike) {
  ledger_.set_correction(Correction::kOff);
  ledger_.Add(Block(1000, 1001, 1100, 2, 1000, {1}));
  ledger_.Add(Block(10000, 10001, 90000, 2, 1000, {2}));
  EXPECT_DOUBLE_EQ(ledger_.sites()[1].weight, ledger_.sites()[2].weight);
  EXPECT_NEAR(ledger_.Scale() * 2, ledger_.calls(), 1e-9);
}

// The program's own calls are 100 ns apart.
TEST_F(BurstLedgerTest, KnowsWhatABurstTookOfTheProgram) {
  const double tail = 512 * BurstLedger::kTailHook * kHook;
  for (uint64_t hook : {kHook, uint64_t{150}}) {
    ledger_ = BurstLedger();
    SetUp();
    BurstBlock block = Block(10000, 10000, 10000 + 200 * (100 + hook), 201, 1000000, {1});
    AddTail(block, 100);
    ledger_.Add(block);
    EXPECT_NEAR(ledger_.taken_ns(), BurstLedger::kAfterBurstNs + 200.0 * hook + tail, 0.02 * 200 * (100 + hook)) << hook;
    block.later_events = 400;  // after the tail, not timed
    ledger_.Add(block);
    EXPECT_NEAR(ledger_.taken_ns(), 2 * BurstLedger::kAfterBurstNs + 800.0 * hook + 2 * tail, 0.04 * 800 * (100 + hook)) << hook;
  }
}

// A thread that the VM took its mark from, or that was off its processor, goes on with the burst later.
TEST_F(BurstLedgerTest, WhatABurstWaitedForWasNotTaken) {
  ledger_.Add(Block(10000, 10000, 10000 + 50'000'000, 201, 1000000, {1}));
  EXPECT_LT(ledger_.taken_ns(), BurstLedger::kAfterBurstNs + 201 * 300);
}

// In cold code a call of a burst takes 500 ns, one of its tail 100 ns and the hook's cost. One tail of four was cut off.
TEST_F(BurstLedgerTest, TailsTellThePace) {
  constexpr uint32_t kBursts = 400;
  for (Correction correction : {Correction::kOff, Correction::kDensity, Correction::kFull}) {
    ledger_ = BurstLedger();
    SetUp();
    ledger_.set_correction(correction);
    for (uint32_t i = 0; i < kBursts; i++) {
      uint64_t tick = 1000000ull * i;
      BurstBlock block = Block(tick, tick + 50, tick + 500 * 40, 40, 1000000, {1, 2});
      if (i % 4 != 3) AddTail(block, 100, BurstLedger::kTailHookInAll);
      ledger_.Add(block);
      EXPECT_EQ(ledger_.KnowsTotal(), i > BurstLedger::kEnoughTails * 4 / 3 - 2) << i;
    }
    double weight = ledger_.sites()[1].weight + ledger_.sites()[2].weight;
    EXPECT_NEAR(ledger_.Scale() * weight / (kBursts * 1000000 / 100), 1, 0.06);
    EXPECT_NEAR(ledger_.TotalError(), BurstLedger::kTotalMethodError, 0.05) << "they all say the same";
  }
}

TEST_F(BurstLedgerTest, WithFewTailsTheTotalIsALowerBound) {
  for (uint32_t i = 0; i < 400; i++) {
    uint64_t tick = 1000000ull * i;
    BurstBlock block = Block(tick, tick + 50, tick + 500 * 40, 40, 1000000, {1, 2});
    if (i % 8 == 0) AddTail(block, 100);
    ledger_.Add(block);
  }
  EXPECT_FALSE(ledger_.KnowsTotal());
  double weight = ledger_.sites()[1].weight + ledger_.sites()[2].weight;
  EXPECT_NEAR(ledger_.Scale() * weight / (400.0 * 1000000 / 500), 1, 0.1) << "as the bursts say, not their tails";
}

// Two kinds of code make the same number of calls, one of them in a tenth of the time: found ten times as often, the other weighs a tenth.
TEST_F(BurstLedgerTest, WeightsFollowThePaceOfTheTail) {
  for (uint32_t i = 0; i < 2200; i++) {
    const bool dense = i % 11 == 0;
    uint64_t tick = 4000000ull * i;
    BurstBlock block = Block(tick, tick + 50, tick + 400 * 40, 40, 4000000, {dense ? 1u : 2u});
    AddTail(block, dense ? 100 : 1000);
    ledger_.Add(block);
  }
  EXPECT_NEAR(ledger_.sites()[1].weight / ledger_.sites()[2].weight, 1, 0.1) << "whatever their own calls seemed to take";
}

// What the VM does each time it takes the mark, and what passes until it is back, is no time of the program's.
TEST_F(BurstLedgerTest, MarksPutBackAreTakenOffATail) {
  for (uint32_t i = 0; i < 2000; i++) {
    const bool interrupted = i % 2 == 0;
    uint64_t tick = 4000000ull * i;
    BurstBlock block = Block(tick, tick + 50, tick + 400 * 40, 40, 4000000, {interrupted ? 1u : 2u});
    AddTail(block, 100);
    block.tail_restored = interrupted ? 30 : 0;
    block.tail_cycles += static_cast<uint32_t>(block.tail_restored * BurstLedger::kRestoreCycles);
    block.tail_cpu_ns = block.tail_cycles;
    ledger_.Add(block);
  }
  EXPECT_NEAR(ledger_.sites()[1].weight / ledger_.sites()[2].weight, 1, 0.02);
}

// The counter sees ten times as many calls in one kind of interval as in the other; bursts seem alike.
TEST_F(BurstLedgerTest, TheProcessorsCounterDecidesWhereItIsAskedTo) {
  for (bool by_counter : {false, true}) {
    ledger_ = BurstLedger();
    ledger_.SetClock(1, 0);
    ledger_.set_hook_cycles(kHook);
    ledger_.set_by_counter(by_counter);
    for (uint32_t i = 0; i < 200; i++) {
      const bool dense = i % 2 == 0;
      uint64_t tick = 4000000ull * i;
      BurstBlock block = Block(tick, tick + 50, tick + 400 * 40, 40, 4000000, {dense ? 1u : 2u});
      AddTail(block, 100);
      block.counted_calls = dense ? 40000 : 4000;
      ledger_.Add(block);
    }
    EXPECT_NEAR(ledger_.sites()[1].weight / ledger_.sites()[2].weight, by_counter ? 10 : 1, 0.5);
    EXPECT_EQ(ledger_.CounterComparison().bursts, 200u);
  }
}

TEST_F(BurstLedgerTest, CounterAndBurstsAreCompared) {
  for (uint32_t i = 0; i < 200; i++) {
    const uint32_t call_ns = 100 + i % 7 * 50;
    uint64_t tick = 4000000ull * i;
    BurstBlock block = Block(tick, tick + 50, tick + 400 * 40, 40, 4000000, {1});
    AddTail(block, call_ns, BurstLedger::kTailHookInAll);
    block.counted_calls = 3 * 4000000 / call_ns;
    ledger_.Add(block);
  }
  EXPECT_GT(ledger_.CounterComparison().correlation, 0.95);
  EXPECT_NEAR(ledger_.CounterComparison().ratio, 3, 0.4);
}

// Half of the time goes into loops that make no call: a tick that meets one waits for its end, and the interval grows with the wait.
TEST_F(BurstLedgerTest, LoopsWithoutCallsDoNotInflateTheTotal) {
  double calls = 0;
  for (uint32_t i = 0; i < 200; i++) {
    uint64_t tick = 100000000ull * i;
    const bool in_loop = i % 20 == 0;
    uint64_t wait = in_loop ? 76000000 : 50, interval = in_loop ? 80000000 : 4000000;
    BurstBlock block = Block(tick, tick + wait, tick + wait + 39 * (100 + kHook), 40, interval, {1, 2});
    AddTail(block, 100, BurstLedger::kTailHookInAll);
    ledger_.Add(block);
    if (!in_loop) calls += 4000000 / 100;
  }
  double weight = ledger_.sites()[1].weight + ledger_.sites()[2].weight;
  EXPECT_NEAR(ledger_.Scale() * weight / calls, 1, 0.15);
}

TEST_F(BurstLedgerTest, NewsAreTakenSiteBySite) {
  auto add = [this](std::vector<uint32_t> ids) { ledger_.Add(Block(1000, 1001, 2000, 3, 1000, std::move(ids))); };
  ledger_.set_correction(Correction::kOff);
  add({1, 2, 2});
  add({2, 1});
  EXPECT_EQ(ledger_.TakeTouched(), (std::vector<uint32_t>{1, 2}));
  EXPECT_EQ(ledger_.TakeNews(2).samples, 3u);
  EXPECT_EQ(ledger_.TakeNews(2).samples, 0u) << "taken already";
  add({2, 3});
  EXPECT_EQ(ledger_.TakeTouched(), (std::vector<uint32_t>{2, 3})) << "1 is waiting, and was named";
  EXPECT_EQ(ledger_.TakeNews(1).samples, 2u);
  BurstLedger::Site second = ledger_.TakeNews(2);
  EXPECT_EQ(second.samples, 1u);
  EXPECT_DOUBLE_EQ(second.weight, 1);
  EXPECT_EQ(ledger_.samples(), 7u);
}

// A burst of code that is always dense may be so: what was learned of its sites is not lost with what was taken.
TEST_F(BurstLedgerTest, TakingNewsForgetsNoPace) {
  double rare[2];
  for (bool takes : {false, true}) {
    ledger_ = BurstLedger();
    SetUp();
    auto taken = [&] {
      double weight = 0;
      if (takes) {
        for (uint32_t index : ledger_.TakeTouched()) {
          BurstLedger::Site news = ledger_.TakeNews(index);
          if (index == 1) weight += news.weight;
        }
      }
      return weight;
    };
    double weight = 0;
    for (uint32_t i = 0; i < 4000; i++) {
      const bool dense = i % 20 == 0;
      uint64_t tick = 1000000ull * i;
      ledger_.Add(Block(tick, tick + 10, tick + 10 + 39 * (kHook + (dense ? 20 : 2000)), 40, 1000000,
                        std::vector<uint32_t>(8, dense ? 1u : 2u)));
      if (i % 100 == 99) weight += taken();
    }
    rare[takes] = weight + taken() + ledger_.sites()[1].weight;
  }
  EXPECT_NEAR(rare[1] / rare[0], 1, 1e-9);
}

TEST_F(BurstLedgerTest, PiecesOfABurstAreOneCluster) {
  BurstBlock first = Block(1000, 1001, 0, 0, 0, {1, 1});
  first.flags = 0;
  ledger_.set_correction(Correction::kOff);
  ledger_.Add(first);
  EXPECT_EQ(ledger_.bursts(), 0u);
  ledger_.Add(Block(1000, 1001, 2000, 3, 1000, {1}));
  EXPECT_EQ(ledger_.bursts(), 1u);
  EXPECT_DOUBLE_EQ(ledger_.sites()[1].squares, 9);
}

TEST_F(BurstLedgerTest, SeriesStaysBounded) {
  for (uint32_t i = 0; i < 3 * BurstLedger::kMaxTicks; i++) {
    ledger_.Add(Block(1000ull * i, 1000ull * i + 10, 1000ull * i + 20, 2, 1000, {1}));
  }
  EXPECT_LE(ledger_.ticks().size(), BurstLedger::kMaxTicks);
  EXPECT_GE(ledger_.ticks().size(), BurstLedger::kMaxTicks / 2);
}

// Alternating phases of 1 ms, one with a call every 20 ns to edge 1, one with a call every 500 ns
// to edge 2, sampled at random times: with correction both come out as they are, and the stated
// error covers the truth as often as it claims.
TEST_F(BurstLedgerTest, CorrectionAndIntervalsAreRight) {
  std::mt19937_64 random(7);
  const double truth[2] = {25.0, 1.0};  // ratio of calls
  int covered = 0;
  constexpr int kRuns = 100;
  for (int run = 0; run < kRuns; run++) {
    BurstLedger ledger;
    ledger.SetClock(1, 0);
    ledger.set_hook_cycles(kHook);
    uint64_t last_tick = 0;
    for (int i = 0; i < 2000; i++) {
      uint64_t tick = last_tick + 500000 + random() % 1000000;
      bool dense = (tick / 1000000) % 2 == 0;
      uint64_t gap = dense ? 20 : 500;
      uint64_t first = tick + 1 + random() % gap;
      uint64_t hook = 15 * kHook;  // what the ledger takes off
      BurstBlock block = Block(tick, first, first + 15 * gap + hook, 16, tick - last_tick,
                               std::vector<uint32_t>(16, dense ? 1 : 2));
      block.walk_cycles = 1;  // keeps the calibration out: this hook is free
      ledger.Add(block);
      last_tick = tick;
    }
    double dense = ledger.sites()[1].weight, sparse = ledger.sites()[2].weight;
    EXPECT_NEAR(dense / sparse, truth[0] / truth[1], 5);
    double all = dense + sparse, share = truth[0] / (truth[0] + truth[1]);
    double half_width = 1.96 * std::sqrt(ledger.Variance(ledger.sites()[1]));
    covered += std::abs(dense - share * all) <= half_width;
  }
  EXPECT_GE(covered, kRuns * 90 / 100);
  EXPECT_LE(covered, kRuns * 99 / 100);
}

// One burst in 300 mismeasures its time a hundredfold: without bounds it would outweigh the rest.
TEST_F(BurstLedgerTest, AFewExtremeBurstsDoNotDecide) {
  for (uint32_t i = 0; i < 3000; i++) {
    uint64_t tick = 1000000ull * i;
    bool wrong = i % 300 == 299;
    uint64_t gap = wrong ? 5 : 500;
    BurstBlock block = Block(tick, tick + gap / 2, tick + gap / 2 + 15 * (gap + kHook), 16, 1000000,
                             std::vector<uint32_t>(16, 1 + i % 2));
    block.walk_cycles = 1;
    ledger_.Add(block);
  }
  double share = ledger_.sites()[2].weight / (ledger_.sites()[1].weight + ledger_.sites()[2].weight);
  EXPECT_NEAR(share, 0.5, 0.01);
}

// A tenth of the time is spent in code that calls a hundred times as often. That is far above the
// mean, but it is always so: after some samples it is believed.
TEST_F(BurstLedgerTest, CodeThatIsAlwaysDenseIsBelieved) {
  for (uint32_t i = 0; i < 20000; i++) {
    uint64_t tick = 1000000ull * i;
    bool dense = i % 10 == 0;
    uint64_t gap = dense ? 10 : 1000;
    BurstBlock block = Block(tick, tick + gap / 2, tick + gap / 2 + 15 * (gap + kHook), 16, 1000000,
                             std::vector<uint32_t>(16, dense ? 1 : 2));
    block.walk_cycles = 1;
    ledger_.Add(block);
  }
  EXPECT_NEAR(ledger_.sites()[1].weight / ledger_.sites()[2].weight, 100.0 / 9, 1);
}

TEST_F(BurstLedgerTest, SamplesOfCutBurstsWeighAsMuchAsOthers) {
  for (uint32_t i = 0; i < 100; i++) {
    uint64_t tick = 1000000ull * i;
    ledger_.Add(Block(tick, tick + 50, tick + 50 + 15 * 145, 16, 500000, std::vector<uint32_t>(16, 1)));
    BurstBlock cut = Block(tick, tick + 400000, tick + 400001, 4, 500000, {2, 2, 2, 2});
    cut.flags |= BurstBlock::kCut;
    ledger_.Add(cut);
  }
  EXPECT_NEAR(ledger_.sites()[2].weight / ledger_.sites()[1].weight, 0.25, 0.001);
}

TEST_F(BurstLedgerTest, NoEdgeIsKnownBeyondItsSamples) {
  for (uint32_t i = 0; i < 100; i++) {
    uint64_t tick = 1000000ull * i;
    ledger_.Add(Block(tick, tick + 50, tick + 500, 4, 500000, {1, 2, 1, 2}));
  }
  const BurstLedger::Site& site = ledger_.sites()[1];
  double relative = std::sqrt(ledger_.Variance(site)) / site.weight;
  EXPECT_GT(relative, 0.005);
  EXPECT_LT(relative, 0.05);
}

TEST_F(BurstLedgerTest, LongIntervalsAreBounded) {
  for (uint32_t i = 0; i < 1000; i++) {
    uint64_t tick = 1000000ull * i;
    bool away = i % 100 == 99;
    BurstBlock block = Block(tick, tick + 50, tick + 50 + 15 * 145, 16, away ? 50000000 : 500000,
                             std::vector<uint32_t>(16, away ? 2 : 1));
    block.walk_cycles = 1;
    ledger_.Add(block);
  }
  double share = ledger_.sites()[2].weight / (ledger_.sites()[1].weight + ledger_.sites()[2].weight);
  EXPECT_NEAR(share, 0.0125, 0.002);
}

}  // namespace
}  // namespace assay::sampling
