// The inline and no-inline lines of a plan as HotSpot compiler directives (JEP 165).
#pragma once

#include <string>
#include <vector>

#include "src/plan/plan.h"

namespace assay::optimize {

struct Directives {
  std::string json;                  // "" when the plan inlines nothing
  size_t count = 0;                  // at most kMostDirectives
  std::vector<std::string> dropped;  // roots that found no room, lightest first
  // Methods that no directive can name: HotSpot's parser would refuse them, and the JVM to start.
  std::vector<std::string> unnameable;
};

// CompilerDirectivesLimit is 50, of which the VM's default directive takes one.
constexpr size_t kMostDirectives = 49;

// A directive applies to a compilation by its root method, and says which callees to inline
// wherever they are called below it: there is no directive for one call site. So the callee of a
// line is inlined in the compilation of its caller, and of every method into which the plan inlines
// that caller. Roots with equal lists share a directive.
Directives DirectivesOf(const plan::Plan& plan);

// Whether directives and compile commands can name the method.
bool CanBeNamed(const plan::MethodName& method);
// "pkg/Class.name(I)V", the way they name a method.
std::string DirectiveName(const plan::MethodName& method);

}  // namespace assay::optimize
