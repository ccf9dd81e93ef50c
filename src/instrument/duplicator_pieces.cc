// Where jumps of the body and the copy lead: the pieces of code in front of blocks or behind the
// rest, with their exception ranges.
#include <algorithm>

#include "src/instrument/duplicator.h"

namespace assay::instrument {

using bytecode::Label;
using bytecode::Op;

Label Duplicator::Target(uint32_t b, uint32_t to, bool in_copy) {
  Label target = in_copy ? CopyTarget(b, to) : BodyTarget(b, to);
  auto it = on_edge_.find({b, to});
  if (it == on_edge_.end() || (duplicates() && !in_copy)) return target;
  const Operations& operations = it->second;
  bool stays = in_copy && to > b && Copied(to);
  const bool in_front = to > b && stays == in_copy;
  return NewPiece(to, stays, in_front, [this, &operations, target] {
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

Label Duplicator::BodyTarget(uint32_t b, uint32_t to) {
  if (to <= b) return Back(to);
  return duplicates() && !Copied(b) && Copied(to) ? Enter(to) : body_[to];
}

Label Duplicator::CopyTarget(uint32_t b, uint32_t to) {
  if (to > b) return Copied(to) ? copy_[to] : body_[to];
  return options_.iterations > 1 && Copied(to) ? Again(to) : Back(to);
}

Label Duplicator::Back(uint32_t to) {
  if (!Copied(to) && !options_.count_checks) return body_[to];
  return Once(back_, to, [this, to] {
    Note(Note::kBackEdge);
    if (Copied(to)) CheckFor(to, options_.back_edge_checks);
    build_.Jump(Op::kGoto, body_[to]);
  });
}

Label Duplicator::Enter(uint32_t to) {
  auto [it, added] = enter_.try_emplace(to);
  if (added) {
    it->second = NewPiece(to, false, true, [this, to] {
      CheckFor(to, options_.entry_checks);
      build_.Jump(Op::kGoto, body_[to]);
    });
  }
  return it->second;
}

void Duplicator::CheckFor(uint32_t to, bool asks) {
  Check(asks);
  build_.Jump(Op::kIfne, Landing(to));
}

Label Duplicator::Landing(uint32_t to) {
  if (options_.iterations <= 1 && !at_region_.contains(to)) return copy_[to];
  return Once(landing_, to, [this, to] {
    StartVisit();
    Region(to);
  });
}

void Duplicator::StartVisit() {
  if (options_.iterations <= 1) return;
  build_.PushInt(static_cast<int32_t>(options_.iterations));
  build_.Store(Op::kIstore, left_);
}

void Duplicator::Region(uint32_t to) {
  if (auto it = at_region_.find(to); it != at_region_.end()) Perform(it->second);
  build_.Jump(Op::kGoto, copy_[to]);
}

Label Duplicator::Again(uint32_t to) {
  return Once(again_, to, [this, to] {
    Label stay = at_region_.contains(to) ? StayPiece(to) : copy_[to];
    build_.Emit(Op::kIinc, left_, -1);
    build_.Load(Op::kIload, left_);
    Label on = NotedStay(to, stay);
    build_.Jump(Op::kIfgt, on);
    build_.Jump(Op::kGoto, Back(to));
  });
}

Label Duplicator::NotedStay(uint32_t to, Label stay) {
  if (!options_.count_checks) return stay;
  return NewPiece(to, false, false, [this, stay] {
    Note(Note::kBackEdge);
    build_.Jump(Op::kGoto, stay);
  });
}

Label Duplicator::StayPiece(uint32_t to) {
  return Once(stay_, to, [this, to] { Region(to); });
}

Label Duplicator::Once(std::map<uint32_t, Label>& known, uint32_t to, std::function<void()> emit) {
  auto [it, added] = known.try_emplace(to);
  if (added) it->second = NewPiece(to, false, false, std::move(emit));
  return it->second;
}

Label Duplicator::NewPiece(uint32_t to, bool in_copy, bool in_front, std::function<void()> emit) {
  Label label = build_.NewLabel();
  (in_front ? in_front_[to] : pieces_).push_back({label, to, in_copy, std::move(emit)});
  return label;
}

void Duplicator::JumpOverPieces(uint32_t b, bool in_copy) {
  if (falls_through_ && in_front_.contains(b)) {
    build_.Jump(Op::kGoto, (in_copy ? copy_ : body_)[b]);
  }
}

void Duplicator::StartOfBlock(uint32_t b, bool in_copy) {
  if (auto pieces = in_front_.extract(b); !pieces.empty()) {
    for (const Piece& piece : pieces.mapped()) {
      build_.Bind(piece.label);
      BlockFrame(b, in_copy);
      piece.emit();
    }
  }
  build_.Bind((in_copy ? copy_ : body_)[b]);
}

void Duplicator::CopyRanges(size_t tries) {
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

Label Duplicator::Handler(uint32_t handler, uint32_t end) {
  return handler >= end && Copied(handler) ? copy_[handler] : body_[handler];
}

void Duplicator::HandlersBehindPieces() {
  for (bytecode::TryRange& range : code_.tries) {
    const uint32_t handler = BlockOf(range.handler);
    if (handler != bytecode::ControlFlow::kNone) range.handler = body_[handler];
  }
}

void Duplicator::Pieces(size_t tries) {
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

}  // namespace assay::instrument
