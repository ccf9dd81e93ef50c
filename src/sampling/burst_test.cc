#include "src/sampling/burst.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <thread>
#include <vector>

namespace assay::sampling {
namespace {

class BurstTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(queue_.Init()); }

  void Tick() {
    slot_.tick_tsc.store(1);
    slot_.tick_number.fetch_add(1);
  }
  // Passes `calls` calls with ids 0, 1, 2...; returns at how many the burst was complete, or 0.
  int Pass(int calls) {
    for (int i = 0; i < calls; i++) {
      if (recorder_.OnCall(slot_) && recorder_.Took(slot_, i)) return i + 1;
    }
    return 0;
  }
  std::vector<BurstBlock> Drain() {
    std::vector<BurstBlock> blocks;
    BurstBlock block;
    while (queue_.Pop(&block)) blocks.push_back(block);
    return blocks;
  }

  // The only block there is.
  BurstBlock DrainOne() {
    auto blocks = Drain();
    EXPECT_EQ(blocks.size(), 1u);
    return blocks.empty() ? BurstBlock{} : blocks[0];
  }

  BurstParameters parameters_;
  BurstQueue queue_;
  BurstRecorder recorder_{&parameters_, &queue_};
  ThreadSlot slot_;
};

TEST_F(BurstTest, TakesSamplesStridesApart) {
  parameters_.samples = 5;
  parameters_.stride = 3;
  slot_.java_ns = 1000;
  Tick();
  int calls = Pass(100);
  auto blocks = Drain();
  ASSERT_EQ(blocks.size(), 1u);
  const BurstBlock& block = blocks[0];
  ASSERT_EQ(block.count, 5);
  EXPECT_LE(block.ids[0], 2u);  // the first skip is in [1..stride]
  for (int i = 1; i < 5; i++) EXPECT_EQ(block.ids[i] - block.ids[i - 1], 3u);
  EXPECT_EQ(block.events, static_cast<uint32_t>(calls));
  EXPECT_EQ(block.flags, BurstBlock::kLast);
  EXPECT_EQ(block.interval_ns, 1000u);
  EXPECT_EQ(slot_.java_ns, 0u);
}

TEST_F(BurstTest, FirstSkipIsRandomInOneToStrideAndFollowsTheSeed) {
  parameters_.samples = 1;
  parameters_.stride = 7;
  std::vector<int> first[2];
  for (auto& skips : first) {
    slot_.Reset();
    for (int i = 0; i < 700; i++) {
      Tick();
      skips.push_back(Pass(100));
    }
  }
  EXPECT_EQ(first[0], first[1]) << "same seed, same skips";
  std::map<int, int> seen;
  for (int skip : first[0]) seen[skip]++;
  EXPECT_EQ(seen.size(), 7u);
  EXPECT_EQ(seen.begin()->first, 1);
  EXPECT_EQ(seen.rbegin()->first, 7);
  for (auto [skip, count] : seen) EXPECT_GT(count, 50) << skip;
}

TEST_F(BurstTest, ATailIsCountedAndNotSampled) {
  parameters_.samples = 5;
  parameters_.stride = 3;
  parameters_.tail_every = 1;
  Tick();
  int calls = Pass(100000);
  const BurstBlock block = DrainOne();
  EXPECT_EQ(block.count, 5);
  EXPECT_EQ(block.flags, BurstBlock::kLast);
  EXPECT_EQ(block.tail_calls, 512u);
  EXPECT_EQ(block.events + block.tail_calls, static_cast<uint32_t>(calls));
  EXPECT_GT(block.tail_cycles, 0u);
  EXPECT_LE(block.events, 15u);
}

TEST_F(BurstTest, ASplitBurstTakesHalfOfItsSamplesAfterTheTail) {
  parameters_.samples = 10;
  parameters_.stride = 3;
  parameters_.tail_every = 1;
  parameters_.split = true;
  for (int again = 0; again < 2; again++) {
    Tick();
    const int calls = Pass(100000);
    const BurstBlock block = DrainOne();
    EXPECT_EQ(block.flags, BurstBlock::kLast);
    ASSERT_EQ(block.count, 10);
    EXPECT_EQ(block.tail_calls, 320u);
    EXPECT_EQ(block.later_events, 15u);
    EXPECT_EQ(block.events + block.tail_calls + block.later_events, static_cast<uint32_t>(calls));
    EXPECT_EQ(block.ids[4] + 1, block.events) << "the last before the tail";
    for (int i = 1; i < 10; i++) EXPECT_EQ(block.ids[i] - block.ids[i - 1], i == 5 ? 323u : 3u) << i;
  }
}

TEST_F(BurstTest, ASplitBurstThatIsCutAfterItsTailIsComplete) {
  parameters_.samples = 10;
  parameters_.stride = 1;
  parameters_.tail_every = 1;
  parameters_.split = true;
  Tick();
  EXPECT_EQ(Pass(5 + 320 + 2), 0);
  slot_.block.walk_cycles = 1000;  // of a site that was new after the tail
  Tick();
  Pass(1);
  const BurstBlock block = DrainOne();
  EXPECT_EQ(block.flags, BurstBlock::kLast);
  EXPECT_EQ(block.count, 7);
  EXPECT_EQ(block.events, 5u);
  EXPECT_EQ(block.tail_calls, 320u);
  EXPECT_EQ(block.later_events, 2u);
  EXPECT_EQ(block.walk_cycles, 0u);
}

TEST_F(BurstTest, ABurstWithoutATailIsNotSplit) {
  parameters_.samples = 10;
  parameters_.stride = 1;
  parameters_.split = true;
  Tick();
  EXPECT_EQ(Pass(100), 10);
  EXPECT_EQ(DrainOne().events, 10u);
}

TEST_F(BurstTest, ABurstIsCompleteWithoutTheTailThatWasCutOff) {
  parameters_.samples = 5;
  parameters_.stride = 1;
  parameters_.tail_every = 1;
  Tick();
  EXPECT_EQ(Pass(300), 0);
  EXPECT_TRUE(Drain().empty());
  Tick();  // the next tick finds it unfinished
  Pass(1);
  const BurstBlock block = DrainOne();
  EXPECT_EQ(block.flags, BurstBlock::kLast);
  EXPECT_EQ(block.events, 5u);
  EXPECT_EQ(block.tail_calls, 0u);
}

TEST_F(BurstTest, ATailEndsWhereCallsAreRare) {
  parameters_.samples = 1;
  parameters_.stride = 1;
  parameters_.tail_every = 1;
  Tick();
  EXPECT_EQ(Pass(256), 0);
  timespec time = {0, 2000000};
  nanosleep(&time, nullptr);
  Pass(1);
  const BurstBlock block = DrainOne();
  EXPECT_EQ(block.tail_calls, 256u);
  EXPECT_LT(block.tail_cpu_ns, 1000000u) << "asleep";
}

// What MarkKeeper goes by.
TEST_F(BurstTest, SaysWhenItIsTimedAndWhenItIsComplete) {
  parameters_.samples = 20;
  parameters_.stride = 1;
  parameters_.tail_every = 1;
  parameters_.split = true;
  Tick();
  Pass(5);
  EXPECT_FALSE(slot_.is_timed);
  slot_.restored += 7;  // before the tail: not of it
  Pass(10);
  EXPECT_TRUE(slot_.is_timed);
  slot_.restored += 3;
  EXPECT_NE(slot_.done_tick, slot_.tick_number);
  EXPECT_GT(Pass(1000), 0);
  EXPECT_FALSE(slot_.is_timed);
  EXPECT_EQ(slot_.done_tick, slot_.tick_number);
  EXPECT_EQ(DrainOne().tail_restored, 3);
  Tick();
  EXPECT_NE(slot_.done_tick, slot_.tick_number) << "of the burst before";
  Pass(15);
  EXPECT_TRUE(slot_.is_timed);
  Tick();
  Pass(1);
  EXPECT_FALSE(slot_.is_timed) << "the tail was cut";
}

TEST_F(BurstTest, FastTicksHaveFewTails) {
  parameters_.samples = 1;
  parameters_.stride = 1;
  parameters_.tail_every = 40;
  int tails = 0;
  for (int i = 0; i < 4000; i++) {
    Tick();
    Pass(1000);
    const BurstBlock block = DrainOne();
    EXPECT_EQ(block.tail_wanted == 1, block.tail_calls > 0);
    tails += block.tail_calls > 0;
  }
  EXPECT_GT(tails, 50);
  EXPECT_LT(tails, 150);
}

TEST_F(BurstTest, LongBurstsComeInPieces) {
  parameters_.samples = 120;
  parameters_.stride = 1;
  Tick();
  EXPECT_EQ(Pass(1000), 120);
  auto blocks = Drain();
  ASSERT_EQ(blocks.size(), 3u);
  EXPECT_EQ(blocks[0].count + blocks[1].count + blocks[2].count, 120);
  EXPECT_EQ(blocks[0].flags, 0);
  EXPECT_EQ(blocks[2].flags, BurstBlock::kLast);
  EXPECT_EQ(blocks[2].events, 120u);
}

TEST_F(BurstTest, ANewTickCutsABurstThatTheVmInterrupted) {
  parameters_.samples = 10;
  parameters_.stride = 1;
  Tick();
  slot_.java_ns = 700;
  Pass(4);
  uint64_t seen = __rdtsc();
  Tick();
  slot_.java_ns = 900;
  Pass(10);
  auto blocks = Drain();
  ASSERT_EQ(blocks.size(), 2u);
  EXPECT_EQ(blocks[0].count, 4);
  EXPECT_EQ(blocks[0].flags, BurstBlock::kLast | BurstBlock::kCut);
  // It ended with its last sample, and the new burst keeps its own interval.
  EXPECT_LE(blocks[0].last_tsc, seen);
  EXPECT_EQ(blocks[0].interval_ns, 700u);
  EXPECT_EQ(blocks[1].interval_ns, 900u);
}

// Calls skipped after the last sample are not timed, so they do not count either.
TEST_F(BurstTest, ACutBurstCountsUpToItsLastSample) {
  parameters_.samples = 10;
  parameters_.stride = 3;
  Tick();
  int taken = 0, at_last = 0;
  for (int i = 1; i <= 8; i++) {
    if (!recorder_.OnCall(slot_)) continue;
    recorder_.Took(slot_, 5);
    taken++;
    at_last = i;
  }
  recorder_.Cut(slot_);
  auto blocks = Drain();
  ASSERT_EQ(blocks.size(), 1u);
  EXPECT_EQ(blocks[0].count, taken);
  EXPECT_EQ(blocks[0].events, static_cast<uint32_t>(at_last));
}

TEST_F(BurstTest, FailedSamplesCountButCarryNoId) {
  parameters_.samples = 3;
  parameters_.stride = 1;
  Tick();
  for (int i = 0; i < 3; i++) {
    ASSERT_TRUE(recorder_.OnCall(slot_));
    recorder_.Took(slot_, i == 1 ? BurstRecorder::kNoId : 7);
  }
  auto blocks = Drain();
  ASSERT_EQ(blocks.size(), 1u);
  EXPECT_EQ(blocks[0].count, 2);
  EXPECT_EQ(blocks[0].failed, 1u);
}

TEST_F(BurstTest, ParametersChangeBetweenBursts) {
  parameters_.samples = 2;
  parameters_.stride = 1;
  Tick();
  EXPECT_EQ(Pass(100), 2);
  parameters_.samples = 4;
  Tick();
  EXPECT_EQ(Pass(100), 4);
}

TEST_F(BurstTest, AFullQueueDropsTheBurstAndKeepsItsInterval) {
  parameters_.samples = 1;
  parameters_.stride = 1;
  BurstBlock filler{};
  while (queue_.Push(filler)) {
  }
  slot_.java_ns = 500;
  Tick();
  Pass(1);
  EXPECT_EQ(recorder_.dropped(), 1u);
  EXPECT_EQ(slot_.java_ns, 500u);
}

TEST_F(BurstTest, QueueKeepsEveryBlockOfManyThreads) {
  constexpr int kThreads = 4, kEach = 20000;
  std::atomic<int> running{kThreads};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; t++) {
    threads.emplace_back([&, t] {
      BurstBlock block{};
      block.thread = t;
      for (int i = 0; i < kEach; i++) {
        block.events = i;
        while (!queue_.Push(block)) std::this_thread::yield();
      }
      running--;
    });
  }
  std::vector<uint32_t> next(kThreads, 0);
  BurstBlock block;
  for (int received = 0; received < kThreads * kEach;) {
    if (!queue_.Pop(&block)) continue;
    ASSERT_EQ(block.events, next[block.thread]++) << "order within a thread";
    received++;
  }
  for (auto& thread : threads) thread.join();
  EXPECT_FALSE(queue_.Pop(&block));
}

}  // namespace
}  // namespace assay::sampling
