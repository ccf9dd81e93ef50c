#include "src/sampling/hotspot/context_ledger.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace assay::sampling {
namespace {

constexpr uint32_t kNoMethod = UINT32_MAX;
constexpr uint32_t kVmMethod = UINT32_MAX - 1;
constexpr uint32_t kDetachedMethod = UINT32_MAX - 2;
constexpr uint32_t kUnknownMethod = UINT32_MAX - 3;
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
  Chain chain = compiled_->Lookup(frame.a, &exact, frame.b == RawFrame::kNear);
  std::reverse(chain.begin(), chain.end());
  if (frame.b >= RawFrame::kMethodOnly && !chain.empty()) chain = {{chain.front().method, -1}};
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
  compared_++;
  // The VM stops before a frame that waits to be deoptimized (frame::safe_for_sender).
  if (frames.size() > header.oracle && header.oracle < ContextTrail::kFrames) cut_short_++;
  if (Agrees(frames, complete, ring, header)) return;
  // The VM looks up the newest compiled frame by the pc after its own, even if that is exact
  // (forte.cpp, is_decipherable_compiled_frame).
  RawFrame newest = ring.Get(2);
  if (!newest.interpreted() && newest.b == RawFrame::kAtCall) {
    size_t exact = Resolve(newest, true).size();
    Chain rounded = Resolve({newest.a, RawFrame::kNear}, true);
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
                        std::to_string(header.flags) + ", newest " + std::to_string(newest.b) +
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

profile::MethodId ContextLedger::MethodOf(profile::Profile& profile, uint32_t method) {
  if (method == kVmMethod) return profile.InternMethod("", profile::kVmCaller, "");
  if (method == kDetachedMethod) return profile.InternMethod("", "<detached>", "");
  if (method >= kUnknownMethod) return profile.InternMethod("", "<unknown>", "");
  if (method >= profile_ids_.size()) profile_ids_.resize(method + 1, UINT32_MAX);
  if (profile_ids_[method] == UINT32_MAX) {
    MethodName name = compiled_->Name(method);
    profile_ids_[method] = profile.InternMethod(name.class_name, name.name, name.descriptor);
    profile::Method& described = profile.method(profile_ids_[method]);
    described.source_file = std::move(name.source_file);
    described.code_bytes = name.code_bytes;
    described.lines = std::move(name.lines);
  }
  return profile_ids_[method];
}

void ContextLedger::Fill(profile::Profile& profile) {
  compiled_->NameDeclared();
  if (std::exchange(renumbered_, false)) {
    profile.ForgetGraph();
    profile_ids_.clear();
  }
  for (profile::EdgeId id = 0; id < profile.edges().size(); id++) {
    profile.edge(id).samples = 0;
    profile.edge(id).weight = profile.edge(id).variance = 0;
  }
  for (profile::NodeId id = 0; id < profile.nodes().size(); id++) {
    profile.node(id).samples = 0;
    profile.node(id).calls = profile.node(id).self = 0;
  }
  std::vector<bool> used(tree_.size());
  for (uint32_t id = static_cast<uint32_t>(tree_.size()); id-- > 1;) {  // callers come first
    const ContextTree::Node& node = tree_.node(id);
    if (node.samples > 0 || node.self_ns > 0 || node.activations > 0) used[id] = true;
    if (used[id]) used[node.parent] = true;
  }
  double factor = tree_.Factor();
  for (uint32_t id = 1; id < tree_.size(); id++) {
    ContextTree::Node& node = tree_.node(id);
    if (!used[id]) continue;
    uint32_t parent =
        node.parent == ContextTree::kRoot ? profile::kRootNode : tree_.node(node.parent).in_profile;
    profile::MethodId method = MethodOf(profile, node.method);
    if (node.in_profile == 0) node.in_profile = profile.InternNode(parent, node.bci, method);
    profile::ContextNode& target = profile.node(node.in_profile);
    target.samples = static_cast<uint64_t>(std::llround(node.samples * factor));
    target.calls = node.activations * factor;
    target.self = node.self_ns * factor;
    if (node.parent == ContextTree::kRoot || node.activations == 0) continue;
    profile.AddEdge(MethodOf(profile, tree_.node(node.parent).method), node.bci, method,
                    static_cast<uint64_t>(std::llround(target.calls)), target.calls, target.calls);
  }
  profile.self_unit = "ns";
  for (const auto& [reason, count] : lost_) profile.lost[reason] = count;
  if (tree_.purged_nodes() > 0) {
    profile.lost["contexts purged"] = tree_.purged_nodes();
    profile.lost["microseconds in contexts purged"] =
        static_cast<uint64_t>(tree_.purged_ns() / 1000);
  }
  auto& metadata = profile.metadata;
  metadata["samples-taken"] = std::to_string(samples_);
  metadata["time-ms"] = std::to_string(static_cast<double>(time_ns_) / 1e6);
  metadata["contexts-made"] = std::to_string(tree_.nodes_made());
  metadata["contexts-held"] = std::to_string(tree_.size() - 1);
  metadata["contexts-kb"] = std::to_string(tree_.MemoryBytes() / 1024);
  metadata["activations-seen"] = std::to_string(activations_);
  if (compared_ > 0) {
    metadata["walks-compared"] = std::to_string(compared_);
    metadata["walks-not-compared"] = std::to_string(not_compared_);
    metadata["walks-compared-in-part"] = std::to_string(cut_short_);
    metadata["walks-that-differ"] = std::to_string(disagreed_);
    if (disagreed_ > 0) metadata["first-difference"] = first_disagreement_;
  }
}

}  // namespace assay::sampling
