// The files of a command: profiles and others that it reads, and what it writes. Errors are
// CommandErrors.
#pragma once

#include <string>
#include <vector>

#include "src/profile/profile.h"

namespace assay::cli {

// With progress for large ones.
profile::Profile Load(const std::string& path);
// The whole of any other file.
std::string ReadFile(const std::string& path);
// Where an output would overwrite what the command reads, under whatever name: to be asked before
// anything is written.
void RefuseInput(const std::string& output, const std::vector<std::string>& inputs);
// Ahead of long work: that an output to `path` will be possible. Leaves everything as it is.
void CheckWritable(const std::string& path);
inline bool ToStdout(const std::string& path) { return path.empty() || path == "-"; }
// Writes to `path`, or to stdout when it is "" or "-". Everything that a command prints goes this
// way: a full disk behind stdout is an error too.
void WriteOutput(const std::string& path, const std::string& text);

}  // namespace assay::cli
