// The two yieldpoints that HotSpot's compiled code has anyway. Everything about them is derived from
// compiled methods and stubs of the running VM and cross-checked; what does not fit is refused.
#pragma once

#include <memory>

#include "src/sampling/hotspot/compiled_methods.h"
#include "src/sampling/hotspot/hooks.h"
#include "src/sampling/stub_patch.h"
#include "src/sampling/yieldpoint.h"

namespace assay::sampling {

// Runs a function while every Java thread stands at a safepoint; false when that is not possible.
using SafepointRunner = bool (*)(void* runner, void (*function)(void*), void* argument);

struct YieldpointSources {
  const CompiledMethods* methods;
  const VmStructs* structs;
  SafepointRunner run_at_safepoint;
  void* runner;
};

// `undecided`: too little code is compiled yet; ask again later.
Result<std::unique_ptr<Yieldpoint>> MakeEntryYieldpoint(const YieldpointSources& sources,
                                                        bool* undecided);
Result<std::unique_ptr<Yieldpoint>> MakeReturnYieldpoint(const YieldpointSources& sources,
                                                         bool* undecided);

}  // namespace assay::sampling
