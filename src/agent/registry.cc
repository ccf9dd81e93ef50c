#include "src/agent/bytecodes_collector.h"
#include "src/agent/calls_collector.h"
#include "src/agent/collector.h"
#include "src/agent/contexts_collector.h"
#include "src/agent/exact_collector.h"
#include "src/agent/sampled_collector.h"

namespace assay::agent {

Result<std::unique_ptr<Collector>> MakeCollector(const std::string& name) {
  if (name == "calls") return MakeCallsCollector();
  if (name == "bytecodes") return MakeBytecodesCollector();
  if (name == "contexts") return MakeContextsCollector();
  if (name == "exact") return MakeExactCollector();
  if (name == "sampled") return MakeSampledCollector();
  return Error{"collect=" + name + " is not available in this build"};
}

}  // namespace assay::agent
