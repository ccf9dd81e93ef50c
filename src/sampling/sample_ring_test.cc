#include "src/sampling/sample_ring.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <vector>

#include "src/sampling/mapped_memory.h"

namespace assay::sampling {
namespace {

constexpr uint32_t kCells = 1 << 16;

class SampleRingTest : public testing::Test {
 protected:
  SampleRingTest() {
    EXPECT_TRUE(MapZeroed(&memory_, kCells));
    ring_.Use(memory_, kCells);
  }
  ~SampleRingTest() override { munmap(memory_, kCells * sizeof(RawFrame)); }

  bool Put(uint32_t frames, uint64_t first) {
    if (!ring_.HasRoom(frames + 2)) return false;
    ring_.PutHeader({.frames = frames, .weight_ns = first});
    for (uint32_t i = 0; i < frames; i++) ring_.Put(2 + i, {first + i, ~first});
    ring_.Publish(frames + 2);
    return true;
  }
  // What Put() put there, whole.
  void Take(uint32_t frames, uint64_t first) {
    SampleHeader header;
    ASSERT_TRUE(ring_.Peek(&header));
    ASSERT_EQ(header.frames, frames);
    ASSERT_EQ(header.weight_ns, first);
    for (uint32_t i = 0; i < frames; i++) {
      ASSERT_EQ(ring_.Get(2 + i).a, first + i);
      ASSERT_EQ(ring_.Get(2 + i).b, ~first);
    }
    ring_.Consume(header);
  }
  size_t ResidentPages() {
    std::vector<unsigned char> pages(kCells / SampleRing::kPage);
    EXPECT_EQ(mincore(memory_, kCells * sizeof(RawFrame), pages.data()), 0);
    size_t resident = 0;
    for (unsigned char page : pages) resident += page & 1;
    return resident;
  }

  RawFrame* memory_ = nullptr;
  SampleRing ring_;
};

TEST_F(SampleRingTest, HandsOverSamplesOfDifferentLengths) {
  std::vector<RawFrame> memory(16);
  SampleRing ring;
  ring.Use(memory.data(), 16);
  uint64_t sent = 0, received = 0;
  for (int round = 0; round < 100; round++) {
    for (uint32_t length = round % 5; ring.HasRoom(2 + length); length = (length + 1) % 5) {
      for (uint32_t i = 0; i < length; i++) ring.Put(2 + i, {sent, i});
      ring.PutHeader({.frames = length, .weight_ns = sent++});
      ring.Publish(2 + length);
    }
    SampleHeader header;
    for (int i = 0; i < 1 + round % 3 && ring.Peek(&header); i++) {
      EXPECT_EQ(header.weight_ns, received);
      for (uint32_t f = 0; f < header.frames; f++) {
        EXPECT_EQ(ring.Get(2 + f), (RawFrame{received, f}));
      }
      ring.Consume(header);
      received++;
    }
  }
  EXPECT_GT(received, 50u);
}

TEST_F(SampleRingTest, GoesRoundWithoutHoldingItsMemory) {
  for (uint64_t n = 1; n < 60000; n++) {
    const uint32_t frames = n % 37;
    ASSERT_TRUE(Put(frames, n));
    ASSERT_NO_FATAL_FAILURE(Take(frames, n));
    if (n % 1000 != 0) continue;
    ASSERT_LE(ResidentPages(), SampleRing::kStep / SampleRing::kPage + 2) << n;
  }
}

TEST_F(SampleRingTest, KeepsWhatIsNotReadWhenFull) {
  uint64_t put = 0, taken = 0;
  for (int round = 0; round < 50; round++) {
    while (Put(29, put)) put++;
    EXPECT_GT((put - taken) * 31, kCells - SampleRing::kStep - 2 * SampleRing::kPage);
    for (int i = 0; i < 700 + round * 13; i++, taken++) ASSERT_NO_FATAL_FAILURE(Take(29, taken));
  }
  for (; taken < put; taken++) ASSERT_NO_FATAL_FAILURE(Take(29, taken));
  SampleHeader header;
  EXPECT_FALSE(ring_.Peek(&header));
}

}  // namespace
}  // namespace assay::sampling
