// The client side of HotSpot's attach protocol: asks a running JVM to load (or call again) the
// agent with an option string, and brings back the agent's answer.
#pragma once

#include <sys/types.h>

#include <string>

#include "src/base/result.h"

namespace assay::cli {

// The Error says what stands in the way and what to do. `options` is the agent string without a
// reply file; the answer is the text behind "ok", or an Error with the agent's message.
Result<std::string> CallAgent(pid_t pid, const std::string& agent_path, const std::string& options);

// A diagnostic command, as jcmd sends it: "Compiler.directives_add FILE". The answer is its output.
Result<std::string> RunDiagnosticCommand(pid_t pid, const std::string& command);

}  // namespace assay::cli
