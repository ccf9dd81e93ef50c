// Where a method counts and where it checks: the part of the counting pass that is about control
// flow only.
#pragma once

#include <cstdint>
#include <vector>

#include "src/base/result.h"
#include "src/bytecode/code.h"
#include "src/instrument/count_weights.h"

namespace assay::instrument {

// By element of the code. Both happen directly before the instruction, the count first.
struct CountPlan {
  std::vector<uint32_t> count;   // bytecodes to count here, weighted
  std::vector<uint8_t> check;    // ask whether the counter has run down
  std::vector<uint8_t> handler;  // the first instruction of an exception handler
  bool calls = false;            // has call instructions
  bool straight = false;         // one block without calls that ends with a return
  uint32_t bytecodes = 0;        // if straight: the whole method
};

Result<CountPlan> PlanCounting(const bytecode::Code& code, uint32_t max_path, bool fewer_checks,
                               const OpcodeWeights& weights = {});

}  // namespace assay::instrument
