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

// With a meaning that tells the site.
uint32_t FindOrAdd(SiteTable& table, uint64_t a, uint64_t b) {
  uint32_t id = table.Find({a, b});
  if (id != SiteTable::kNoId) return id;
  WalkedFrame frames[] = {{a, -1}, {b, 7}};
  uintptr_t code[] = {a};
  return table.Add({a, b}, {.frames = frames, .code = code});
}

TEST(SiteTable, SameKeySameId) {
  auto table = NewTable();
  EXPECT_EQ(table->Find({0x1000, 0x2000}), SiteTable::kNoId);
  uint32_t id = FindOrAdd(*table, 0x1000, 0x2000);
  EXPECT_EQ(table->Find({0x1000, 0x2000}), id);
  EXPECT_NE(FindOrAdd(*table, 0x2000, 0x1000), id);
  SiteMeaning site;
  ASSERT_TRUE(table->Get(id, &site));
  ASSERT_EQ(site.frames.size(), 2u);
  EXPECT_EQ(site.frames[0].method, 0x1000u);
  EXPECT_EQ(site.frames[1].method, 0x2000u);
  EXPECT_EQ(site.frames[1].bci, 7);
  ASSERT_EQ(site.code.size(), 1u);
  EXPECT_EQ(site.code[0], 0x1000u);
}

TEST(SiteTable, ARetiredIdIsNeverTakenForItsSuccessor) {
  auto table = NewTable();
  uint32_t old_id = FindOrAdd(*table, 0x1000, 0x2000);
  EXPECT_TRUE(table->Holds(old_id));
  table->Retire(SiteTable::IndexOf(old_id));
  SiteMeaning site;
  EXPECT_FALSE(table->Get(old_id, &site));
  EXPECT_FALSE(table->Holds(old_id));
  uint32_t new_id = FindOrAdd(*table, 0x1000, 0x2000);
  EXPECT_NE(new_id, old_id);
  EXPECT_TRUE(table->Get(new_id, &site));
  EXPECT_TRUE(table->Holds(new_id));
  EXPECT_FALSE(table->Get(old_id, &site));
  EXPECT_FALSE(table->Holds(old_id));
}

TEST(SiteTable, RetiringOneDoesNotHideOthersOfItsChain) {
  auto table = NewTable();
  std::vector<uint32_t> ids;
  for (uint64_t i = 1; i <= 100000; i++) ids.push_back(FindOrAdd(*table, i * 16, i * 32));
  for (size_t i = 0; i < ids.size(); i += 2) table->Retire(SiteTable::IndexOf(ids[i]));
  for (size_t i = 1; i < ids.size(); i += 2) {
    ASSERT_EQ(FindOrAdd(*table, (i + 1) * 16, (i + 1) * 32), ids[i]);
  }
}

TEST(SiteTable, PlacesOfRetiredSitesAreUsedAgain) {
  auto table = NewTable();
  for (int round = 0; round < 40; round++) {
    for (uint64_t i = 1; i <= 50000; i++) {
      ASSERT_NE(FindOrAdd(*table, (i + round * 50000) * 16, 7), SiteTable::kNoId);
    }
    table->RetireAll();
  }
  EXPECT_EQ(table->full(), 0u);
}

TEST(SiteTable, AFullTableRefusesAndCounts) {
  auto table = NewTable();
  uint64_t refused = 0;
  for (uint64_t i = 1; i <= 2 * SiteTable::kEntries; i++) {
    refused += FindOrAdd(*table, i * 16, 5) == SiteTable::kNoId;
  }
  EXPECT_GE(refused, uint64_t{SiteTable::kEntries});
  EXPECT_EQ(table->full(), refused);
}

TEST(SiteTable, LongChainsAreKept) {
  auto table = NewTable();
  for (size_t length : {2u, 3u, 17u, SiteTable::kMaxFrames}) {
    std::vector<WalkedFrame> frames;
    std::vector<uintptr_t> code;
    SiteTable::Key key{0x1000, 0x2000};
    for (size_t i = 0; i < length; i++) {
      frames.push_back({0x10 * i, static_cast<int32_t>(70000 - i)});
      code.push_back(0x100 * i);
      key = SiteTable::Longer(key, code.back());
    }
    EXPECT_EQ(table->Find(key), SiteTable::kNoId);
    uint32_t id = table->Add(key, {.frames = frames, .code = code});
    EXPECT_EQ(table->Find(key), id);
    SiteMeaning site;
    ASSERT_TRUE(table->Get(id, &site));
    ASSERT_EQ(site.frames.size(), length);
    ASSERT_EQ(site.code.size(), length);
    EXPECT_EQ(site.frames.back().bci, frames.back().bci);
    EXPECT_EQ(site.code.back(), code.back());
  }
}

TEST(SiteTable, TellsWhatWasAddedLast) {
  auto table = NewTable();
  EXPECT_EQ(table->added(), 0u);
  EXPECT_EQ(table->recent(0), SiteTable::kNoId);
  std::vector<uint32_t> ids;
  for (uint64_t i = 1; i <= SiteTable::kRecent + 100; i++) ids.push_back(FindOrAdd(*table, i * 16, 5));
  FindOrAdd(*table, 16, 5);
  ASSERT_EQ(table->added(), ids.size());
  for (size_t i = 100; i < ids.size(); i++) ASSERT_EQ(table->recent(i), ids[i]);
}

TEST(SiteTable, FramesAloneTellSites) {
  WalkedFrame frames[] = {{0x10, 5}, {0x20, -1}, {0x30, 70000}};
  SiteTable::Key key = SiteTable::KeyOf(frames);
  EXPECT_EQ(SiteTable::KeyOf(frames), key);
  EXPECT_NE(SiteTable::KeyOf({frames, 2}), key);
  frames[2].bci = 1;
  EXPECT_NE(SiteTable::KeyOf(frames), key);
}

TEST(SiteTable, ConcurrentCountsAddUp) {
  auto table = NewTable();
  constexpr int kThreads = 4, kRounds = 20000, kSites = 300;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; t++) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kRounds; i++) {
        uint64_t site = 1 + i % kSites;
        table->Count(FindOrAdd(*table, site * 16, site), t);
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
