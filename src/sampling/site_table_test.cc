#include "src/sampling/site_table.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <thread>
#include <vector>

namespace assay::sampling {
namespace {

std::unique_ptr<SiteTable> NewTable() {
  auto table = std::make_unique<SiteTable>();
  EXPECT_TRUE(table->Init());
  return table;
}

TEST(SiteTable, SameKeySameId) {
  auto table = NewTable();
  uint32_t id = table->FindOrAdd(0x1000, 0x2000);
  EXPECT_EQ(table->FindOrAdd(0x1000, 0x2000), id);
  EXPECT_NE(table->FindOrAdd(0x2000, 0x1000), id);
  SiteTable::Key key;
  ASSERT_TRUE(table->Get(id, &key));
  EXPECT_EQ(key.a, 0x1000u);
  EXPECT_EQ(key.b, 0x2000u);
}

TEST(SiteTable, ARetiredIdIsNeverTakenForItsSuccessor) {
  auto table = NewTable();
  uint32_t old_id = table->FindOrAdd(0x1000, 0x2000);
  table->SetWantsWalk(old_id);
  table->Retire(SiteTable::IndexOf(old_id));
  SiteTable::Key key;
  EXPECT_FALSE(table->Get(old_id, &key));
  uint32_t new_id = table->FindOrAdd(0x1000, 0x2000);
  EXPECT_NE(new_id, old_id);
  EXPECT_FALSE(table->WantsWalk(new_id));
  EXPECT_TRUE(table->Get(new_id, &key));
  EXPECT_FALSE(table->Get(old_id, &key));
}

TEST(SiteTable, RetiringOneDoesNotHideOthersOfItsChain) {
  auto table = NewTable();
  std::vector<uint32_t> ids;
  for (uint64_t i = 1; i <= 100000; i++) ids.push_back(table->FindOrAdd(i * 16, i * 32));
  for (size_t i = 0; i < ids.size(); i += 2) table->Retire(SiteTable::IndexOf(ids[i]));
  for (size_t i = 1; i < ids.size(); i += 2) {
    ASSERT_EQ(table->FindOrAdd((i + 1) * 16, (i + 1) * 32), ids[i]);
  }
}

TEST(SiteTable, PlacesOfRetiredSitesAreUsedAgain) {
  auto table = NewTable();
  for (int round = 0; round < 40; round++) {
    for (uint64_t i = 1; i <= 50000; i++) {
      ASSERT_NE(table->FindOrAdd((i + round * 50000) * 16, 7), SiteTable::kNoId);
    }
    table->RetireAll();
  }
  EXPECT_EQ(table->full(), 0u);
}

TEST(SiteTable, AFullTableRefusesAndCounts) {
  auto table = NewTable();
  uint64_t refused = 0;
  for (uint64_t i = 1; i <= 2 * SiteTable::kEntries; i++) {
    refused += table->FindOrAdd(i * 16, 5) == SiteTable::kNoId;
  }
  EXPECT_GE(refused, uint64_t{SiteTable::kEntries});
  EXPECT_EQ(table->full(), refused);
}

TEST(SiteTable, WalkedFramesAreKept) {
  auto table = NewTable();
  WalkedFrame frames[] = {{0x10, 5}, {0x20, -1}, {0x30, 70000}};
  uint32_t id = table->FindOrAddWalked(0x1000, frames, 3);
  EXPECT_EQ(table->FindOrAddWalked(0x1000, frames, 3), id);
  EXPECT_NE(table->FindOrAddWalked(0x1000, frames, 2), id);
  frames[2].bci = 1;
  EXPECT_NE(table->FindOrAddWalked(0x1000, frames, 3), id);
  SiteTable::Key key;
  ASSERT_TRUE(table->Get(id, &key));
  uint32_t count;
  const WalkedFrame* kept = table->FramesOfWalk(key, &count);
  ASSERT_EQ(count, 3u);
  EXPECT_EQ(kept[2].bci, 70000);
  EXPECT_EQ(kept[1].method, 0x20u);
  EXPECT_EQ(table->CalleeOfWalk(key), 0x1000u);
}

TEST(SiteTable, ConcurrentCountsAddUp) {
  auto table = NewTable();
  constexpr int kThreads = 4, kRounds = 20000, kSites = 300;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; t++) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kRounds; i++) {
        uint64_t site = 1 + i % kSites;
        table->Count(table->FindOrAdd(site * 16, site), t);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  uint64_t total = 0;
  std::set<uint32_t> places;
  for (uint32_t at = 0; at < table->used(); at++) {
    places.insert(table->index(at));
    total += table->TakeCount(table->index(at));
  }
  EXPECT_EQ(places.size(), table->used()) << "each place is listed once";
  EXPECT_EQ(total, uint64_t{kThreads} * kRounds);
}

}  // namespace
}  // namespace assay::sampling
