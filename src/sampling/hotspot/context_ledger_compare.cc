// Samples that carry the VM's own walk, compared with what the tree made of them (--verify-walks).
#include <algorithm>

#include "src/sampling/hotspot/context_ledger.h"

namespace assay::sampling {

// The stack as the tree has it, newest first, each frame with where it stands; what is at the end
// of it is not part. Not complete: a detached piece.
ContextLedger::Chain ContextLedger::WholeStack(uint32_t node, bool* complete) const {
  Chain frames;
  int32_t bci = -1;
  for (; node != ContextTree::kRoot; node = tree_.node(node).parent) {
    uint32_t method = tree_.node(node).method;
    *complete = method != kDetachedMethod;
    if (tree_.node(node).parent == ContextTree::kRoot) break;
    frames.push_back({method, bci});
    bci = tree_.node(node).bci;
  }
  return frames;
}

bool ContextLedger::Agrees(std::vector<VirtualFrame> frames, bool complete, const SampleRing& ring,
                           const SampleHeader& header) {
  size_t count = std::min<size_t>(frames.size(), header.oracle);
  if (frames.size() < header.oracle && complete) return false;
  for (size_t i = 0; i < count; i++) {
    RawFrame theirs = ring.Get(static_cast<uint32_t>(2 + header.frames + i));
    uint32_t method = compiled_->Declare(reinterpret_cast<jmethodID>(theirs.a));
    auto bci = static_cast<int32_t>(static_cast<int64_t>(theirs.b));
    if (frames[i].method == kUnknownMethod || method == kNoMethod) continue;
    if (frames[i].method != method) return false;
    if (frames[i].bci >= 0 && bci >= 0 && frames[i].bci != bci) return false;
  }
  return true;
}

// The whole stack as the tree has it against the whole stack as the VM sees it: methods, and the
// call site of every frame but the newest.
void ContextLedger::Compare(const Thread& thread, const SampleRing& ring,
                            const SampleHeader& header) {
  bool complete = true;
  Chain frames = WholeStack(thread.levels.back().node, &complete);
  if (header.flags & SampleHeader::kOracleIsCaller && !frames.empty()) frames.erase(frames.begin());
  // Compiled code that the VM has not announced yet stands for an unknown number of frames, and so does the newest one
  // when it is past all debug information that the VM hands out: only its method is known then.
  const RawFrame newest = header.frames > 0 ? ring.Get(2) : RawFrame{};
  const Chain inlined = header.frames > 0 ? Resolve(newest, true) : Chain();
  const bool method_only = !newest.interpreted() && newest.kind() == RawFrame::kNear && inlined.size() == 1 && inlined[0].bci < 0;
  if (method_only || std::any_of(frames.begin(), frames.end(),
                                 [](const VirtualFrame& frame) { return frame.method == kUnknownMethod; })) {
    not_compared_++;
    return;
  }
  compared_++;
  // The VM stops before a frame that waits to be deoptimized (frame::safe_for_sender).
  if (frames.size() > header.oracle && header.oracle < ContextTrail::kFrames) cut_short_++;
  if (Agrees(frames, complete, ring, header)) return;
  // The VM looks up the newest compiled frame by the pc after its own, even if that is exact
  // (forte.cpp, is_decipherable_compiled_frame).
  if (header.frames > 0 && !newest.interpreted() && newest.kind() == RawFrame::kAtCall) {
    size_t exact = inlined.size();
    Chain rounded = Resolve(RawFrame::Compiled(newest.a, RawFrame::kNear, newest.compilation()), true);
    std::reverse(rounded.begin(), rounded.end());
    rounded.insert(rounded.end(),
                   frames.begin() + static_cast<ptrdiff_t>(std::min(exact, frames.size())),
                   frames.end());
    if (Agrees(rounded, complete, ring, header)) return;
  }
  disagreed_++;
  if (!first_disagreement_.empty()) return;
  auto text = [&](uint32_t method, int64_t bci) {
    MethodName name = compiled_->Name(method);
    return " " + name.class_name + "." + name.name + "#" + std::to_string(method) + "@" +
           std::to_string(bci);
  };
  first_disagreement_ = std::to_string(frames.size()) + " against " +
                        std::to_string(header.oracle) + " frames, flags " +
                        std::to_string(header.flags) + ", newest " +
                        std::to_string(newest.interpreted() ? -1 : static_cast<int>(newest.kind())) +
                        ", given " + std::to_string(header.frames) + ": tree";
  for (size_t i = 0; i < frames.size() && i < 12; i++)
    first_disagreement_ += text(frames[i].method, frames[i].bci);
  first_disagreement_ += "; VM";
  for (uint32_t i = 0; i < header.oracle && i < 12; i++) {
    RawFrame theirs = ring.Get(2 + header.frames + i);
    first_disagreement_ += text(compiled_->Declare(reinterpret_cast<jmethodID>(theirs.a)),
                                static_cast<int64_t>(theirs.b));
  }
}

}  // namespace assay::sampling
