// The context tree of the bytecodes collector, filled from the reified stacks of Java threads.
// Thread-safe; never called from a signal handler.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

#include "src/profile/flat_index.h"
#include "src/profile/profile.h"

namespace assay::agent {

class ContextStore {
 public:
  // Adds a sample with its bytecodes to the context that the stack stands for, outermost first. An
  // entry is the number of a method, or a context left there by an earlier call: a program only
  // ever writes numbers, so a context found on the stack still stands for everything below it
  // (P3, 6.2). All entries become contexts.
  void Add(int32_t* stack, int32_t depth, uint64_t bytecodes);

  uint64_t samples() const;
  uint64_t bytecodes() const;
  void Clear();

  // Sets the contexts of a profile. Contexts of other sessions keep their nodes but have no values.
  void Fill(profile::Profile& profile,
            const std::function<profile::MethodId(uint32_t)>& profile_method);

 private:
  struct Node {
    uint32_t parent;
    uint32_t method;
    uint64_t samples = 0;
    uint64_t bytecodes = 0;
    profile::NodeId in_profile = 0;
  };
  static uint64_t HashOf(uint32_t parent, uint32_t method);
  uint32_t Child(uint32_t parent, uint32_t method);

  mutable std::mutex mutex_;
  std::vector<Node> nodes_{{0, 0}};
  profile::FlatIndex index_;
  uint64_t samples_ = 0;
  uint64_t bytecodes_ = 0;
};

}  // namespace assay::agent
