#include "src/bytecode/control_flow.h"

#include <algorithm>

namespace assay::bytecode {

Result<ControlFlow> ControlFlow::Build(const Code& code) {
  ControlFlow flow;
  ASSAY_TRY(flow.FindBlocks(code));
  flow.AddNormalEdges(code);
  ASSAY_TRY(flow.AddHandlerEdges(code));
  flow.Order();
  flow.FindDominators();
  flow.ClassifyEdges();
  return flow;
}

Status ControlFlow::FindBlocks(const Code& code) {
  std::vector<bool> leads(code.label_count);
  auto mark = [&](Label label) {
    if (label.id >= leads.size()) return false;
    leads[label.id] = true;
    return true;
  };
  bool good = true;
  for (const Element& element : code.elements) {
    if (!element.IsInstruction()) continue;
    if (IsJump(element.op)) good &= mark(element.label());
    if (IsSwitch(element.op)) {
      const Switch& table = code.switches[static_cast<size_t>(element.value)];
      good &= mark(table.fallback);
      for (Label target : table.targets) good &= mark(target);
    }
  }
  for (const TryRange& range : code.tries) {
    good &= mark(range.start) && mark(range.end) && mark(range.handler);
  }
  if (!good) return Error{"unknown label"};

  block_of_label_.assign(code.label_count, kNone);
  // A block begins at a leading label, or behind the end of the flow. Its labels, lines and frame
  // belong to it, so what comes between the last instruction and the next one is one group.
  bool start = true;
  uint32_t group = 0;  // the first element behind the last instruction
  bool has_leader = false;
  std::vector<uint32_t> labels;
  for (uint32_t i = 0; i < code.elements.size(); ++i) {
    const Element& element = code.elements[i];
    if (!element.IsInstruction()) {
      if (element.IsLabel()) {
        has_leader |= leads[element.label().id];
        labels.push_back(element.label().id);
      }
      continue;
    }
    if (start || has_leader) {
      if (!blocks_.empty()) blocks_.back().end = group;
      blocks_.push_back({group, 0, {}, {}, {}});
    }
    for (uint32_t label : labels)
      block_of_label_[label] = static_cast<uint32_t>(blocks_.size() - 1);
    if (element.self.valid()) {
      block_of_label_[element.self.id] = static_cast<uint32_t>(blocks_.size() - 1);
    }
    labels.clear();
    has_leader = false;
    start = EndsFlow(element.op) || IsConditional(element.op);
    group = i + 1;
  }
  if (blocks_.empty()) return Error{"no code"};
  blocks_.back().end = static_cast<uint32_t>(code.elements.size());
  return {};
}

uint32_t ControlFlow::LastInstruction(const Code& code, uint32_t block) const {
  for (uint32_t i = blocks_[block].end; i > blocks_[block].begin; --i) {
    if (code.elements[i - 1].IsInstruction()) return i - 1;
  }
  return kNone;
}

void ControlFlow::Link(uint32_t from, uint32_t to) {
  if (to == kNone) return;
  std::vector<uint32_t>& out = blocks_[from].successors;
  // Predecessor lists are built block by block, so a duplicate edge shows at their end.
  std::vector<uint32_t>& in = blocks_[to].predecessors;
  if (!in.empty() && in.back() == from) return;
  out.push_back(to);
  in.push_back(from);
}

void ControlFlow::AddNormalEdges(const Code& code) {
  std::vector<uint32_t> behind_jsr;
  uint32_t count = static_cast<uint32_t>(blocks_.size());
  for (uint32_t b = 0; b + 1 < count; ++b) {
    uint32_t last = LastInstruction(code, b);
    if (last != kNone && code.elements[last].op == Op::kJsr) behind_jsr.push_back(b + 1);
  }
  for (uint32_t b = 0; b < count; ++b) {
    uint32_t last = LastInstruction(code, b);
    if (last == kNone) continue;
    const Element& element = code.elements[last];
    if (!EndsFlow(element.op) && b + 1 < count) Link(b, b + 1);
    if (IsJump(element.op)) {
      Link(b, BlockOf(element.label()));
    } else if (IsSwitch(element.op)) {
      const Switch& table = code.switches[static_cast<size_t>(element.value)];
      Link(b, BlockOf(table.fallback));
      for (Label target : table.targets) Link(b, BlockOf(target));
    } else if (element.op == Op::kRet) {
      for (uint32_t next : behind_jsr) Link(b, next);
    }
  }
}

Status ControlFlow::AddHandlerEdges(const Code& code) {
  size_t edges = 0;
  for (const TryRange& range : code.tries) {
    uint32_t first = BlockOf(range.start), handler = BlockOf(range.handler);
    if (first == kNone || handler == kNone) continue;  // nothing is left there
    uint32_t end = BlockOf(range.end);
    if (end == kNone) end = static_cast<uint32_t>(blocks_.size());
    for (uint32_t b = first; b < end; ++b) {
      if (++edges > kMaxHandlerEdges) return Error{"too many exceptional edges"};
      blocks_[b].handlers.push_back(handler);
    }
  }
  for (Block& block : blocks_) {
    // In the order of search, each once.
    std::vector<uint32_t> seen;
    auto repeated = [&](uint32_t handler) {
      if (std::find(seen.begin(), seen.end(), handler) != seen.end()) return true;
      seen.push_back(handler);
      return false;
    };
    if (block.handlers.size() > 256) {
      std::sort(block.handlers.begin(), block.handlers.end());
      block.handlers.erase(std::unique(block.handlers.begin(), block.handlers.end()),
                           block.handlers.end());
    } else {
      std::erase_if(block.handlers, repeated);
    }
  }
  return {};
}

void ControlFlow::Order() {
  size_t count = blocks_.size();
  rank_.assign(count, kNone);
  struct Visit {
    uint32_t block;
    uint32_t next;
  };
  std::vector<bool> seen(count);
  std::vector<Visit> stack{{0, 0}};
  seen[0] = true;
  while (!stack.empty()) {
    Visit& visit = stack.back();
    const Block& block = blocks_[visit.block];
    size_t normal = block.successors.size();
    if (visit.next == normal + block.handlers.size()) {
      order_.push_back(visit.block);
      stack.pop_back();
      continue;
    }
    uint32_t to =
        visit.next < normal ? block.successors[visit.next] : block.handlers[visit.next - normal];
    ++visit.next;
    if (!seen[to]) {
      seen[to] = true;
      stack.push_back({to, 0});
    }
  }
  std::reverse(order_.begin(), order_.end());
  for (uint32_t i = 0; i < order_.size(); ++i) rank_[order_[i]] = i;
}

void ControlFlow::ClassifyEdges() {
  for (uint32_t from : order_) {
    for (uint32_t to : blocks_[from].successors) {
      if (rank_[to] > rank_[from]) continue;
      (Dominates(to, from) ? back_edges_ : irreducible_edges_).push_back({from, to});
    }
    // Loops through a handler are no loops that a back edge can be instrumented on, but they can
    // make the graph irreducible.
    for (uint32_t to : blocks_[from].handlers) {
      if (rank_[to] <= rank_[from] && !Dominates(to, from))
        irreducible_edges_.push_back({from, to});
    }
  }
}

std::vector<uint32_t> ControlFlow::LoopOf(uint32_t header) const {
  std::vector<uint32_t> loop{header};
  std::vector<bool> in(blocks_.size());
  in[header] = true;
  auto add = [&](uint32_t block) {
    if (in[block] || !Reachable(block)) return;
    in[block] = true;
    loop.push_back(block);
  };
  for (const Edge& edge : back_edges_) {
    if (edge.to == header) add(edge.from);
  }
  for (size_t i = 1; i < loop.size(); ++i) {
    for (uint32_t from : blocks_[loop[i]].predecessors) add(from);
  }
  return loop;
}

}  // namespace assay::bytecode
