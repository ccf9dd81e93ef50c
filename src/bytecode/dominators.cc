// Immediate dominators by the iteration of Cooper, Harvey and Kennedy ("A Simple, Fast Dominance
// Algorithm", 2001): intersect the dominators of the predecessors, in reverse postorder, until
// nothing changes. Methods have few blocks and shallow loops, where it beats the asymptotically
// better algorithms. Exceptional edges count: code after a handler is not dominated by the code it
// protects.
#include <algorithm>

#include "src/bytecode/control_flow.h"

namespace assay::bytecode {

void ControlFlow::FindDominators() {
  uint32_t count = static_cast<uint32_t>(order_.size());
  // In terms of ranks; an edge list by target, handlers included.
  std::vector<std::vector<uint32_t>> into(count);
  for (uint32_t from = 0; from < count; ++from) {
    const Block& block = blocks_[order_[from]];
    for (uint32_t to : block.successors) into[rank_[to]].push_back(from);
    for (uint32_t to : block.handlers) into[rank_[to]].push_back(from);
  }
  std::vector<uint32_t> above(count, kNone);
  above[0] = 0;
  auto meet = [&](uint32_t a, uint32_t b) {
    while (a != b) {
      while (a > b) a = above[a];
      while (b > a) b = above[b];
    }
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t i = 1; i < count; ++i) {
      uint32_t found = kNone;
      for (uint32_t from : into[i]) {
        if (above[from] == kNone) continue;
        found = found == kNone ? from : meet(found, from);
      }
      if (above[i] != found) {
        above[i] = found;
        changed = true;
      }
    }
  }
  dominator_.assign(blocks_.size(), kNone);
  enter_.assign(blocks_.size(), 0);
  leave_.assign(blocks_.size(), 0);
  std::vector<std::vector<uint32_t>> below(count);
  for (uint32_t i = 1; i < count; ++i) {
    dominator_[order_[i]] = order_[above[i]];
    below[above[i]].push_back(i);
  }
  // Preorder intervals over the tree.
  uint32_t clock = 0;
  std::vector<std::pair<uint32_t, uint32_t>> stack{{0, 0}};
  enter_[order_[0]] = clock++;
  while (!stack.empty()) {
    auto& [node, next] = stack.back();
    if (next == below[node].size()) {
      leave_[order_[node]] = clock++;
      stack.pop_back();
      continue;
    }
    uint32_t child = below[node][next++];
    enter_[order_[child]] = clock++;
    stack.push_back({child, 0});
  }
}

bool ControlFlow::Dominates(uint32_t above, uint32_t below) const {
  if (!Reachable(above) || !Reachable(below)) return false;
  return enter_[above] <= enter_[below] && leave_[below] <= leave_[above];
}

}  // namespace assay::bytecode
