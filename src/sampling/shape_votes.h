// Collects what each compiled method says about displacements and stub addresses, and gives an
// answer only when enough methods say the same and none says otherwise. Not synchronized.
#pragma once

#include <cstdint>
#include <map>
#include <span>

#include "src/base/result.h"
#include "src/sampling/code_shapes.h"

namespace assay::sampling {

struct EntryLayout {
  int32_t displacement;
  uint64_t stub;
  auto operator<=>(const EntryLayout&) const = default;
};

struct ReturnLayout {
  int32_t word_displacement;
  int32_t saved_displacement;
  uint64_t handler;
  auto operator<=>(const ReturnLayout&) const = default;
};

class ShapeVotes {
 public:
  // Fewer matching methods than this prove nothing. A match is some twenty bytes that agree with each
  // other, with a stub the VM names, and with every method compiled later.
  static constexpr uint32_t kQuorum = 4;

  void Observe(std::span<const uint8_t> code, uint64_t address);

  // Error: the reason for refusal. `undecided` tells "too few methods yet" from "no".
  Result<EntryLayout> Entry(bool* undecided) const;
  Result<ReturnLayout> Return(bool* undecided) const;

  // Two methods disagree about a layout.
  bool dissent() const { return entry_.size() > 1 || return_.size() > 1; }
  uint32_t methods() const { return methods_; }
  uint32_t entry_matches() const { return entry_matches_; }
  uint32_t return_matches() const { return return_matches_; }

 private:
  uint32_t methods_ = 0;
  uint32_t entry_matches_ = 0;
  uint32_t return_matches_ = 0;
  std::map<EntryLayout, uint32_t> entry_;
  std::map<ReturnLayout, uint32_t> return_;
};

}  // namespace assay::sampling
