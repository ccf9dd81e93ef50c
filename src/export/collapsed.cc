// Collapsed stacks: "outermost;...;innermost count" per line, the input of flamegraph.pl and
// others. The count is the first of ValueKinds(). Stacks that differ only in call sites are added
// up.
#include <map>

#include "src/export/export.h"
#include "src/export/stacks.h"
#include "src/profile/names.h"

namespace assay::exporting {

Result<std::string> WriteCollapsed(const profile::Profile& profile) {
  std::vector<std::string> names = profile::FrameNames(profile);
  std::map<std::string, int64_t> lines;
  ForEachStack(profile, [&](const StackView& stack) {
    if (stack.values[0] == 0) return;
    std::string line;
    for (const Frame& frame : stack.frames) {
      if (!line.empty()) line += ';';
      line += names[frame.method];
    }
    lines[std::move(line)] += stack.values[0];
  });
  std::string out;
  for (const auto& [stack, count] : lines) out += stack + " " + std::to_string(count) + "\n";
  return out;
}

}  // namespace assay::exporting
