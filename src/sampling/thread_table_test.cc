#include "src/sampling/thread_table.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <thread>

namespace assay::sampling {
namespace {

std::unique_ptr<ThreadTable> NewTable() {
  auto table = std::make_unique<ThreadTable>();
  EXPECT_TRUE(table->Init());
  return table;
}

TEST(ThreadTable, FindsWhatWasAdded) {
  auto table = NewTable();
  EXPECT_EQ(table->Find(0x1000), nullptr);
  ThreadSlot* slot = table->Add(0x1000);
  ASSERT_NE(slot, nullptr);
  EXPECT_EQ(table->Find(0x1000), slot);
  EXPECT_EQ(table->Add(0x1000), slot);
  table->Remove(0x1000);
  EXPECT_EQ(table->Find(0x1000), nullptr);
}

TEST(ThreadTable, ThousandsOfThreadsComeAndGoInLittleSpace) {
  auto table = NewTable();
  for (int round = 0; round < 50; round++) {
    std::set<ThreadSlot*> slots;
    for (uintptr_t i = 1; i <= 5000; i++) slots.insert(table->Add((i + round * 7) * 0x3c0));
    EXPECT_EQ(slots.size(), 5000u);
    EXPECT_FALSE(slots.contains(nullptr));
    EXPECT_EQ(table->live(), 5000u);
    for (uintptr_t i = 1; i <= 5000; i++) table->Remove((i + round * 7) * 0x3c0);
  }
  EXPECT_EQ(table->live(), 0u);
  EXPECT_LE(table->high_water(), 5000u) << "slots are reused";
}

TEST(ThreadTable, NumbersAreNeverReused) {
  auto table = NewTable();
  uint32_t first = table->Add(0x1000)->number;
  table->Remove(0x1000);
  EXPECT_NE(table->Add(0x1000)->number, first);
}

TEST(ThreadTable, AFullTableRefuses) {
  auto table = NewTable();
  uint32_t added = 0;
  for (uintptr_t i = 1; i <= ThreadTable::kSlots + 100; i++) added += table->Add(i * 0x3c0) != nullptr;
  EXPECT_EQ(added, ThreadTable::kSlots);
  EXPECT_NE(table->Find(0x3c0), nullptr);
}

// After Remove() returns, the ticker must not touch the thread: its memory is freed next.
TEST(ThreadTable, RemoveWaitsForTheTicker) {
  auto table = NewTable();
  std::atomic<bool> stop{false};
  std::atomic<uintptr_t> freed{0};
  std::atomic<int> touched_after_free{0};
  std::thread ticker([&] {
    while (!stop) {
      for (uint32_t i = 0; i < table->high_water(); i++) {
        SlotPin pin(table->slot(i));
        if (pin.thread() == 0) continue;
        for (int spin = 0; spin < 20; spin++) {
          if (freed.load() == pin.thread()) touched_after_free++;
        }
      }
    }
  });
  for (uintptr_t i = 1; i <= 20000; i++) {
    table->Add(i * 0x3c0);
    table->Remove(i * 0x3c0);
    freed = i * 0x3c0;
  }
  stop = true;
  ticker.join();
  EXPECT_EQ(touched_after_free, 0);
}

}  // namespace
}  // namespace assay::sampling
