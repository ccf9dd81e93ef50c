#include "src/sampling/hotspot/method_ids.h"

#include <gtest/gtest.h>

#include <deque>

namespace assay::sampling {
namespace {

// What a VM keeps of a class with methods, as far as their ids are concerned.
struct FakeClass {
  struct Klass {
    uintptr_t header = 0, *ids;
  };
  struct Pool {
    uintptr_t header = 0;
    Klass* holder;
  };
  struct Details {
    Pool* constants;
    uint16_t number, rest[3];
  };
  struct Method {
    uintptr_t header = 0;
    Details* details;
  };

  explicit FakeClass(uint16_t count) {
    ids.push_back(count);
    for (uint16_t i = 0; i < count; i++) {
      ids.push_back(1000u + i);  // a number and no address, as since JDK 26
      details.push_back({&pool, i, {}});
      methods.push_back({0, &details.back()});
      known.ids.push_back(reinterpret_cast<jmethodID>(ids.back()));
      known.methods.push_back(reinterpret_cast<uintptr_t>(&methods.back()));
    }
    klass.ids = ids.data();
  }

  std::vector<uintptr_t> ids;  // their number, then each by the method's
  Klass klass{0, nullptr};
  Pool pool{0, &klass};
  std::deque<Details> details;
  std::deque<Method> methods;
  KnownMethods known;
};

constexpr MethodIds::Layout kLayout = {.const_method = offsetof(FakeClass::Method, details),
                                       .constants = offsetof(FakeClass::Details, constants),
                                       .id_number = offsetof(FakeClass::Details, number),
                                       .holder = offsetof(FakeClass::Pool, holder),
                                       .ids = offsetof(FakeClass::Klass, ids)};

TEST(MethodIds, FindsIdsThatAreNoAddresses) {
  FakeClass fake(100);
  MethodIds ids;
  ASSERT_TRUE(ids.Prove(kLayout, fake.known).ok());
  for (size_t i = 0; i < 100; i++) EXPECT_EQ(ids.Find(fake.known.methods[i]), fake.known.ids[i]);
}

TEST(MethodIds, AMethodMayHaveNoId) {
  FakeClass fake(100);
  fake.ids[1 + 3] = 0;
  fake.known.ids.erase(fake.known.ids.begin() + 3);
  MethodIds ids;
  ASSERT_TRUE(ids.Prove(kLayout, fake.known).ok());
  EXPECT_EQ(ids.Find(fake.known.methods[3]), nullptr);
}

// Each of these would be a crash of the JVM if it were believed.
TEST(MethodIds, RefusesWhatIsLaidOutOtherwise) {
  for (uint64_t MethodIds::Layout::*field :
       {&MethodIds::Layout::const_method, &MethodIds::Layout::constants, &MethodIds::Layout::holder, &MethodIds::Layout::ids}) {
    for (uint64_t elsewhere : {uint64_t{0}, uint64_t{1} << 40}) {
      FakeClass fake(100);
      MethodIds::Layout layout = kLayout;
      layout.*field = layout.*field == elsewhere ? 8 : elsewhere;
      EXPECT_FALSE(MethodIds().Prove(layout, fake.known).ok());
    }
  }
}

TEST(MethodIds, RefusesNumbersInPlaceOfAddresses) {
  for (uintptr_t number : {uintptr_t{5}, uintptr_t{8}, uintptr_t{0xdead'beef'dead'bee8}}) {
    FakeClass fake(100);
    for (uintptr_t& method : fake.known.methods) method = number;
    EXPECT_FALSE(MethodIds().Prove(kLayout, fake.known).ok());
  }
}

TEST(MethodIds, RefusesIdsThatJvmtiDoesNotKnow) {
  FakeClass fake(100);
  for (size_t i = 0; i < 100; i++) fake.ids[1 + i] += 7;
  EXPECT_FALSE(MethodIds().Prove(kLayout, fake.known).ok());
}

TEST(MethodIds, RefusesAClassWithoutMethods) {
  EXPECT_FALSE(MethodIds().Prove(kLayout, KnownMethods{}).ok());
}

}  // namespace
}  // namespace assay::sampling
