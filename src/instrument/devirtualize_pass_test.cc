#include "src/instrument/devirtualize_pass.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/bytecode/decode.h"
#include "src/bytecode/encode.h"
#include "src/bytecode/test_method.h"

namespace assay::instrument {
namespace {

using bytecode::Code;
using bytecode::Element;
using bytecode::Op;
using bytecode::TestMethod;

uint8_t High(uint16_t index) { return static_cast<uint8_t>(index >> 8); }
uint8_t Low(uint16_t index) { return static_cast<uint8_t>(index); }

// static int m(A a, long b): return a.f(b, 2), with an optional instruction behind the call.
struct Caller : TestMethod {
  explicit Caller(uint16_t major = 61, ByteVector behind = {172}, std::string_view result = "I")
      : TestMethod(major, "(LA;J)I") {
    descriptor = "(JI)" + std::string(result);
    uint16_t call = *file.pool.AddMethodRef("A", "f", descriptor);
    ByteVector code = {42, 31, 5, 182, High(call), Low(call)};  // aload_0, lload_1, iconst_2
    code.insert(code.end(), behind.begin(), behind.end());
    SetCode(code);
    length = static_cast<uint32_t>(code.size());
  }
  GuardedSite Site(std::vector<Guarded> guards) const {
    return {"m", "(LA;J)I", length, 3, "f", descriptor, std::move(guards)};
  }
  std::string descriptor;
  uint32_t length = 0;
};

struct Result {
  bool changed = false;
  std::string outcome;
  Code code;
};

void Rewrite(Caller& caller, const GuardedSite& site, Result* result) {
  const GuardedSite sites[] = {site};
  DevirtualizePass pass(sites);
  ASSERT_TRUE(bytecode::DecodeCode(caller.file, caller.method(), result->code).ok());
  auto changed = pass.Apply(caller.file, caller.method(), result->code);
  result->outcome = pass.outcomes()[0];
  result->changed = changed.ok() && *changed;
  if (!result->changed) return;
  Status encoded = bytecode::EncodeCode(result->code, caller.file, caller.method());
  ASSERT_TRUE(encoded.ok()) << encoded.error().ToString();
  ASSERT_TRUE(bytecode::DecodeCode(caller.file, caller.method(), result->code).ok());
}

int Count(const Code& code, Op op) {
  int count = 0;
  for (const Element& element : code.elements) count += element.Is(op);
  return count;
}

TEST(Devirtualize, ClonesTheCallOncePerGuard) {
  for (uint16_t major : {49, 61}) {
    for (size_t guards : {1, 2}) {
      Caller caller(major);
      Result result;
      Rewrite(caller, caller.Site(std::vector<Guarded>(guards, {300})), &result);
      EXPECT_TRUE(result.changed) << result.outcome;
      EXPECT_EQ(result.outcome, "");
      std::vector<uint16_t> references;
      for (const Element& element : result.code.elements) {
        if (!element.Is(Op::kInvokevirtual)) continue;
        if (caller.file.pool.Member(element.index).name == "f") {
          references.push_back(element.index);
        }
      }
      EXPECT_EQ(references.size(), guards + 1);
      EXPECT_THAT(references, testing::Each(references[0]));  // the same symbolic reference
      EXPECT_EQ(Count(result.code, Op::kIfnull), 1);
      EXPECT_EQ(Count(result.code, Op::kIfAcmpne), static_cast<int>(guards));
      // The next guard or the original, and behind the calls.
      EXPECT_EQ(result.code.frames.size(), major == 61 ? guards + 1 : 0);
    }
  }
}

TEST(Devirtualize, LeavesWhatDoesNotFit) {
  const std::pair<const char*, std::function<void(GuardedSite*)>> kCases[] = {
      {"there is no such method", [](GuardedSite* site) { site->method = "gone"; }},
      {"not 99", [](GuardedSite* site) { site->code_bytes = 99; }},
      {"no instruction at this bci", [](GuardedSite* site) { site->bci = 4; }},
      {"no virtual call", [](GuardedSite* site) { site->bci = 2; }},
      {"the call is to f(JI)I", [](GuardedSite* site) { site->callee = "g"; }},
  };
  for (const auto& [message, change] : kCases) {
    Caller caller;
    GuardedSite site = caller.Site({{1}});
    change(&site);
    Result result;
    Rewrite(caller, site, &result);
    EXPECT_FALSE(result.changed);
    EXPECT_THAT(result.outcome, testing::HasSubstr(message));
  }
}

// The message of a NullPointerException names the call that returned null.
TEST(Devirtualize, LeavesCallsWhoseResultCouldBeNamed) {
  const std::tuple<const char*, ByteVector, bool> kCases[] = {
      {"LA;", {75, 5, 172}, true},           // astore_0
      {"LA;", {87, 5, 172}, true},           // pop
      {"LA;", {190, 172}, false},            // arraylength
      {"LA;", {89, 87, 87, 5, 172}, false},  // dup, pop
      {"LA;", {89, 75, 87, 5, 172}, true},   // dup, astore_0, pop
      {"LA;", {89, 75, 190, 172}, false},    // dup, astore_0, arraylength
      {"LA;", {191}, false},                 // athrow
      {"I", {89, 60, 172}, true},            // dup, istore_1, ireturn
      {"I", {89, 60, 46, 172}, false},       // dup, istore_1, iaload
      {"I", {60, 5, 172}, true},             // istore_1
      {"I", {46, 172}, false},               // iaload
      {"J", {136, 172}, true},               // l2i
      {"V", {5, 172}, true},
  };
  for (const auto& [type, behind, fine] : kCases) {
    Caller caller(49, behind, type);
    Result result;
    Rewrite(caller, caller.Site({{1}}), &result);
    EXPECT_EQ(result.outcome.empty(), fine) << type << " " << int{behind[0]} << result.outcome;
  }
}

TEST(Devirtualize, ReadsWeakReferencesForLoadersThatMayGo) {
  Caller caller;
  Result result;
  Rewrite(caller, caller.Site({{3, true}, {5, false}}), &result);
  std::vector<std::string> fields;
  for (const Element& element : result.code.elements) {
    if (element.Is(Op::kGetstatic)) {
      fields.emplace_back(caller.file.pool.Member(element.index).name);
    }
  }
  EXPECT_THAT(fields, testing::ElementsAre("OF_LOADERS", "CLASSES"));
}

TEST(Devirtualize, StopsAtEightThousandBytes) {
  ByteVector behind(7980, 0);
  behind.push_back(172);
  Caller caller(49, behind);
  Result result;
  Rewrite(caller, caller.Site({{1}}), &result);
  EXPECT_THAT(result.outcome, testing::HasSubstr("8,000"));
}

}  // namespace
}  // namespace assay::instrument
