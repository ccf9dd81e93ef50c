// One line on the host's standard error, marked as ours. Only for what the user must know; never
// from a signal handler.
#pragma once

#include <string>

namespace assay::agent {

void Log(const std::string& message);

}  // namespace assay::agent
