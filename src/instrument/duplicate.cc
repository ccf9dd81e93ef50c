// The code of a duplicated method, in this order:
//
//   entry:      check, to the copy when it says so
//   the body:   jumps backwards to H go to back(H)
//   the copy:   with operations; jumps backwards to H go to back(H) as well
//   back(H):    check ? copy of H : H
//
// Checks on edges are all pieces of their own behind the rest, so that the body stays as it is and
// nothing has to jump around them. Such a piece lies in the exception ranges of the block that it
// leads to: a probe can throw (stack overflow), and HotSpot does not compile a method in which that
// could leave a monitor locked (generateOopMap.cpp, do_exception_edge).
//
// A jump is backwards when its target does not come later in the code. Every cycle has one, also in
// irreducible code; it is what HotSpot counts as a back edge. A cycle through an exception handler
// further up is left by the copy's exception ranges: they lead to handlers of the body.
#include "src/instrument/duplicate.h"

#include <algorithm>
#include <functional>
#include <map>
#include <unordered_map>

#include "src/bytecode/clone.h"
#include "src/bytecode/max_stack.h"
#include "src/instrument/duplicate_plan.h"
#include "src/instrument/sampled_runtime.h"

namespace assay::instrument {
namespace {

using bytecode::Code;
using bytecode::CodeBuilder;
using bytecode::Element;
using bytecode::ElementKind;
using bytecode::Label;
using bytecode::LabelMap;
using bytecode::Op;

class Duplicator {
 public:
  Duplicator(const DuplicateOptions& options, const Plan& plan, classfile::ClassFile& file,
             Code& code)
      : options_(options),
        plan_(plan),
        code_(code),
        map_(bytecode::MapLabels(code, code.elements)),
        build_(file, code),
        emit_(build_) {
    for (const Operation& operation : plan.operations) Sort(operation);
    // The same in every run, and different from method to method.
    for (const Element& element : code.elements)
      lane_ = lane_ * 31 + static_cast<uint32_t>(element.op);
    for (uint32_t b = 0; b < size(); ++b) {
      body_.push_back(code.NewLabel());
      copy_.push_back(code.NewLabel());
    }
  }

  Status Run(const classfile::ConstantPool& pool) {
    const size_t tries = code_.tries.size();
    const size_t variables = code_.variables.size();
    const size_t variable_types = code_.variable_types.size();
    if (duplicates()) code_.elements.reserve(build_.Old().size() * 2 + 64);
    Prologue();
    Body();
    if (duplicates()) {
      Copy();
      CopyRanges(tries);
      // A variable may have no code at all in a part of the body.
      if (!plan_.partial) bytecode::CloneRanges(code_, map_, 0, variables, variable_types);
    }
    Pieces(tries);
    ASSAY_TRY(build_.Finish());
    return bytecode::ComputeMaxStack(pool, code_);
  }

 private:
  using Operations = std::vector<const Operation*>;
  // Code behind the rest that leads to a block.
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

  void Sort(const Operation& operation) {
    const Point& point = operation.point;
    switch (point.place) {
      case Place::kEntry:
        at_entry_.push_back(&operation);
        break;
      case Place::kBefore:
        before_[point.element].push_back(&operation);
        break;
      case Place::kEdge:
        on_edge_[{point.from, point.to}].push_back(&operation);
        break;
      case Place::kRegion:
        (point.to == 0 ? at_entry_ : unused_).push_back(&operation);
        at_region_[point.to].push_back(&operation);
        break;
    }
  }

  void Perform(const Operations& operations) {
    if (options_.checks_only) return;
    for (const Operation* operation : operations) {
      if (auto it = locals_.find(operation->by); it != locals_.end()) emit_.set_local(it->second);
      operation->by->Emit(operation->point, emit_);
    }
  }

  // Operations where there is no copy: around them a check. `after` is the frame behind them.
  void PerformGuarded(const Operations& operations, uint32_t after, bool needs_frame) {
    Label skip = build_.NewLabel();
    Check();
    build_.Jump(Op::kIfeq, skip);
    Perform(operations);
    build_.Bind(skip);
    if (needs_frame) build_.Frame(after);
  }

  void Note(Note what) {
    if (!options_.count_checks) return;
    build_.PushInt(static_cast<int32_t>(what));
    build_.InvokeStatic(kSampledRuntime, "note", "(I)V");
  }

  void Check() {
    Note(Note::kCheck);
    build_.PushInt(static_cast<int32_t>(lane_++ % kSampledLanes));
    build_.InvokeStatic(kSampledRuntime, plan_.small ? "called" : options_.check, "(I)Z");
  }

  void Prologue() {
    for (const Operation& operation : plan_.operations) {
      if (!operation.by->wants_local() || locals_.contains(operation.by)) continue;
      locals_[operation.by] = NewLocal();
    }
    if (duplicates() && options_.iterations > 1) left_ = NewLocal();
    Note(Note::kEntry);
    if (Copied(0)) {
      Check();
      // A frame of its own at the start of the copy would clash with that of the block.
      bool nothing_first = (at_entry_.empty() || options_.checks_only) && options_.iterations <= 1;
      entry_ = plan_.blocks[0].has_frame && nothing_first ? copy_[0] : build_.NewLabel();
      build_.Jump(Op::kIfne, entry_);
    } else if (!duplicates() && !at_entry_.empty()) {
      PerformGuarded(at_entry_, EntryFrame(), code_.has_frames && !plan_.blocks[0].has_frame);
    }
  }

  uint16_t NewLocal() {
    uint16_t slot = code_.AddLocal({bytecode::VerificationType::kInteger}, true);
    build_.PushInt(0);
    build_.Store(Op::kIstore, slot);
    return slot;
  }

  uint32_t EntryFrame() {
    code_.frames.push_back(code_.entry);
    return static_cast<uint32_t>(code_.frames.size() - 1);
  }

  void Body() {
    for (uint32_t b = 0; b < size(); ++b) {
      const auto& block = plan_.flow.blocks()[b];
      build_.Bind(body_[b]);
      for (uint32_t i = block.begin; i < block.end; ++i) {
        const Element& element = build_.Old()[i];
        if (i == plan_.blocks[b].first_instruction) MissingFrame(b, false);
        if (!element.IsInstruction()) {
          build_.Copy(element);
          continue;
        }
        if (auto it = before_.find(i); it != before_.end() && !duplicates()) {
          PerformGuarded(it->second, plan_.frame_before[i], code_.has_frames);
        }
        Instruction(element, b, false);
      }
      EndOfBlock(b, false);
    }
    // Labels behind the last block end exception ranges.
    for (uint32_t i = size() == 0 ? 0 : plan_.flow.blocks().back().end; i < build_.Old().size();
         ++i) {
      build_.Copy(build_.Old()[i]);
    }
  }

  void Copy() {
    if (entry_.valid() && !(entry_ == copy_[0])) {
      build_.Bind(entry_);
      if (code_.has_frames) build_.Frame(EntryFrame());
      StartVisit();
      Perform(at_entry_);
    }
    for (uint32_t b = 0; b < size(); ++b) {
      const auto& block = plan_.flow.blocks()[b];
      if (Copied(b)) build_.Bind(copy_[b]);
      for (uint32_t i = block.begin; i < block.end; ++i) {
        const Element& element = build_.Old()[i];
        if (element.IsLabel()) {
          // Also of blocks that are not copied: exception ranges end there.
          build_.Bind(map_[element.label()]);
          continue;
        }
        if (!Copied(b)) continue;
        if (i == plan_.blocks[b].first_instruction) MissingFrame(b, true);
        if (!element.IsInstruction()) {
          build_.Copy(bytecode::CloneElement(code_, element, map_));
          continue;
        }
        if (auto it = before_.find(i); it != before_.end()) Perform(it->second);
        Instruction(element, b, true);
      }
      if (Copied(b)) EndOfBlock(b, true);
    }
    uint32_t last = plan_.flow.blocks().back().end;
    for (uint32_t i = last; i < build_.Old().size(); ++i) {
      if (build_.Old()[i].IsLabel()) build_.Bind(map_[build_.Old()[i].label()]);
    }
  }

  // Checks may arrive at blocks that no jump of the program leads to.
  void MissingFrame(uint32_t b, bool in_copy) {
    const BlockFacts& facts = plan_.blocks[b];
    bool moved = plan_.partial || (!duplicates() && !on_edge_.empty());
    if (moved && b != 0 && !facts.has_frame) BlockFrame(b, in_copy);
  }

  void BlockFrame(uint32_t b, bool in_copy) {
    if (!code_.has_frames || !plan_.blocks[b].knows_frame) return;
    Element frame{ElementKind::kFrame, Op::kNop, 0, static_cast<int32_t>(plan_.blocks[b].frame),
                  Element::kInserted,  {}};
    if (in_copy) frame = bytecode::CloneElement(code_, frame, map_);
    build_.Frame(static_cast<uint32_t>(frame.value));
  }

  void Instruction(const Element& element, uint32_t b, bool in_copy) {
    Element copy = element;
    if (in_copy && element.self.valid()) copy.self = map_[element.self];
    if (bytecode::IsJump(element.op)) {
      copy.value = static_cast<int32_t>(Target(b, BlockOf(element.label()), in_copy).id);
    } else if (bytecode::IsSwitch(element.op)) {
      bytecode::Switch table = code_.switches[static_cast<size_t>(element.value)];
      table.fallback = Target(b, BlockOf(table.fallback), in_copy);
      for (Label& target : table.targets) target = Target(b, BlockOf(target), in_copy);
      copy.value = static_cast<int32_t>(code_.switches.size());
      code_.switches.push_back(std::move(table));
    }
    bool tells = in_copy && options_.by_calls && bytecode::IsInvoke(element.op);
    if (tells) build_.InvokeStatic(kSampledRuntime, "raise", "()V");
    build_.Copy(copy);
    if (tells) build_.InvokeStatic(kSampledRuntime, "lower", "()V");
    last_op_ = element.op;
  }

  // Falls through to the next block, or not.
  void EndOfBlock(uint32_t b, bool in_copy) {
    if (bytecode::EndsFlow(last_op_) || b + 1 >= size()) return;
    auto it = on_edge_.find({b, b + 1});
    if (it != on_edge_.end() && in_copy) Perform(it->second);
    if (it != on_edge_.end() && !duplicates()) {
      // A guard here needs no frame but that of the next block.
      build_.Jump(Op::kGoto, Target(b, b + 1, false));
      return;
    }
    if (in_copy && !Copied(b + 1)) build_.Jump(Op::kGoto, body_[b + 1]);
    if (!in_copy && !Copied(b) && Copied(b + 1)) build_.Jump(Op::kGoto, Enter(b + 1));
  }

  Label Target(uint32_t b, uint32_t to, bool in_copy) {
    Label target = in_copy ? CopyTarget(b, to) : BodyTarget(b, to);
    auto it = on_edge_.find({b, to});
    if (it == on_edge_.end() || (duplicates() && !in_copy)) return target;
    const Operations& operations = it->second;
    bool stays = in_copy && to > b && Copied(to);
    return NewPiece(to, stays, [this, &operations, target] {
      if (duplicates()) {
        Perform(operations);
      } else {
        Check();
        build_.Jump(Op::kIfeq, target);
        Perform(operations);
      }
      build_.Jump(Op::kGoto, target);
    });
  }

  Label BodyTarget(uint32_t b, uint32_t to) {
    if (to <= b) return Back(to);
    return duplicates() && !Copied(b) && Copied(to) ? Enter(to) : body_[to];
  }

  Label CopyTarget(uint32_t b, uint32_t to) {
    if (to > b) return Copied(to) ? copy_[to] : body_[to];
    return options_.iterations > 1 && Copied(to) ? Again(to) : Back(to);
  }

  // The check of a jump backwards to a block.
  Label Back(uint32_t to) {
    if (!Copied(to) && !options_.count_checks) return body_[to];
    return Once(back_, to, [this, to] {
      Note(Note::kBackEdge);
      if (Copied(to)) CheckFor(to);
      build_.Jump(Op::kGoto, body_[to]);
    });
  }

  // The check where the copied part begins.
  Label Enter(uint32_t to) {
    return Once(enter_, to, [this, to] {
      CheckFor(to);
      build_.Jump(Op::kGoto, body_[to]);
    });
  }

  void CheckFor(uint32_t to) {
    Check();
    build_.Jump(Op::kIfne, Landing(to));
  }

  // Where a visit of the copy begins at a block.
  Label Landing(uint32_t to) {
    if (options_.iterations <= 1 && !at_region_.contains(to)) return copy_[to];
    return Once(landing_, to, [this, to] {
      StartVisit();
      Region(to);
    });
  }

  void StartVisit() {
    if (options_.iterations <= 1) return;
    build_.PushInt(static_cast<int32_t>(options_.iterations));
    build_.Store(Op::kIstore, left_);
  }

  void Region(uint32_t to) {
    if (auto it = at_region_.find(to); it != at_region_.end()) Perform(it->second);
    build_.Jump(Op::kGoto, copy_[to]);
  }

  // A jump backwards in the copy that may stay there.
  Label Again(uint32_t to) {
    return Once(again_, to, [this, to] {
      Label stay = at_region_.contains(to) ? StayPiece(to) : copy_[to];
      build_.Emit(Op::kIinc, left_, -1);
      build_.Load(Op::kIload, left_);
      Label on = NotedStay(to, stay);
      build_.Jump(Op::kIfgt, on);
      build_.Jump(Op::kGoto, Back(to));
    });
  }

  // It is a back edge executed, with no check.
  Label NotedStay(uint32_t to, Label stay) {
    if (!options_.count_checks) return stay;
    return NewPiece(to, false, [this, stay] {
      Note(Note::kBackEdge);
      build_.Jump(Op::kGoto, stay);
    });
  }

  Label StayPiece(uint32_t to) {
    return Once(stay_, to, [this, to] { Region(to); });
  }

  Label Once(std::map<uint32_t, Label>& known, uint32_t to, std::function<void()> emit) {
    auto [it, added] = known.try_emplace(to);
    if (added) it->second = NewPiece(to, false, std::move(emit));
    return it->second;
  }

  Label NewPiece(uint32_t to, bool in_copy, std::function<void()> emit) {
    Label label = build_.NewLabel();
    pieces_.push_back({label, to, in_copy, std::move(emit)});
    return label;
  }

  void CopyRanges(size_t tries) {
    for (size_t i = 0; i < tries; ++i) {
      bytecode::TryRange range = code_.tries[i];
      uint32_t begin = BlockOf(range.start);
      uint32_t end = std::min(BlockOf(range.end), size());
      uint32_t handler = BlockOf(range.handler);
      bool any = false;
      for (uint32_t b = begin; b < end; ++b) any |= Copied(b);
      if (!any) continue;
      range.start = map_[range.start];
      range.end = map_[range.end];
      range.handler = Handler(handler, end);
      range.id = code_.try_count++;
      code_.tries.push_back(range);
    }
  }

  Label Handler(uint32_t handler, uint32_t end) {
    return handler >= end && Copied(handler) ? copy_[handler] : body_[handler];
  }

  // Emitting a piece may ask for more.
  void Pieces(size_t tries) {
    for (size_t i = 0; i < pieces_.size(); ++i) {
      Piece piece = pieces_[i];
      build_.Bind(piece.label);
      Label begin = build_.Here();
      BlockFrame(piece.block, piece.in_copy);
      piece.emit();
      Label end = build_.Here();
      for (size_t k = 0; k < tries; ++k) {
        bytecode::TryRange range = code_.tries[k];
        uint32_t last = std::min(BlockOf(range.end), size());
        if (piece.block < BlockOf(range.start) || piece.block >= last) continue;
        Label handler = piece.in_copy ? Handler(BlockOf(range.handler), last) : range.handler;
        code_.tries.push_back({begin, end, handler, range.catch_type, code_.try_count++});
      }
    }
  }

  const DuplicateOptions& options_;
  const Plan& plan_;
  Code& code_;
  LabelMap map_;
  CodeBuilder build_;
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
  std::vector<Piece> pieces_;
  std::map<uint32_t, Label> back_, enter_, landing_, again_, stay_;
};

}  // namespace

namespace {

// The first call that may throw, so that what follows is not executed.
uint32_t FirstCall(const classfile::ClassFile& file, const Code& code) {
  for (uint32_t i = 0; i < code.elements.size(); ++i) {
    const Element& element = code.elements[i];
    if (!element.IsInstruction() || !bytecode::IsInvoke(element.op)) continue;
    bool harmless = element.op == Op::kInvokespecial &&
                    file.pool.Member(element.index).owner == "java/lang/Object" &&
                    file.pool.Member(element.index).name == "<init>";
    if (!harmless) return i;
  }
  return ~0u;
}

}  // namespace

bool DuplicatePass::LeftToCallers(const Plan& plan, const classfile::ClassFile& file,
                                  const classfile::Method& method, const Code& code) const {
  if (!options_.by_calls || !IsStraight(code) || !IsCalledByCode(file, method)) return false;
  const uint32_t last = FirstCall(file, code);
  std::vector<uint32_t> ids;
  for (const Operation& operation : plan.operations) {
    const Point& point = operation.point;
    if (!point.plain || (point.place != Place::kBefore && point.place != Place::kEntry)) {
      return false;
    }
    if (point.place == Place::kBefore && point.element > last) return false;
    ids.push_back(point.id);
  }
  return ids_.CountsByCalls(file, method, ids);
}

Result<bool> DuplicatePass::Apply(classfile::ClassFile& file, const classfile::Method& method,
                                  Code& code) {
  uint32_t bytes_before = EstimateBytes(code);
  ASSAY_ASSIGN(Plan plan, MakePlan(options_, plugins_, ids_, file, method, code));
  if (plan.operations.empty() || LeftToCallers(plan, file, method, code)) return false;
  Duplicator duplicator(options_, plan, file, code);
  ASSAY_TRY(duplicator.Run(file.pool));
  if (bytes_before <= options_.max_bytes && EstimateBytes(code) > options_.max_bytes) {
    return Error{"would be longer than " + std::to_string(options_.max_bytes) + " bytes"};
  }
  return true;
}

}  // namespace assay::instrument
