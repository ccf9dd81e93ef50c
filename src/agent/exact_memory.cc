#include "src/agent/exact_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <new>

namespace assay::agent {
namespace {

constexpr uint64_t kThreadsPerPage = 4096;
constexpr uint64_t kPages = uint64_t{1} << 20;
constexpr uint64_t kNodesPerBlock = 4096;
constexpr uint64_t kFirstChunkFrames = 96;
constexpr uint64_t kMaxChunkFrames = 16384;

void* Reserve(size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

}  // namespace

struct ExactChunk {
  ExactChunk* next;
  ExactChunk* previous;
  uint64_t frames;
  ExactFrame* first() { return reinterpret_cast<ExactFrame*>(this + 1); }
  uint8_t* limit() { return reinterpret_cast<uint8_t*>(first() + frames); }
  bool Contains(const ExactFrame* frame) {
    return frame >= first() && reinterpret_cast<const uint8_t*>(frame) < limit();
  }
};

namespace {

ExactChunk* NewChunk(ExactChunk* previous) {
  uint64_t frames = kFirstChunkFrames;
  if (previous != nullptr) frames = std::min(previous->frames * 4, kMaxChunkFrames);
  void* memory = std::malloc(sizeof(ExactChunk) + frames * sizeof(ExactFrame));
  if (memory == nullptr) return nullptr;
  auto* chunk = new (memory) ExactChunk{nullptr, previous, frames};
  if (previous != nullptr) previous->next = chunk;
  return chunk;
}

void Use(ExactState* state, ExactChunk* chunk) {
  state->current = chunk;
  state->first = chunk->first();
  state->limit = chunk->limit();
}

}  // namespace

ExactMemory::ExactMemory(uint64_t max_nodes) : max_nodes_(max_nodes) {
  shared_.directory =
      static_cast<std::atomic<uint64_t*>*>(Reserve(kPages * sizeof(std::atomic<uint64_t*>)));
  shared_.root = Allocate();
  overflow_ = Allocate();
}

ExactNode* ExactMemory::Allocate() {
  std::lock_guard lock(node_mutex_);
  if (block_next_ == block_end_) {
    auto* block = static_cast<ExactNode*>(Reserve(kNodesPerBlock * sizeof(ExactNode)));
    if (block == nullptr) return nullptr;
    block_next_ = block;
    block_end_ = block + kNodesPerBlock;
  }
  nodes_.fetch_add(1, std::memory_order_relaxed);
  return block_next_++;
}

ExactNode* ExactMemory::Descend(ExactNode* parent, uint64_t key, bool insert) {
  uint64_t hash = key * 0x9e3779b97f4a7c15ull;
  hash ^= hash >> 32;
  ExactNode* fresh = nullptr;
  std::atomic<ExactNode*>* link = &parent->children;
  // Past 64 bits of hash the trie degenerates to a list; distinct keys cannot get there but through
  // equal hashes, which the multiplication (a bijection) and the xor-shift (another) exclude.
  for (int shift = 0; shift < 64; shift += 2) {
    ExactNode* child = link->load(std::memory_order_acquire);
    if (child == nullptr) {
      if (!insert) return nullptr;
      if (fresh == nullptr) {
        fresh = Allocate();
        if (fresh == nullptr) return nullptr;
        fresh->key = key;
      }
      if (link->compare_exchange_strong(child, fresh)) return fresh;
    }
    if (child->key == key) return child;  // a `fresh` that lost the race stays unused
    link = &child->siblings[hash >> shift & 3];
  }
  return nullptr;
}

ExactNode* ExactMemory::Child(ExactNode* parent, uint64_t key) {
  if (ExactNode* found = Descend(parent, key, false)) return found;
  if (nodes() < max_nodes_) {
    if (ExactNode* added = Descend(parent, key, true)) return added;
  }
  dropped_.fetch_add(1, std::memory_order_relaxed);
  ExactNode* edge_only = Descend(overflow_, key, true);
  return edge_only != nullptr ? edge_only : overflow_;
}

ExactState* ExactMemory::OpenThread(uint64_t tid) {
  if (shared_.directory == nullptr || tid >= kPages * kThreadsPerPage) return nullptr;
  std::lock_guard lock(mutex_);
  std::atomic<uint64_t*>& slot = shared_.directory[tid / kThreadsPerPage];
  uint64_t* page = slot.load();
  if (page == nullptr) {
    page = static_cast<uint64_t*>(Reserve(kThreadsPerPage * sizeof(uint64_t)));
    if (page == nullptr) return nullptr;
    slot.store(page);
  }
  ExactState* state = nullptr;
  if (!free_states_.empty()) {
    state = free_states_.back();
    free_states_.pop_back();
  } else {
    ExactChunk* chunk = NewChunk(nullptr);
    if (chunk == nullptr) return nullptr;
    state = new ExactState{};
    state->chunks = chunk;
    states_.push_back(state);
  }
  state->top = nullptr;
  Use(state, state->chunks);
  state->tid = tid;
  page[tid % kThreadsPerPage] = reinterpret_cast<uint64_t>(state);
  return state;
}

void ExactMemory::CloseThread(ExactState* state) {
  std::lock_guard lock(mutex_);
  if (state->tid == 0) return;
  uint64_t* page = shared_.directory[state->tid / kThreadsPerPage].load();
  page[state->tid % kThreadsPerPage] = 0;
  state->tid = 0;
  // Deep stacks are rare; keep only the first chunk of an idle state.
  for (ExactChunk* chunk = state->chunks->next; chunk != nullptr;) {
    ExactChunk* next = chunk->next;
    std::free(chunk);
    chunk = next;
  }
  state->chunks->next = nullptr;
  free_states_.push_back(state);
}

ExactFrame* ExactMemory::GrowStack(ExactState* state) {
  ExactChunk* chunk = state->current;
  while (chunk != nullptr && !chunk->Contains(state->top)) chunk = chunk->previous;
  if (chunk == nullptr) return nullptr;
  ExactFrame* next = state->top + 1;
  if (!chunk->Contains(next)) {
    ExactChunk* following = chunk->next != nullptr ? chunk->next : NewChunk(chunk);
    if (following == nullptr) return nullptr;
    chunk = following;
    next = chunk->first();
  }
  Use(state, chunk);
  return next;
}

}  // namespace assay::agent
