// Turns the exact collector's tree into a profile: contexts as they are, call edges as their sums.
#pragma once

#include "src/agent/exact_memory.h"
#include "src/agent/exact_registry.h"
#include "src/profile/profile.h"

namespace assay::agent {

// `with_live_frames`: adds the bytecodes that running activations have not handed over yet.
void FillProfile(ExactMemory& memory, ExactRegistry& registry, bool with_live_frames,
                 profile::Profile& profile);

// Sets every count to zero, for a new session in the same JVM.
void ResetCounts(ExactMemory& memory);

}  // namespace assay::agent
