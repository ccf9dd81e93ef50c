#include "src/instrument/duplicator.h"

#include "src/bytecode/max_stack.h"

namespace assay::instrument {

using bytecode::Code;
using bytecode::Element;
using bytecode::ElementKind;
using bytecode::Label;
using bytecode::Op;

namespace {

// What comes in front of a block's frame.
bool IsMark(const Element& element) {
  return element.IsLabel() || element.kind == ElementKind::kLine;
}

}  // namespace

Duplicator::Duplicator(const DuplicateOptions& options, const Plan& plan,
                       classfile::ClassFile& file, Code& code)
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

Status Duplicator::Run(const classfile::ConstantPool& pool) {
  const size_t tries = code_.tries.size();
  const size_t variables = code_.variables.size();
  const size_t variable_types = code_.variable_types.size();
  if (duplicates()) code_.elements.reserve(build_.Old().size() * 2 + 64);
  Prologue();
  Body();
  if (duplicates()) {
    falls_through_ = false;
    Copy();
    CopyRanges(tries);
    // A variable may have no code at all in a part of the body.
    if (!plan_.partial) bytecode::CloneRanges(code_, map_, 0, variables, variable_types);
  }
  Pieces(tries);
  HandlersBehindPieces();
  ASSAY_TRY(build_.Finish());
  return bytecode::ComputeMaxStack(pool, code_);
}

void Duplicator::Sort(const Operation& operation) {
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

void Duplicator::Perform(const Operations& operations) {
  if (options_.checks_only) return;
  for (const Operation* operation : operations) {
    if (auto it = locals_.find(operation->by); it != locals_.end()) emit_.set_local(it->second);
    operation->by->Emit(operation->point, emit_);
  }
}

void Duplicator::PerformGuarded(const Operations& operations, uint32_t after, bool needs_frame) {
  Label skip = build_.NewLabel();
  Check();
  build_.Jump(Op::kIfeq, skip);
  Perform(operations);
  build_.Bind(skip);
  if (needs_frame) build_.Frame(after);
}

void Duplicator::Note(enum Note what) {
  if (!options_.count_checks) return;
  build_.PushInt(static_cast<int32_t>(what));
  build_.InvokeStatic(kSampledRuntime, "note", "(I)V");
}

void Duplicator::Check(bool asks) {
  if (!asks) return build_.PushInt(0);
  Note(Note::kCheck);
  build_.PushInt(static_cast<int32_t>(lane_++ % kSampledLanes));
  build_.InvokeStatic(kSampledRuntime, plan_.small ? "called" : options_.check, "(I)Z");
}

void Duplicator::Prologue() {
  for (const Operation& operation : plan_.operations) {
    if (!operation.by->wants_local() || locals_.contains(operation.by)) continue;
    locals_[operation.by] = NewLocal();
  }
  if (duplicates() && options_.iterations > 1) left_ = NewLocal();
  Note(Note::kEntry);
  if (Copied(0)) {
    Check(options_.entry_checks);
    // A frame of its own at the start of the copy would clash with that of the block.
    bool nothing_first = (at_entry_.empty() || options_.checks_only) && options_.iterations <= 1;
    entry_ = plan_.blocks[0].has_frame && nothing_first ? copy_[0] : build_.NewLabel();
    build_.Jump(Op::kIfne, entry_);
  } else if (!duplicates() && !at_entry_.empty()) {
    PerformGuarded(at_entry_, EntryFrame(), code_.has_frames && !plan_.blocks[0].has_frame);
  }
}

uint16_t Duplicator::NewLocal() {
  uint16_t slot = code_.AddLocal({bytecode::VerificationType::kInteger}, true);
  build_.PushInt(0);
  build_.Store(Op::kIstore, slot);
  return slot;
}

uint32_t Duplicator::EntryFrame() {
  code_.frames.push_back(code_.entry);
  return static_cast<uint32_t>(code_.frames.size() - 1);
}

void Duplicator::Body() {
  for (uint32_t b = 0; b < size(); ++b) {
    const auto& block = plan_.flow.blocks()[b];
    JumpOverPieces(b, false);
    bool started = false;
    for (uint32_t i = block.begin; i < block.end; ++i) {
      const Element& element = build_.Old()[i];
      if (!started && !IsMark(element)) {
        StartOfBlock(b, false);
        started = true;
      }
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

void Duplicator::Copy() {
  if (entry_.valid() && !(entry_ == copy_[0])) {
    build_.Bind(entry_);
    if (code_.has_frames) build_.Frame(EntryFrame());
    StartVisit();
    Perform(at_entry_);
  }
  for (uint32_t b = 0; b < size(); ++b) {
    const auto& block = plan_.flow.blocks()[b];
    if (Copied(b)) JumpOverPieces(b, true);
    bool started = !Copied(b);
    for (uint32_t i = block.begin; i < block.end; ++i) {
      const Element& element = build_.Old()[i];
      if (!started && !IsMark(element)) {
        StartOfBlock(b, true);
        started = true;
      }
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

void Duplicator::MissingFrame(uint32_t b, bool in_copy) {
  const BlockFacts& facts = plan_.blocks[b];
  bool moved = plan_.partial || (!duplicates() && !on_edge_.empty());
  if (moved && b != 0 && !facts.has_frame) BlockFrame(b, in_copy);
}

void Duplicator::BlockFrame(uint32_t b, bool in_copy) {
  if (!code_.has_frames || !plan_.blocks[b].knows_frame) return;
  Element frame{ElementKind::kFrame, Op::kNop, 0, static_cast<int32_t>(plan_.blocks[b].frame),
                Element::kInserted,  {}};
  if (in_copy) frame = bytecode::CloneElement(code_, frame, map_);
  build_.Frame(static_cast<uint32_t>(frame.value));
}

void Duplicator::Instruction(const Element& element, uint32_t b, bool in_copy) {
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

void Duplicator::EndOfBlock(uint32_t b, bool in_copy) {
  falls_through_ = false;
  if (bytecode::EndsFlow(last_op_) || b + 1 >= size()) return;
  auto it = on_edge_.find({b, b + 1});
  if (it != on_edge_.end() && in_copy) Perform(it->second);
  if (it != on_edge_.end() && !duplicates()) {
    // A guard here needs no frame but that of the next block.
    build_.Jump(Op::kGoto, Target(b, b + 1, false));
  } else if (in_copy && !Copied(b + 1)) {
    build_.Jump(Op::kGoto, body_[b + 1]);
  } else if (!in_copy && !Copied(b) && Copied(b + 1)) {
    build_.Jump(Op::kGoto, Enter(b + 1));
  } else {
    falls_through_ = true;
  }
}

}  // namespace assay::instrument
