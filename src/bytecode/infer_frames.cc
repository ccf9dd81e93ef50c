// A forward data-flow analysis in the style of Kildall: the state at the start of a block is the
// merge of the states that its predecessors end with; a handler's state is the merge of every state
// in its range, with the exception alone on the stack. Blocks are visited in reverse postorder
// until nothing changes. Types only ever move up (towards Top), so this ends.
#include "src/bytecode/infer_frames.h"

#include "src/bytecode/control_flow.h"
#include "src/bytecode/simulator.h"

namespace assay::bytecode {

using V = VerificationType;

namespace {

constexpr size_t kMaxStateWords = 8u << 20;  // blocks times locals: bounds memory and time

struct State {
  std::vector<V> locals;
  std::vector<V> stack;
  bool known = false;
};

class Inference {
 public:
  Inference(const classfile::ClassFile& file, const classfile::Method& method, Code& code,
            const Hierarchy& hierarchy, const ControlFlow& flow)
      : file_(file),
        code_(code),
        hierarchy_(hierarchy),
        flow_(flow),
        state_(file, method, code),
        entry_(flow.blocks().size()),
        given_(flow.blocks().size()) {}

  Status Run() {
    if (flow_.blocks().size() * (code_.max_locals + code_.max_stack) > kMaxStateWords) {
      return Error{"method too large to infer frames for"};
    }
    FindGivenFrames();
    ASSAY_TRY(state_.Start());
    entry_[0] = {state_.locals(), state_.stack(), true};
    bool changed = true;
    while (changed) {
      changed = false;
      for (uint32_t block : flow_.ReversePostorder()) {
        if (!entry_[block].known || !dirty(block)) continue;
        clean_[block] = true;
        ASSAY_TRY(Transfer(block, changed));
      }
    }
    return {};
  }

  // The elements with new frames and without unreachable instructions.
  std::vector<Element> Rebuild() {
    std::vector<Element> out;
    const auto& blocks = flow_.blocks();
    for (uint32_t b = 0; b < blocks.size(); ++b) {
      bool reachable = entry_[b].known;
      bool framed = false;
      bool wants_frame = reachable && NeedsFrame(b);
      for (uint32_t i = blocks[b].begin; i < blocks[b].end; ++i) {
        const Element& element = code_.elements[i];
        if (element.kind == ElementKind::kFrame) continue;
        if (element.IsInstruction()) {
          if (!reachable) continue;
          if (wants_frame && !framed) {
            out.push_back({ElementKind::kFrame,
                           Op::kNop,
                           0,
                           static_cast<int32_t>(Capture(b)),
                           Element::kInserted,
                           {}});
            framed = true;
          }
        } else if (element.kind == ElementKind::kLine && !reachable) {
          continue;
        }
        out.push_back(element);
      }
    }
    return out;
  }

 private:
  bool dirty(uint32_t block) {
    if (clean_.empty()) clean_.resize(flow_.blocks().size());
    return !clean_[block];
  }

  // Where the old frames are is where they are consulted.
  void FindGivenFrames() {
    const auto& blocks = flow_.blocks();
    for (uint32_t b = 0; b < blocks.size(); ++b) {
      for (uint32_t i = blocks[b].begin; i < blocks[b].end; ++i) {
        const Element& element = code_.elements[i];
        if (element.IsInstruction()) break;
        if (element.kind != ElementKind::kFrame) continue;
        state_.SetFrame(code_.frames[static_cast<size_t>(element.value)]);
        given_[b] = {state_.locals(), state_.stack(), true};
      }
    }
  }

  bool NeedsFrame(uint32_t block) const {
    if (block == 0) {
      // The implicit frame serves unless something jumps back to the start.
      for (uint32_t from : flow_.blocks()[0].predecessors) {
        if (entry_[from].known) return true;
      }
    }
    const Block& before = flow_.blocks()[block == 0 ? 0 : block - 1];
    if (block == 0) return false;
    // A block that is only fallen into from the one before needs none.
    bool falls = !before.successors.empty() && before.successors[0] == block;
    uint32_t last = flow_.LastInstruction(code_, block - 1);
    if (last == ControlFlow::kNone || EndsFlow(code_.elements[last].op)) falls = false;
    if (!falls || handler_[block]) return true;
    bool jumps_here =
        IsJump(code_.elements[last].op) && flow_.BlockOf(code_.elements[last].label()) == block;
    return jumps_here || flow_.blocks()[block].predecessors.size() > 1;
  }

  uint32_t Capture(uint32_t block) {
    state_.locals() = entry_[block].locals;
    state_.stack() = entry_[block].stack;
    uint32_t frame = state_.CaptureFrame();
    code_.frames[frame].exact = true;
    return frame;
  }

  Status Transfer(uint32_t block, bool& changed) {
    if (handler_.empty()) MarkHandlers();
    const Block& b = flow_.blocks()[block];
    state_.locals() = entry_[block].locals;
    state_.stack() = entry_[block].stack;
    state_.SetReachable();
    ASSAY_TRY(MergeIntoHandlers(block, changed));
    Op last = Op::kNop;
    for (uint32_t i = b.begin; i < b.end; ++i) {
      Element& element = code_.elements[i];
      if (!element.IsInstruction()) continue;
      if (element.op == Op::kJsr || element.op == Op::kRet) return Error{"jsr or ret"};
      ASSAY_TRY(state_.Step(element));
      last = element.op;
      if (IsStore(last) || last == Op::kInvokespecial) {
        ASSAY_TRY(MergeIntoHandlers(block, changed));
      }
    }
    for (uint32_t to : b.successors) {
      ASSAY_TRY(Merge(to, state_.locals(), state_.stack(), changed));
    }
    return {};
  }

  void MarkHandlers() {
    handler_.resize(flow_.blocks().size());
    caught_.resize(flow_.blocks().size());
    for (const TryRange& range : code_.tries) {
      uint32_t block = flow_.BlockOf(range.handler);
      if (block == ControlFlow::kNone) continue;
      V type = range.catch_type ? V{V::kObject, range.catch_type}
                                : code_.ObjectNamed("java/lang/Throwable");
      // One handler for several types sees what they have in common; at worst Throwable.
      if (handler_[block] && !Same(caught_[block], type)) {
        std::string common = CommonSuperclass(hierarchy_, Name(caught_[block]), Name(type));
        type = given_[block].known && given_[block].stack.size() == 1 ? given_[block].stack[0]
               : common.empty() ? code_.ObjectNamed("java/lang/Throwable")
                                : code_.ObjectNamedCopy(std::move(common));
      }
      caught_[block] = type;
      handler_[block] = true;
    }
  }

  Status MergeIntoHandlers(uint32_t block, bool& changed) {
    for (uint32_t to : flow_.blocks()[block].handlers) {
      std::vector<V> stack{caught_[to]};
      ASSAY_TRY(Merge(to, state_.locals(), stack, changed));
    }
    return {};
  }

  Status Merge(uint32_t block, const std::vector<V>& locals, const std::vector<V>& stack,
               bool& changed) {
    State& into = entry_[block];
    if (!into.known) {
      into = {locals, stack, true};
      changed = true;
      return {};
    }
    if (into.stack.size() != stack.size()) return Error{"stacks of different depth meet"};
    bool moved = false;
    if (into.locals.size() > locals.size()) {
      // What the shorter state does not have is unusable; Top at the end is implicit.
      into.locals.resize(locals.size());
      moved = true;
    }
    ASSAY_TRY(MergeTypes(into.locals, locals, given_[block], given_[block].locals, moved));
    ASSAY_TRY(MergeTypes(into.stack, stack, given_[block], given_[block].stack, moved));
    if (moved) {
      Repair(into.locals);
      clean_[block] = false;
      changed = true;
    }
    return {};
  }

  // A long whose second word is gone is gone, and the other way round.
  static void Repair(std::vector<V>& words) {
    for (size_t i = 0; i < words.size(); ++i) {
      bool second = i + 1 < words.size() && words[i + 1].tag == V::kSecond;
      if (words[i].IsWide() && !second) words[i] = {};
      if (words[i].tag == V::kSecond && (i == 0 || !words[i - 1].IsWide())) words[i] = {};
    }
  }

  Status MergeTypes(std::vector<V>& into, const std::vector<V>& from, const State& given,
                    const std::vector<V>& given_types, bool& moved) {
    for (size_t i = 0; i < into.size(); ++i) {
      if (Same(into[i], from[i])) continue;
      V old = into[i];
      V hint = !given.known ? V{V::kSecond, 0} : i < given_types.size() ? given_types[i] : V{};
      ASSAY_ASSIGN(into[i], Join(into[i], from[i], hint));
      moved |= !Same(old, into[i]);
    }
    return {};
  }

  // `given` is kSecond when there was no frame.
  Result<V> Join(V a, V b, V given) {
    if (a.tag == V::kNull && b.tag == V::kObject) return b;
    if (b.tag == V::kNull && a.tag == V::kObject) return a;
    if (a.tag != V::kObject || b.tag != V::kObject) return V{};
    std::string common = CommonSuperclass(hierarchy_, Name(a), Name(b));
    if (!common.empty()) {
      // The verifier would have to load a narrower class than the old frame named, which may be missing.
      const bool given_is_wider =
          given.tag == V::kObject && CommonSuperclass(hierarchy_, common, Name(given)) == Name(given);
      return given_is_wider ? given : code_.ObjectNamedCopy(std::move(common));
    }
    if (given.tag == V::kObject || given.tag == V::kTop) return given;
    return Error{"no common superclass known for " + std::string(Name(a)) + " and " +
                 std::string(Name(b))};
  }

  bool Same(V a, V b) const {
    return a == b || (a.tag == V::kObject && b.tag == V::kObject && Name(a) == Name(b));
  }
  std::string_view Name(V type) const { return ClassNameOf(file_, code_, type); }

  const classfile::ClassFile& file_;
  Code& code_;
  const Hierarchy& hierarchy_;
  const ControlFlow& flow_;
  Simulator state_;
  std::vector<State> entry_;
  std::vector<State> given_;
  std::vector<bool> clean_;
  std::vector<bool> handler_;
  std::vector<V> caught_;
};

}  // namespace

Status InferFrames(const classfile::ClassFile& file, const classfile::Method& method, Code& code,
                   const Hierarchy& hierarchy) {
  ASSAY_ASSIGN(ControlFlow flow, ControlFlow::Build(code));
  Inference inference(file, method, code, hierarchy, flow);
  if (Status status = inference.Run(); !status.ok()) {
    if (status.error().where.empty()) status.error().where = file.Where(method);
    return status;
  }
  code.elements = inference.Rebuild();
  return {};
}

}  // namespace assay::bytecode
