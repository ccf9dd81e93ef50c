#include "src/sampling/thread_states.h"

#include <gtest/gtest.h>

#include <set>

namespace assay::sampling {
namespace {

using Kind = ThreadStates::Kind;

// As vmStructs of JDK 17 to 27 and of JDK 28 have them.
constexpr ThreadStates kUntil27 = {
    .native = 4, .native_trans = 5, .vm = 6, .vm_trans = 7, .java = 8, .java_trans = 9};
constexpr ThreadStates kSince28 = {.native = 2, .vm = 3, .java = 4};

struct FakeThread {
  int32_t state;
  uintptr_t address() const { return reinterpret_cast<uintptr_t>(&state); }
};

std::set<int32_t> Those(bool (ThreadStates::*question)(uintptr_t) const, const ThreadStates& states) {
  std::set<int32_t> found;
  for (int32_t state = 0; state < 13; state++) {
    if ((states.*question)(FakeThread{state}.address())) found.insert(state);
  }
  return found;
}

TEST(ThreadStates, OfTheVmsWithTransitions) {
  EXPECT_EQ(Those(&ThreadStates::IsInJava, kUntil27), (std::set<int32_t>{8}));
  EXPECT_EQ(Those(&ThreadStates::IsRunning, kUntil27), (std::set<int32_t>{5, 6, 7, 8, 9}));
  EXPECT_EQ(kUntil27.KindOf(FakeThread{9}.address()), Kind::kJava);
  EXPECT_EQ(kUntil27.KindOf(FakeThread{7}.address()), Kind::kVm);
  EXPECT_EQ(kUntil27.KindOf(FakeThread{5}.address()), Kind::kNative);
  EXPECT_EQ(kUntil27.KindOf(FakeThread{10}.address()), Kind::kOther);
}

TEST(ThreadStates, OfAVmWithout) {
  EXPECT_EQ(Those(&ThreadStates::IsInJava, kSince28), (std::set<int32_t>{4}));
  EXPECT_EQ(Those(&ThreadStates::IsRunning, kSince28), (std::set<int32_t>{3, 4}));
  EXPECT_EQ(kSince28.KindOf(FakeThread{2}.address()), Kind::kNative);
  EXPECT_EQ(kSince28.KindOf(FakeThread{5}.address()), Kind::kOther) << "blocked";
}

}  // namespace
}  // namespace assay::sampling
