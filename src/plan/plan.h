// A plan: what a profile says should be inlined and devirtualized, one decision per line of text
// with its reason. It is made by src/optimize, read by people, edited by hand, and applied by the
// agent and by compiler directives. Parsing checks everything that can be checked without a JVM.
//
//   assay-plan 1
//   policy assay
//   flag -XX:MaxInlineSize=24
//   devirtualize a.B.m(I)V@17 code=35 call=step(I)I guard=a.X,a.Y weight=12.3% error=1.5% # why
//   inline a.B.m(I)V@21 code=35 callee=a.C.f()V size=80 weight=2% error=3% # why
//   no-inline a.B.m(I)V@25 code=35 callee=a.C.g()V size=20 weight=0.001% error=0% # why
//   skip a.B.n()V@3 callee=a.C.h()V size=900 weight=1% error=2% # why
//
// Sites are caller@bci; code= is the length of the caller's bytecode, by which a changed method is
// recognized. Lines that start with # are comments.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/result.h"

namespace assay::plan {

constexpr size_t kMaxGuards = 2;

struct MethodName {
  std::string class_name;  // as in source: java.util.Map$Entry
  std::string name;
  std::string descriptor;

  std::string ToString() const { return class_name + "." + name + descriptor; }
  auto operator<=>(const MethodName&) const = default;
};

enum class Action { kDevirtualize, kInline, kNoInline, kSkip };

struct Decision {
  Action action = Action::kSkip;
  MethodName caller;
  int32_t bci = 0;
  uint32_t caller_bytes = 0;  // 0 when unknown
  // What is called. For kDevirtualize only name and descriptor: the class depends on the receiver.
  MethodName callee;
  uint32_t callee_bytes = 0;        // 0 when unknown
  std::vector<std::string> guards;  // classes to test for, in this order; kDevirtualize only
  double weight = 0;                // of all calls: 0.01 = 1 %
  double error = 0;                 // half-width of the 95 % interval relative to the weight
  std::string reason;

  std::string Site() const { return caller.ToString() + "@" + std::to_string(bci); }
};

struct Plan {
  std::string policy;
  std::vector<std::string> flags;  // for the JVM
  std::vector<Decision> decisions;

  size_t CountOf(Action action) const;
};

std::string_view NameOf(Action action);

// The Error names the line.
Result<Plan> ParsePlan(std::string_view text);
std::string PlanText(const Plan& plan);

// "pkg.Class.name(descriptor)".
Result<MethodName> ParseMethod(std::string_view text);
// Whether the names of a method can be written in a plan: no blanks, no '#', no ','.
bool CanBeWritten(const MethodName& method);

}  // namespace assay::plan
