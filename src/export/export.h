// A profile in the formats of other tools, one file per format, all behind one table.
//
// Formats that hold stacks get the context tree when the profile has one; otherwise each call edge
// becomes a stack of two frames, caller and callee, so that totals and the callers of each method
// are right and nothing deeper is claimed. Values are integers there: weights are rounded per
// stack.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "src/base/result.h"
#include "src/profile/profile.h"

namespace assay::exporting {

struct Format {
  std::string_view name;
  std::string_view description;
  bool binary;
  Result<std::string> (*write)(const profile::Profile& profile);
};

std::span<const Format> AllFormats();
const Format* FindFormat(std::string_view name);

Result<std::string> WritePprof(const profile::Profile& profile);
Result<std::string> WriteCollapsed(const profile::Profile& profile);
Result<std::string> WriteSpeedscope(const profile::Profile& profile);
Result<std::string> WriteCallgrind(const profile::Profile& profile);
Result<std::string> WriteOtlp(const profile::Profile& profile);
Result<std::string> WriteLlvmSample(const profile::Profile& profile);
Result<std::string> WriteJson(const profile::Profile& profile);

}  // namespace assay::exporting
