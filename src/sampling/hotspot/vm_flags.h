// The values of the VM's own flags, whatever gave them (command line, files, environment, the VM itself).
#pragma once

#include <string>
#include <string_view>

#include "src/sampling/hotspot/vm_structs.h"

namespace assay::sampling {

// The text of a flag that takes text, and whether one that is on or off is on; empty and off for a flag that this VM does not
// have. Any time after the VM read its arguments (Agent_OnLoad and later), any thread.
Result<std::string> FlagText(const VmStructs& structs, std::string_view flag);
Result<bool> FlagIsOn(const VmStructs& structs, std::string_view flag);

}  // namespace assay::sampling
