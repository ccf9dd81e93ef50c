#include "src/base/sparse_vector.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace assay {
namespace {

TEST(SparseVector, HoldsOnlyWhatWasWritten) {
  SparseVector<int> vector;
  vector[200000] = 7;
  vector[3]++;
  const SparseVector<int>& read = vector;
  EXPECT_EQ(read[200000], 7);
  EXPECT_EQ(read[3], 1);
  EXPECT_EQ(read[4], 0);
  EXPECT_EQ(read[4000000000u], 0);
  EXPECT_EQ(vector.used(), 2u);
  vector.Erase(3);
  vector.Erase(3);
  vector.Erase(4000000000u);
  EXPECT_EQ(read[3], 0);
  EXPECT_EQ(vector.used(), 1u);
  vector[5]++;
  EXPECT_EQ(read[5], 1) << "what was in its place is still there";
}

TEST(SparseVector, AgreesWithAMap) {
  std::mt19937 random(1);
  SparseVector<uint64_t> vector;
  std::map<uint32_t, uint64_t> map;
  for (int i = 0; i < 20000; i++) {
    uint32_t index = random() % 3000;
    if (random() % 3 == 0) {
      vector.Erase(index);
      map.erase(index);
    } else {
      vector[index] += index + 1;
      map[index] += index + 1;
    }
    ASSERT_EQ(vector.used(), map.size());
  }
  const SparseVector<uint64_t>& read = vector;
  for (uint32_t index = 0; index < 3000; index++) {
    auto it = map.find(index);
    EXPECT_EQ(read[index], it == map.end() ? 0 : it->second);
  }
}

}  // namespace
}  // namespace assay
