// The control-flow graph of a method body: basic blocks, normal and exceptional edges, dominators,
// back edges and natural loops. It describes the elements as they are; an edit makes it stale.
#pragma once

#include <cstdint>
#include <vector>

#include "src/base/result.h"
#include "src/bytecode/code.h"

namespace assay::bytecode {

struct Block {
  uint32_t begin = 0;  // elements [begin, end); labels, lines and frames come before instructions
  uint32_t end = 0;
  std::vector<uint32_t> successors;    // without duplicates; the fall-through first, if any
  std::vector<uint32_t> predecessors;  // normal edges only
  std::vector<uint32_t> handlers;      // blocks that exceptions in this one go to
};

struct Edge {
  uint32_t from = 0;
  uint32_t to = 0;
  bool operator==(const Edge&) const = default;
};

class ControlFlow {
 public:
  static constexpr uint32_t kNone = ~0u;
  // Beyond this many exceptional edges a method is refused, to bound memory and time.
  static constexpr size_t kMaxHandlerEdges = 1u << 20;

  // ret is taken to return behind every jsr of the method.
  static Result<ControlFlow> Build(const Code& code);

  const std::vector<Block>& blocks() const { return blocks_; }
  // The block that a label starts or is in; kNone for a label that is not bound.
  uint32_t BlockOf(Label label) const {
    return label.id < block_of_label_.size() ? block_of_label_[label.id] : kNone;
  }
  // The last instruction of a block as an element number, kNone if it has none.
  uint32_t LastInstruction(const Code& code, uint32_t block) const;

  // Reachable blocks, each before its successors except along retreating edges. Exceptional edges
  // count: a handler is reachable when its range is.
  const std::vector<uint32_t>& ReversePostorder() const { return order_; }
  bool Reachable(uint32_t block) const { return rank_[block] != kNone; }
  // kNone for the entry block and unreachable ones.
  uint32_t ImmediateDominator(uint32_t block) const { return dominator_[block]; }
  bool Dominates(uint32_t above, uint32_t below) const;

  // Normal edges to a block that dominates their source: the loops of the method.
  const std::vector<Edge>& BackEdges() const { return back_edges_; }
  // Retreating edges that are not back edges; none exactly when the graph is reducible.
  const std::vector<Edge>& IrreducibleEdges() const { return irreducible_edges_; }
  // The natural loop of all back edges to `header`, the header first.
  std::vector<uint32_t> LoopOf(uint32_t header) const;

 private:
  Status FindBlocks(const Code& code);
  void AddNormalEdges(const Code& code);
  Status AddHandlerEdges(const Code& code);
  void Link(uint32_t from, uint32_t to);
  void Order();
  void FindDominators();
  void ClassifyEdges();

  std::vector<Block> blocks_;
  std::vector<uint32_t> block_of_label_;
  std::vector<uint32_t> order_;
  std::vector<uint32_t> rank_;  // place in order_, kNone when unreachable
  std::vector<uint32_t> dominator_;
  // Numbers of an interval tree over the dominator tree: above dominates below iff nested.
  std::vector<uint32_t> enter_;
  std::vector<uint32_t> leave_;
  std::vector<Edge> back_edges_;
  std::vector<Edge> irreducible_edges_;
};

}  // namespace assay::bytecode
