#include "src/agent/exact_memory.h"

#include <gtest/gtest.h>

#include <map>
#include <thread>

#include "src/agent/exact_snapshot.h"

namespace assay::agent {
namespace {

TEST(ExactMemory, ChildrenAreFoundAgainAndDistinct) {
  ExactMemory memory(1 << 20);
  std::map<uint64_t, ExactNode*> seen;
  for (uint64_t key = 1; key < 5000; ++key)
    seen[key << 20] = memory.Child(memory.root(), key << 20);
  for (const auto& [key, node] : seen) {
    EXPECT_EQ(memory.Child(memory.root(), key), node);
    EXPECT_EQ(node->key, key);
  }
  EXPECT_EQ(memory.nodes(), 4999u + 2);
  EXPECT_EQ(memory.dropped(), 0u);
}

TEST(ExactMemory, PastTheBudgetOnlyEdgesAreKept) {
  ExactMemory memory(10);
  ExactNode* node = memory.root();
  for (int depth = 0; depth < 100; ++depth) node = memory.Child(node, 7);
  EXPECT_GT(memory.dropped(), 0u);
  EXPECT_EQ(memory.Child(node, 7), memory.Child(memory.overflow(), 7)) << "one node per edge";
}

TEST(ExactMemory, ANewSessionCountsFromZero) {
  ExactMemory memory(10);
  ExactNode* node = memory.root();
  for (int depth = 0; depth < 100; ++depth) node = memory.Child(node, 7);
  node->calls = 5;
  ResetCounts(memory);
  EXPECT_EQ(node->calls, 0u);
  EXPECT_EQ(memory.dropped(), 0u);
}

TEST(ExactMemory, ConcurrentInsertsAgree) {
  ExactMemory memory(1 << 22);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&memory] {
      for (uint64_t round = 0; round < 20; ++round) {
        for (uint64_t key = 1; key < 2000; ++key) {
          memory.Child(memory.root(), key * 0x100001)->calls.fetch_add(1);
        }
      }
    });
  }
  for (auto& thread : threads) thread.join();
  for (uint64_t key = 1; key < 2000; ++key) {
    EXPECT_EQ(memory.Child(memory.root(), key * 0x100001)->calls.load(), 80u);
  }
}

TEST(ExactMemory, FramesContinueAcrossChunksBothWays) {
  ExactMemory memory(100);
  ExactState* state = memory.OpenThread(42);
  ASSERT_NE(state, nullptr);
  std::vector<ExactFrame*> frames;
  auto push = [&] {
    ExactFrame* frame =
        state->top == nullptr ? state->first
        : state->top >= state->first && reinterpret_cast<uint8_t*>(state->top + 2) <= state->limit
            ? state->top + 1
            : memory.GrowStack(state);
    ASSERT_NE(frame, nullptr);
    frame->previous = state->top;
    state->top = frame;
    frames.push_back(frame);
  };
  for (int i = 0; i < 100000; ++i) push();
  std::vector<ExactFrame*> first_time = frames;
  while (frames.size() > 10) {
    state->top = frames.back()->previous;
    frames.pop_back();
  }
  while (frames.size() < 100000) push();
  EXPECT_EQ(frames, first_time);
  memory.CloseThread(state);
  EXPECT_EQ(memory.OpenThread(43), state) << "states are reused";
  EXPECT_EQ(state->top, nullptr);
}

}  // namespace
}  // namespace assay::agent
