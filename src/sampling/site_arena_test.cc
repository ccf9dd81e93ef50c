#include "src/sampling/site_arena.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

namespace assay::sampling {
namespace {

std::unique_ptr<SiteArena> NewArena() {
  auto arena = std::make_unique<SiteArena>();
  EXPECT_TRUE(arena->Init());
  return arena;
}

TEST(SiteArena, BlocksDoNotOverlap) {
  auto arena = NewArena();
  std::vector<std::pair<uint32_t, size_t>> blocks;
  for (size_t bytes : {1, 64, 65, 128, 500, 2048, 64}) {
    uint32_t block = arena->Take(bytes);
    ASSERT_NE(block, SiteArena::kNone);
    memset(arena->At(block), static_cast<int>(blocks.size()), bytes);
    blocks.push_back({block, bytes});
  }
  for (size_t i = 0; i < blocks.size(); i++) {
    auto* bytes = static_cast<unsigned char*>(arena->At(blocks[i].first));
    for (size_t k = 0; k < blocks[i].second; k++) ASSERT_EQ(bytes[k], i);
  }
}

TEST(SiteArena, WhatIsGivenBackIsUsedAgain) {
  auto arena = NewArena();
  for (uint32_t round = 0; round < 3 * SiteArena::kUnits; round++) {
    uint32_t block = arena->Take(100);
    ASSERT_NE(block, SiteArena::kNone) << "after " << round;
    arena->Give(block, 100);
  }
}

TEST(SiteArena, RefusesWhenFullAndWhatIsTooLarge) {
  auto arena = NewArena();
  EXPECT_EQ(arena->Take(2049), SiteArena::kNone);
  uint32_t taken = 0;
  while (arena->Take(64) != SiteArena::kNone) taken++;
  EXPECT_EQ(taken, SiteArena::kUnits - 1);
}

TEST(SiteArena, ThreadsNeverShareABlock) {
  auto arena = NewArena();
  std::vector<std::thread> threads;
  std::atomic<bool> shared{false};
  for (uint32_t t = 1; t <= 4; t++) {
    threads.emplace_back([&, t] {
      for (int round = 0; round < 20000; round++) {
        uint32_t mine[3];
        for (uint32_t& block : mine) {
          block = arena->Take(60);
          auto* words = static_cast<volatile uint32_t*>(arena->At(block));
          for (int i = 0; i < 15; i++) words[i] = t;
        }
        for (uint32_t block : mine) {
          auto* words = static_cast<volatile uint32_t*>(arena->At(block));
          for (int i = 0; i < 15; i++) shared = shared || words[i] != t;
          arena->Give(block, 60);
        }
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_FALSE(shared);
}

}  // namespace
}  // namespace assay::sampling
