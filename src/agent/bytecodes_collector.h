// `--collect bytecodes`: deterministic context profiles by counting executed bytecodes (P3).
#pragma once

#include <memory>

#include "src/agent/collector.h"

namespace assay::agent {

std::unique_ptr<Collector> MakeBytecodesCollector();

}  // namespace assay::agent
