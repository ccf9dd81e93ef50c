// Collapsed stacks: "outermost;...;innermost count" per line, the input of flamegraph.pl and
// others. The count is the first of ValueKinds(). Stacks that differ only in call sites are added
// up.
#include "src/export/export.h"
#include "src/export/stacks.h"
#include "src/profile/names.h"

namespace assay::exporting {

using profile::kNoBci;
using profile::NodeId;
using profile::Profile;

Result<std::string> WriteCollapsed(const Profile& profile) {
  Profile tree;  // the stacks without call sites; its methods are numbered as in `profile`
  std::vector<int64_t> counts;
  ForEachStack(profile, [&](const StackView& stack) {
    if (stack.values[0] == 0) return;
    NodeId node = profile::kRootNode;
    for (const Frame& frame : stack.frames) node = tree.InternNode(node, kNoBci, frame.method);
    counts.resize(tree.nodes().size());
    counts[node] = Plus(counts[node], stack.values[0]);
  });
  std::vector<std::string> names = profile::FrameNames(profile);
  std::vector<profile::MethodId> stack;
  std::string out;
  for (NodeId id = 1; id < counts.size(); ++id) {
    if (counts[id] == 0) continue;
    stack.clear();
    for (NodeId at = id; at != profile::kRootNode; at = tree.nodes()[at].parent) {
      stack.push_back(tree.nodes()[at].method);
    }
    for (size_t i = stack.size(); i-- > 0;) {
      out += names[stack[i]];
      out += i > 0 ? ';' : ' ';
    }
    out += std::to_string(counts[id]);
    out += '\n';
  }
  return out;
}

}  // namespace assay::exporting
