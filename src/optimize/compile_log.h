// What the compiler did with each call, read from HotSpot's log (-XX:+LogCompilation): the part of
// it that says which calls were inlined or not, and by which rule.
#pragma once

#include <cstdint>
#include <istream>
#include <map>
#include <string>
#include <vector>

namespace assay::optimize {

// Methods are pkg.Class.name, without the descriptor, which the log spells by type numbers.
struct InlineKey {
  std::string caller;
  std::string callee;
  int32_t bci = -1;  // of the call; in code as it ran, which the agent may have rewritten
  auto operator<=>(const InlineKey&) const = default;
};

struct InlineOutcome {
  uint64_t inlined = 0;
  uint64_t refused = 0;
  std::map<std::string, uint64_t> reasons;  // of refusals
};

// Compilations by C2 only (level 4).
std::map<InlineKey, InlineOutcome> ReadCompileLog(std::istream& log);

}  // namespace assay::optimize
