// Where a method counts and where it checks: the part of the counting pass that is about control
// flow only. Pure; any thread.
#pragma once

#include <cstdint>
#include <vector>

#include "src/base/result.h"
#include "src/bytecode/code.h"
#include "src/instrument/count_weights.h"

namespace assay::instrument {

// By element of the code. All of it happens directly before the instruction, in this order.
struct CountPlan {
  enum Check : uint8_t { kNoCheck, kCheck, kFlushAndCheck };

  std::vector<uint8_t> handler;  // an exception was caught: handler_entries.h
  std::vector<uint32_t> add;     // bytecodes, weighted, to add to the local sum
  std::vector<uint32_t> count;   // to count at once
  std::vector<uint8_t> check;    // ask whether the counter has run down
  std::vector<uint8_t> flush;    // at returns: the local sum is counted
  std::vector<uint32_t> leave;   // at exits without a flush: counted together with leaving
  bool calls = false;            // has call instructions
  bool straight = false;         // one block without calls that ends with a return
  bool sums = false;             // needs the local sum
  bool unbounded = false;        // which has no limit: a loop that neither calls nor checks
  uint32_t bytecodes = 0;        // if straight: the whole method
};

Result<CountPlan> PlanCounting(const bytecode::Code& code, uint32_t max_path, bool fewer_checks,
                               const OpcodeWeights& weights = {});

}  // namespace assay::instrument
