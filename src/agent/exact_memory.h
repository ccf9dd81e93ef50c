// The memory that the probes of java/exact/java/lang/AssayExact.java and the agent share: the
// calling context tree, and per thread a stack of frames. Java code walks it with plain loads and
// compare-and-swap, so the layout below is a contract with that file.
//
// The tree. A node is keyed by (call site, method). The children of a node form a hash trie with
// four branches per level whose inner nodes are the children themselves, so that lookup needs no
// table and insertion is one compare-and-swap of an empty link. Nodes are never removed.
//
// When the node budget is used up, new contexts go to a subtree of their own that keeps only
// (site, method), so call edges stay exact while contexts do not; Dropped() counts that.
//
// Thread context: everything here may be called by any number of Java threads at once, never from
// a signal handler.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

namespace assay::agent {

struct ExactNode {
  uint64_t
      key;  // site << 32 | method; method 0 = the declared target of the site (a native method)
  std::atomic<uint64_t> calls;
  std::atomic<uint64_t> bytecodes;
  std::atomic<ExactNode*> children;
  std::atomic<ExactNode*> siblings[4];

  uint32_t site() const { return static_cast<uint32_t>(key >> 32); }
  uint32_t method() const { return static_cast<uint32_t>(key); }
};
static_assert(sizeof(ExactNode) == 64);

struct ExactState;
struct ExactFrame {
  ExactNode* node;
  ExactState* state;
  uint64_t pending;
  ExactFrame* previous;
  uint64_t bytecodes;
};
static_assert(sizeof(ExactFrame) == 40);

struct ExactChunk;
struct ExactState {
  ExactFrame* top;
  ExactFrame* first;  // of the chunk in use
  uint8_t* limit;     // end of the chunk in use
  ExactChunk* chunks;
  ExactChunk* current;
  uint64_t tid;  // 0 while the state is free
};

class ExactMemory {
 public:
  // Sites of callers outside Java.
  static constexpr uint32_t kFromVm = 0;
  static constexpr uint32_t kFromNative = 1;
  static constexpr uint32_t kFirstSite = 2;
  static constexpr uint32_t kStaticInitializer = 1;  // name-and-type of <clinit>()V

  explicit ExactMemory(uint64_t max_nodes);

  // The block that AssayExact.setup() returns: thread directory, root.
  void* shared() { return &shared_; }
  ExactNode* root() { return shared_.root; }
  ExactNode* overflow() { return overflow_; }

  ExactNode* Child(ExactNode* parent, uint64_t key);
  ExactState* OpenThread(uint64_t tid);
  void CloseThread(ExactState* state);
  ExactFrame* GrowStack(ExactState* state);

  uint64_t nodes() const { return nodes_.load(std::memory_order_relaxed); }
  uint64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }
  void ResetDropped() { dropped_ = 0; }
  // Frames of activations that are still running, for the bytecodes they have not handed over.
  template <typename Visit>
  void ForEachLiveFrame(Visit visit);

 private:
  struct Shared {
    std::atomic<uint64_t*>* directory;
    ExactNode* root;
  };
  ExactNode* Allocate();
  ExactNode* Descend(ExactNode* parent, uint64_t key, bool insert);

  Shared shared_;
  ExactNode* overflow_;
  const uint64_t max_nodes_;
  std::atomic<uint64_t> nodes_{0};
  std::atomic<uint64_t> dropped_{0};
  std::mutex node_mutex_;
  ExactNode* block_next_ = nullptr;
  ExactNode* block_end_ = nullptr;
  std::mutex mutex_;  // of the threads' states
  std::vector<ExactState*> states_;
  std::vector<ExactState*> free_states_;
};

template <typename Visit>
void ExactMemory::ForEachLiveFrame(Visit visit) {
  std::lock_guard lock(mutex_);
  for (ExactState* state : states_) {
    if (state->tid == 0) continue;
    for (ExactFrame* frame = state->top; frame != nullptr; frame = frame->previous) visit(*frame);
  }
}

}  // namespace assay::agent
