#include "src/instrument/plugins/plugins.h"

#include <algorithm>

namespace assay::instrument {
namespace {

struct Entry {
  std::string_view name;
  std::unique_ptr<Instrumentation> (*make)();
};

constexpr Entry kAll[] = {
    {"call-edge", MakeCallEdge},
    {"field-access", MakeFieldAccess},
    {"receiver-type", MakeReceiverType},
    {"parameter-value", MakeParameterValue},
    {"branch-edge", MakeBranchEdge},
    {"path", MakePath},
    {"allocation-site", MakeAllocationSite},
    {"exception-throw", MakeExceptionThrow},
};

}  // namespace

std::unique_ptr<Instrumentation> MakeInstrumentation(std::string_view name) {
  for (const Entry& entry : kAll) {
    if (entry.name == name) return entry.make();
  }
  return nullptr;
}

std::vector<std::string_view> AllInstrumentations() {
  std::vector<std::string_view> names;
  for (const Entry& entry : kAll) names.push_back(entry.name);
  return names;
}

std::string DottedName(std::string_view internal_name) {
  std::string name(internal_name);
  std::replace(name.begin(), name.end(), '/', '.');
  return name;
}

}  // namespace assay::instrument
