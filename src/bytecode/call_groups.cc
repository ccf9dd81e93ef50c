#include "src/bytecode/call_groups.h"

#include <algorithm>
#include <map>

#include "src/bytecode/opcode.h"

namespace assay::bytecode {
namespace {

constexpr size_t kMaxBytes = 8000;
constexpr uint32_t kNone = ~0u;

struct Graph {
  std::vector<std::vector<uint32_t>> successors, predecessors;
};

// The bytes cut into blocks, each with its calls.
class Body {
 public:
  explicit Body(std::span<const uint8_t> code) : code_(code) {}

  bool Build() {
    starts_.assign(code_.size() + 1, false);
    instruction_.assign(code_.size() + 1, false);
    if (code_.empty() || code_.size() > kMaxBytes || !Scan()) return false;
    starts_[0] = true;
    block_.assign(code_.size(), kNone);
    for (uint32_t at = 0; at < code_.size(); at++) {
      if (starts_[at] && !instruction_[at]) return false;
      if (starts_[at]) begins_.push_back(at);
      block_[at] = static_cast<uint32_t>(begins_.size()) - 1;
    }
    Link();
    return true;
  }

  // The graph with a virtual exit as its last node.
  Graph graph;
  size_t blocks() const { return begins_.size(); }
  const std::vector<uint32_t>& calls() const { return calls_; }
  uint32_t BlockOf(uint32_t bci) const { return block_[bci]; }

 private:
  struct Jump {
    uint32_t from, to;
  };

  int32_t Number(uint32_t at, int bytes) const {
    uint32_t value = 0;
    for (int i = 0; i < bytes; i++) value = value << 8 | code_[at + i];
    return bytes == 2 ? static_cast<int16_t>(value) : static_cast<int32_t>(value);
  }

  // Size of the instruction at `at`; 0 when it is none.
  uint32_t SizeAt(uint32_t at) const {
    auto op = static_cast<Op>(code_[at]);
    if (code_[at] >= kOpcodeCount) return 0;
    uint32_t left = static_cast<uint32_t>(code_.size()) - at;
    if (op == Op::kWide) return left < 2 ? 0 : static_cast<Op>(code_[at + 1]) == Op::kIinc ? 6 : 4;
    if (!IsSwitch(op)) return InfoOf(op).size;
    uint32_t operands = (at & ~3u) + 4;
    if (operands + 12 > code_.size()) return 0;
    int64_t count = op == Op::kTableswitch
                        ? static_cast<int64_t>(Number(operands + 8, 4)) - Number(operands + 4, 4) + 1
                        : Number(operands + 4, 4);
    if (count < 0 || count > static_cast<int64_t>(code_.size())) return 0;
    uint64_t bytes = op == Op::kTableswitch ? 12 + 4 * count : 8 + 8 * count;
    return static_cast<uint32_t>(operands + bytes - at);
  }

  bool AddJump(uint32_t from, int32_t distance) {
    int64_t to = static_cast<int64_t>(from) + distance;
    if (to < 0 || to >= static_cast<int64_t>(code_.size())) return false;
    jumps_.push_back({from, static_cast<uint32_t>(to)});
    starts_[to] = true;
    return true;
  }

  bool AddSwitch(uint32_t at) {
    uint32_t operands = (at & ~3u) + 4;
    if (!AddJump(at, Number(operands, 4))) return false;
    bool table = static_cast<Op>(code_[at]) == Op::kTableswitch;
    uint32_t count = table ? Number(operands + 8, 4) - Number(operands + 4, 4) + 1 : Number(operands + 4, 4);
    for (uint32_t i = 0; i < count; i++) {
      if (!AddJump(at, Number(operands + (table ? 12 + 4 * i : 12 + 8 * i), 4))) return false;
    }
    return true;
  }

  bool Scan() {
    for (uint32_t at = 0; at < code_.size();) {
      uint32_t size = SizeAt(at);
      if (size == 0 || at + size > code_.size()) return false;
      auto op = static_cast<Op>(code_[at]);
      instruction_[at] = true;
      if (op == Op::kJsr || op == Op::kRet || op == Op::kJsrW) return false;  // not since Java 6
      if (IsInvoke(op)) calls_.push_back(at);
      bool wide = op == Op::kGotoW;
      if ((IsJump(op) || wide) && !AddJump(at, Number(at + 1, wide ? 4 : 2))) return false;
      if (IsSwitch(op) && !AddSwitch(at)) return false;
      bool ends = EndsFlow(op) || wide;
      if (ends || IsJump(op)) starts_[at + size] = true;
      if (!ends) falls_.push_back({at, at + size});
      if (IsReturn(op) || op == Op::kAthrow) exits_.push_back(at);
      at += size;
    }
    return true;
  }

  void Link() {
    uint32_t exit = static_cast<uint32_t>(begins_.size());
    graph.successors.resize(exit + 1);
    graph.predecessors.resize(exit + 1);
    auto link = [this](uint32_t from, uint32_t to) {
      auto& list = graph.successors[from];
      if (std::find(list.begin(), list.end(), to) != list.end()) return;
      list.push_back(to);
      graph.predecessors[to].push_back(from);
    };
    for (const Jump& jump : jumps_) link(block_[jump.from], block_[jump.to]);
    for (const Jump& fall : falls_) {
      if (fall.to < code_.size() && starts_[fall.to]) link(block_[fall.from], block_[fall.to]);
    }
    for (uint32_t at : exits_) link(block_[at], exit);
  }

  std::span<const uint8_t> code_;
  std::vector<bool> starts_, instruction_;
  std::vector<uint32_t> begins_, block_, calls_, exits_;
  std::vector<Jump> jumps_, falls_;
};

// Dominator sets as a tree (Cooper, Harvey and Kennedy, as in dominators.cc, over plain lists).
class Tree {
 public:
  Tree(uint32_t root, const std::vector<std::vector<uint32_t>>& forward,
       const std::vector<std::vector<uint32_t>>& backward)
      : rank_(forward.size(), kNone), above_(forward.size(), kNone) {
    Order(root, forward);
    above_[root] = root;
    for (bool changed = true; changed;) {
      changed = false;
      for (uint32_t node : order_) {
        if (node == root) continue;
        uint32_t found = kNone;
        for (uint32_t from : backward[node]) {
          if (above_[from] == kNone) continue;
          found = found == kNone ? from : Meet(found, from);
        }
        if (found != above_[node]) above_[node] = found, changed = true;
      }
    }
  }
  bool Reached(uint32_t node) const { return rank_[node] != kNone; }
  bool Dominates(uint32_t above, uint32_t below) const {
    while (rank_[below] > rank_[above]) below = above_[below];
    return below == above;
  }
  uint32_t rank(uint32_t node) const { return rank_[node]; }
  const std::vector<uint32_t>& order() const { return order_; }

 private:
  void Order(uint32_t root, const std::vector<std::vector<uint32_t>>& forward) {
    std::vector<bool> seen(forward.size());
    std::vector<std::pair<uint32_t, size_t>> stack{{root, 0}};
    seen[root] = true;
    while (!stack.empty()) {
      auto& [node, next] = stack.back();
      if (next == forward[node].size()) {
        order_.push_back(node);
        stack.pop_back();
        continue;
      }
      uint32_t to = forward[node][next++];
      if (!seen[to]) seen[to] = true, stack.push_back({to, 0});
    }
    std::reverse(order_.begin(), order_.end());
    for (uint32_t i = 0; i < order_.size(); i++) rank_[order_[i]] = i;
  }
  uint32_t Meet(uint32_t a, uint32_t b) const {
    while (a != b) {
      while (rank_[a] > rank_[b]) a = above_[a];
      while (rank_[b] > rank_[a]) b = above_[b];
    }
    return a;
  }

  std::vector<uint32_t> order_, rank_, above_;
};

// The loops that each block is in, as a list of headers; false when the graph is not reducible.
bool FindLoops(const Graph& graph, const Tree& dominators, std::vector<std::vector<uint32_t>>* loops) {
  loops->assign(graph.successors.size(), {});
  std::map<uint32_t, std::vector<uint32_t>> back;  // by header
  for (uint32_t from : dominators.order()) {
    for (uint32_t to : graph.successors[from]) {
      if (dominators.rank(to) > dominators.rank(from)) continue;
      if (!dominators.Dominates(to, from)) return false;
      back[to].push_back(from);
    }
  }
  for (const auto& [header, sources] : back) {
    std::vector<bool> in(graph.successors.size());
    std::vector<uint32_t> work = sources;
    in[header] = true;
    while (!work.empty()) {
      uint32_t node = work.back();
      work.pop_back();
      if (in[node] || !dominators.Reached(node)) continue;
      in[node] = true;
      for (uint32_t from : graph.predecessors[node]) work.push_back(from);
    }
    for (uint32_t node = 0; node < in.size(); node++) {
      if (in[node]) (*loops)[node].push_back(header);
    }
  }
  return true;
}

}  // namespace

std::vector<CallGroup> FindCallGroups(std::span<const uint8_t> code) {
  Body body(code);
  if (!body.Build() || body.calls().empty()) return {};
  uint32_t exit = static_cast<uint32_t>(body.blocks());
  Tree dominators(0, body.graph.successors, body.graph.predecessors);
  Tree postdominators(exit, body.graph.predecessors, body.graph.successors);
  std::vector<std::vector<uint32_t>> loops;
  if (!FindLoops(body.graph, dominators, &loops)) return {};

  auto equal = [&](uint32_t a, uint32_t b) {
    return a == b || (dominators.Dominates(a, b) && postdominators.Dominates(b, a) && loops[a] == loops[b]);
  };
  struct Open {
    uint32_t block;
    CallGroup group;
  };
  std::vector<Open> open;
  // In the order of execution, so that the block of a group dominates the later ones.
  std::vector<uint32_t> calls = body.calls();
  std::stable_sort(calls.begin(), calls.end(), [&](uint32_t a, uint32_t b) {
    return dominators.rank(body.BlockOf(a)) < dominators.rank(body.BlockOf(b));
  });
  for (uint32_t bci : calls) {
    uint32_t block = body.BlockOf(bci);
    if (!dominators.Reached(block) || !postdominators.Reached(block)) continue;
    auto at = std::find_if(open.begin(), open.end(),
                           [&](const Open& each) { return equal(each.block, block); });
    if (at == open.end()) {
      open.push_back({block, {.at_entry = equal(0, block), .sites = {}}});
      at = std::prev(open.end());
    }
    at->group.sites.push_back(bci);
  }
  std::vector<CallGroup> groups;
  for (Open& each : open) {
    if (each.group.sites.size() < 2 && !each.group.at_entry) continue;
    std::sort(each.group.sites.begin(), each.group.sites.end());
    groups.push_back(std::move(each.group));
  }
  return groups;
}

}  // namespace assay::bytecode
