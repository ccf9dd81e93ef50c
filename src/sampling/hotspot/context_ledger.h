// Turns raw samples into the context tree: follows each thread's stack of contexts as the samples
// change it, asks what program counters and Method*s mean, and compares with the VM's own walker
// where samples carry its answer. One thread at a time; never in signal handlers.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "src/profile/profile.h"
#include "src/sampling/context_tree.h"
#include "src/sampling/hotspot/compiled_methods.h"
#include "src/sampling/hotspot/context_recorder.h"
#include "src/sampling/hotspot/interpreted_methods.h"

namespace assay::sampling {

class ContextLedger {
 public:
  ContextLedger(CompiledMethods* compiled, const InterpretedMethods* interpreted)
      : compiled_(compiled), interpreted_(interpreted) {}

  // What a thread's samples say. `last`: the thread ends, nothing may stay behind.
  void Drain(uint32_t thread, ContextTrail& trail, bool last);
  void EndThread(uint32_t thread) { threads_.erase(thread); }
  // Code that went away, and contexts that faded; keeps their number within its limit.
  void Tidy(size_t max_contexts);

  void SetHalfLife(uint64_t half_life_ns, uint64_t now_ns) {
    tree_.SetHalfLife(half_life_ns, now_ns);
  }
  void Advance(uint64_t now_ns) { tree_.Advance(now_ns); }
  // The next Fill is of a new profile.
  void BeginSegment();
  void Fill(profile::Profile& profile);

  const ContextTree& tree() const { return tree_; }

 private:
  // Numbers of methods that are none.
  static constexpr uint32_t kNoMethod = UINT32_MAX;
  static constexpr uint32_t kVmMethod = UINT32_MAX - 1;
  static constexpr uint32_t kDetachedMethod = UINT32_MAX - 2;
  static constexpr uint32_t kUnknownMethod = UINT32_MAX - 3;
  struct Level {
    uint32_t node;
    int32_t bci;  // where the newest method of the frame stands
  };
  struct Thread {
    std::vector<Level> levels;  // as the visited frames of the thread, oldest first
    uint32_t leaf = ContextTree::kRoot;
    uint32_t patience = 0;  // rounds that a sample waited for its code to be announced
  };
  using Chain = std::vector<VirtualFrame>;  // oldest first

  // Empty: the code is not announced yet. Nothing is remembered here: other code or another method
  // may be at the same address any time.
  Chain Resolve(const RawFrame& frame, bool give_up);
  Chain ResolveInterpreted(const RawFrame& frame);
  bool CanResolve(const SampleRing& ring, const SampleHeader& header);
  void Take(Thread& thread, const SampleRing& ring, const SampleHeader& header);
  void Compare(const Thread& thread, const SampleRing& ring, const SampleHeader& header);
  bool Agrees(std::vector<VirtualFrame> frames, bool complete, const SampleRing& ring,
              const SampleHeader& header);
  Chain WholeStack(uint32_t node, bool* complete) const;
  std::vector<uint32_t> OnStacks() const;
  void Rename(const std::vector<uint32_t>& renamed);
  profile::MethodId MethodOf(profile::Profile& profile, uint32_t method);

  CompiledMethods* compiled_;
  const InterpretedMethods* interpreted_;
  ContextTree tree_;
  std::map<uint32_t, Thread> threads_;
  std::vector<profile::MethodId> profile_ids_;
  bool renumbered_ = false;  // the profile has ids of contexts that are gone
  std::map<std::string, uint64_t> lost_;
  uint64_t compared_ = 0, disagreed_ = 0, not_compared_ = 0, cut_short_ = 0;
  std::string first_disagreement_;
  uint64_t time_ns_ = 0, samples_ = 0, activations_ = 0;
};

}  // namespace assay::sampling
