#include "src/sampling/readable_memory.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

namespace assay::sampling {
namespace {

TEST(ReadableMemory, TellsWhatCanBeRead) {
  constexpr size_t kPage = 4096;
  auto* pages = static_cast<char*>(mmap(nullptr, 2 * kPage, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(pages, MAP_FAILED);
  ASSERT_EQ(mprotect(pages + kPage, kPage, PROT_NONE), 0);
  const auto address = reinterpret_cast<uintptr_t>(pages);
  ReadableMemory memory;
  for (int round = 0; round < 20000; round++) ASSERT_TRUE(memory.Has(address, 8)) << "the pipe never fills";
  EXPECT_TRUE(memory.Has(address + kPage - 8, 8));
  EXPECT_FALSE(memory.Has(address + kPage - 4, 8)) << "the second half cannot";
  EXPECT_FALSE(memory.Has(address + kPage, 8));
  EXPECT_FALSE(memory.Has(0, 8));
  EXPECT_FALSE(memory.Has(5, 8)) << "a number that was taken for a pointer";
  EXPECT_FALSE(memory.Has(0xdead'beef'dead'beef, 8)) << "no address at all";
  EXPECT_TRUE(memory.Has(address + kPage - 8, 8)) << "and after all those";
  munmap(pages, 2 * kPage);
}

}  // namespace
}  // namespace assay::sampling
