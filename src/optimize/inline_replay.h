// Inlining for single call sites, on JVMs that replay it (JDK 25): the trees that the VM dumped
// (-XX:CompileCommand=DumpInline,...) with the changes of a plan, as a file for
// -XX:InlineDataFile. It is all or nothing per root: what is not in its tree is not inlined, so a
// root without a dump is left out. HotSpot: ci/ciReplay.cpp.
//
//   compile <class> <name> <signature> <entry bci> <level> inline <n> (<depth> <bci> <late> <class>
//   <name> <signature>)*
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/result.h"
#include "src/plan/plan.h"

namespace assay::optimize {

struct InlineNode {
  int32_t depth = 0;
  int32_t bci = 0;
  int32_t late = 0;
  plan::MethodName method;
};

// One compilation; nodes in the order of a walk from the root, which is the first.
struct InlineTree {
  plan::MethodName root;
  int32_t entry_bci = -1;  // of an on-stack replacement
  int32_t level = 4;
  std::vector<InlineNode> nodes;
};

// The trees of one dump; lines of other kinds are passed over. The Error names the line.
Result<std::vector<InlineTree>> ParseInlineDump(std::string_view text);

struct Replay {
  std::string data;                // for -XX:InlineDataFile; "" when nothing changes
  std::vector<std::string> flags;  // CompileCommand for each root; the file's own is not in it
  size_t added = 0;
  size_t removed = 0;
};

// Of several trees for the same root and entry the last one counts. Only roots that the plan
// changes are written.
Replay ReplayOf(const plan::Plan& plan, const std::vector<InlineTree>& trees);

}  // namespace assay::optimize
