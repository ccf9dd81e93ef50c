#include "src/sampling/hotspot/context_ledger.h"

#include <algorithm>

namespace assay::sampling {
namespace {

// CompiledMethodLoad comes from a queue in the VM: a new method may run before it is announced.
constexpr uint32_t kPatience = 20;

}  // namespace

ContextLedger::Chain ContextLedger::ResolveInterpreted(const RawFrame& frame) {
  const InterpretedMethods::Entry* entry = interpreted_->Find(frame.a);
  uint32_t method = entry == nullptr ? kNoMethod : compiled_->Declare(entry->id.load());
  if (method == kNoMethod) {
    lost_["frames of interpreted methods that are not known"]++;
    return {{kUnknownMethod, -1}};
  }
  bool inside = frame.b >= entry->code && frame.b < entry->code + entry->code_bytes;
  return {{method, inside ? static_cast<int32_t>(frame.b - entry->code) : -1}};
}

ContextLedger::Chain ContextLedger::Resolve(const RawFrame& frame, bool give_up) {
  if (frame.interpreted()) return ResolveInterpreted(frame);
  bool exact = false;
  Chain chain = compiled_->Lookup(frame.a, frame.compilation(), &exact, frame.kind() == RawFrame::kNear);
  std::reverse(chain.begin(), chain.end());
  if (frame.kind() >= RawFrame::kMethodOnly && !chain.empty()) chain = {{chain.front().method, -1}};
  if (chain.empty() && give_up) {
    lost_["frames of compiled code that the VM did not announce"]++;
    chain = {{kUnknownMethod, -1}};
  }
  for (VirtualFrame& each : chain) {
    if (each.method == kNoMethod) each.method = kUnknownMethod;
  }
  return chain;
}

bool ContextLedger::CanResolve(const SampleRing& ring, const SampleHeader& header) {
  for (uint32_t i = 0; i < header.frames; i++) {
    if (Resolve(ring.Get(2 + i), false).empty()) return false;
  }
  return true;
}

void ContextLedger::Drain(uint32_t number, ContextTrail& trail, bool last) {
  SampleHeader header;
  if (!trail.ring.Peek(&header) && trail.idle_ns.load() == 0) return;
  Thread& thread = threads_[number];
  while (trail.ring.Peek(&header)) {
    if (!last && thread.patience < kPatience && !CanResolve(trail.ring, header)) {
      thread.patience++;
      return;
    }
    thread.patience = 0;
    Take(thread, trail.ring, header);
    if (header.flags & SampleHeader::kOracle) {
      Compare(thread, trail.ring, header);
    } else {
      not_compared_++;
    }
    trail.ring.Consume(header);
  }
  if (uint64_t idle = trail.idle_ns.exchange(0)) {
    tree_.AddTime(thread.leaf, static_cast<double>(idle), 0);
    time_ns_ += idle;
  }
}

void ContextLedger::Take(Thread& thread, const SampleRing& ring, const SampleHeader& header) {
  std::vector<Level>& levels = thread.levels;
  bool detached = header.flags & SampleHeader::kDetached;
  if (header.kept > levels.size()) {  // never seen; a wrong context would be worse than a lost one
    lost_["samples out of step with their thread"]++;
    levels.clear();
    detached = true;
  }
  uint32_t before = header.kept < levels.size() ? levels[header.kept].node : ContextTree::kRoot;
  levels.resize(std::min<size_t>(header.kept, levels.size()));
  Level at =
      levels.empty()
          ? Level{tree_.Child(ContextTree::kRoot, -1, detached ? kDetachedMethod : kVmMethod), -1}
          : levels.back();
  if (levels.empty() && header.flags & SampleHeader::kOldestIsOld && before != ContextTree::kRoot) {
    // The oldest frame of a piece that was detached stays where it was.
    uint32_t root = before;
    while (tree_.node(root).parent != ContextTree::kRoot) root = tree_.node(root).parent;
    at.node = root;
  }
  for (uint32_t i = header.frames; i-- > 0;) {
    bool old = i + 1 == header.frames && header.flags & SampleHeader::kOldestIsOld;
    uint32_t below = at.node;
    for (const VirtualFrame& frame : Resolve(ring.Get(2 + i), true)) {
      at = {tree_.Child(at.node, at.bci, frame.method), frame.bci};
      bool was_there = false;
      if (old) {
        for (uint32_t n = before; n != below && n != ContextTree::kRoot; n = tree_.node(n).parent) {
          was_there = was_there || n == at.node;
        }
      }
      if (!was_there) {
        tree_.AddActivation(at.node);
        activations_++;
      }
    }
    levels.push_back(at);
  }
  thread.leaf = at.node;
  if (header.flags & SampleHeader::kInVm) thread.leaf = tree_.Child(at.node, at.bci, kVmMethod);
  tree_.AddTime(thread.leaf, static_cast<double>(header.weight_ns),
                static_cast<double>(header.samples));
  time_ns_ += header.weight_ns;
  samples_ += header.samples;
}

void ContextLedger::Tidy(size_t max_contexts) {
  compiled_->Forget(compiled_->Unloaded());
  bool crowded = tree_.size() > max_contexts;
  if (!crowded && !tree_.FadingIsDue()) return;
  size_t before = tree_.size();
  Rename(tree_.Purge(crowded ? max_contexts / 4 * 3 : max_contexts, OnStacks()));
  // The contexts left have new numbers, and those gone must leave the profile too.
  renumbered_ = renumbered_ || tree_.size() != before;
}

std::vector<uint32_t> ContextLedger::OnStacks() const {
  std::vector<uint32_t> nodes;
  for (const auto& [number, thread] : threads_) {
    nodes.push_back(thread.leaf);
    for (const Level& level : thread.levels) nodes.push_back(level.node);
  }
  return nodes;
}

void ContextLedger::Rename(const std::vector<uint32_t>& renamed) {
  for (auto& [number, thread] : threads_) {
    thread.leaf = renamed[thread.leaf];
    for (Level& level : thread.levels) level.node = renamed[level.node];
  }
}

void ContextLedger::BeginSegment() {
  Rename(tree_.Restart(OnStacks()));
  profile_ids_.clear();
  lost_.clear();
  renumbered_ = false;
  time_ns_ = samples_ = activations_ = 0;
}

}  // namespace assay::sampling
