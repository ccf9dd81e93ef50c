// The instrumentations that come with Assay, one file each.
#pragma once

#include <memory>

#include "src/instrument/instrumentation.h"

namespace assay::instrument {

std::unique_ptr<Instrumentation> MakeCallEdge();
std::unique_ptr<Instrumentation> MakeFieldAccess();
std::unique_ptr<Instrumentation> MakeReceiverType();
std::unique_ptr<Instrumentation> MakeParameterValue();
std::unique_ptr<Instrumentation> MakeBranchEdge();
std::unique_ptr<Instrumentation> MakePath();
std::unique_ptr<Instrumentation> MakeAllocationSite();
std::unique_ptr<Instrumentation> MakeExceptionThrow();

// The key of a call-edge counter: names as in the class file, the call site's bci in decimal.
struct CallEdgeKey {
  enum Part { kClass, kMethod, kDescriptor, kBci, kTargetClass, kTargetName, kTargetDescriptor, kParts };
};

// "java/util/Map$Entry" -> "java.util.Map$Entry"
std::string DottedName(std::string_view internal_name);

}  // namespace assay::instrument
