// Writes the checking code and the copy of one method by its Plan; duplicate.cc says how they are
// laid out. One object per method, on the thread that rewrites it.
#pragma once

#include <functional>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "src/bytecode/clone.h"
#include "src/instrument/duplicate_plan.h"
#include "src/instrument/sampled_runtime.h"

namespace assay::instrument {

class Duplicator {
 public:
  Duplicator(const DuplicateOptions& options, const Plan& plan, classfile::ClassFile& file,
             bytecode::Code& code);
  Status Run(const classfile::ConstantPool& pool);

 private:
  using Code = bytecode::Code;
  using Element = bytecode::Element;
  using Label = bytecode::Label;
  using Op = bytecode::Op;
  using Operations = std::vector<const Operation*>;
  // Code that leads to a block. On the way forwards it stands in front of that, behind the labels
  // that end and start exception ranges there: HotSpot, which explains a NullPointerException by
  // going through the code once from its start, has to meet all ways to a block before it.
  // Otherwise it stands behind the rest.
  struct Piece {
    Label label;
    uint32_t block;
    bool in_copy;  // its frame and exception ranges are those of the copy
    std::function<void()> emit;
  };

  bool duplicates() const { return !plan_.copied.empty(); }
  uint32_t size() const { return static_cast<uint32_t>(plan_.blocks.size()); }
  bool Copied(uint32_t b) const { return duplicates() && plan_.copied[b]; }
  uint32_t BlockOf(Label label) const { return plan_.flow.BlockOf(label); }

  void Sort(const Operation& operation);
  void Perform(const Operations& operations);
  // Operations where there is no copy: around them a check. `after` is the frame behind them.
  void PerformGuarded(const Operations& operations, uint32_t after, bool needs_frame);
  void Note(enum Note what);
  // `asks`: false for the constant 0 instead.
  void Check(bool asks = true);
  void Prologue();
  uint16_t NewLocal();
  uint32_t EntryFrame();
  void Body();
  void Copy();
  // Checks may arrive at blocks that no jump of the program leads to.
  void MissingFrame(uint32_t b, bool in_copy);
  void BlockFrame(uint32_t b, bool in_copy);
  void Instruction(const Element& element, uint32_t b, bool in_copy);
  // In front of a block's labels, and behind them.
  void JumpOverPieces(uint32_t b, bool in_copy);
  void StartOfBlock(uint32_t b, bool in_copy);
  // Falls through to the next block, or not.
  void EndOfBlock(uint32_t b, bool in_copy);
  Label Target(uint32_t b, uint32_t to, bool in_copy);
  Label BodyTarget(uint32_t b, uint32_t to);
  Label CopyTarget(uint32_t b, uint32_t to);
  // The check of a jump backwards to a block.
  Label Back(uint32_t to);
  // The check where the copied part begins.
  Label Enter(uint32_t to);
  void CheckFor(uint32_t to, bool asks);
  // Where a visit of the copy begins at a block.
  Label Landing(uint32_t to);
  void StartVisit();
  void Region(uint32_t to);
  // A jump backwards in the copy that may stay there.
  Label Again(uint32_t to);
  // It is a back edge executed, with no check.
  Label NotedStay(uint32_t to, Label stay);
  Label StayPiece(uint32_t to);
  Label Once(std::map<uint32_t, Label>& known, uint32_t to, std::function<void()> emit);
  Label NewPiece(uint32_t to, bool in_copy, bool in_front, std::function<void()> emit);
  void CopyRanges(size_t tries);
  Label Handler(uint32_t handler, uint32_t end);
  // Exceptions do not go through what stands in front of a block.
  void HandlersBehindPieces();
  // Emitting a piece may ask for more.
  void Pieces(size_t tries);

  const DuplicateOptions& options_;
  const Plan& plan_;
  Code& code_;
  bytecode::LabelMap map_;
  bytecode::CodeBuilder build_;
  Emitter emit_;
  Operations at_entry_;
  Operations unused_;
  std::unordered_map<uint32_t, Operations> before_;
  std::map<std::pair<uint32_t, uint32_t>, Operations> on_edge_;
  std::map<uint32_t, Operations> at_region_;
  std::unordered_map<const Instrumentation*, uint16_t> locals_;
  std::vector<Label> body_;  // starts of blocks
  std::vector<Label> copy_;
  Label entry_;  // of the copy
  uint16_t left_ = 0;
  Op last_op_ = Op::kNop;
  uint32_t lane_ = 0;  // of the next check
  bool falls_through_ = false;  // to the next block
  std::vector<Piece> pieces_;
  std::map<uint32_t, std::vector<Piece>> in_front_;  // not yet written
  std::map<uint32_t, Label> back_, enter_, landing_, again_, stay_;
};

}  // namespace assay::instrument
