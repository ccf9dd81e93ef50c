#include "src/base/sparse_vector.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(SparseVector, HoldsOnlyWhatWasWritten) {
  SparseVector<int> vector;
  vector[4000000000u] = 7;
  vector[3]++;
  const SparseVector<int>& read = vector;
  EXPECT_EQ(read[4000000000u], 7);
  EXPECT_EQ(read[3], 1);
  EXPECT_EQ(read[4], 0);
  EXPECT_EQ(vector.used(), 2u);
  vector.Erase(3);
  EXPECT_EQ(read[3], 0);
  EXPECT_EQ(vector.used(), 1u);
}

}  // namespace
}  // namespace assay
