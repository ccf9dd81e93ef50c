// `--collect exact`: every call counted, per call site and per full calling context, with the
// bytecodes executed. Rewrites classes (src/instrument/exact_pass.h), counts in memory shared with
// the probes (exact_memory.h).
#pragma once

#include <memory>

#include "src/agent/collector.h"

namespace assay::agent {

std::unique_ptr<Collector> MakeExactCollector();

}  // namespace assay::agent
