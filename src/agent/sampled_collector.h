// --collect sampled: instrumentations that are executed in samples only
// (src/instrument/duplicate.h).
#pragma once

#include <memory>

#include "src/agent/collector.h"

namespace assay::agent {

std::unique_ptr<Collector> MakeSampledCollector();

}  // namespace assay::agent
