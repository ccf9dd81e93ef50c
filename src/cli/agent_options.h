// The agent's options as options of a command: declared once in src/agent/options.cc.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <string>
#include <vector>

#include "src/agent/options.h"

namespace assay::cli {

class AgentOptions {
 public:
  // Adds --tick, --samples, ... to the command.
  void AddTo(CLI::App& app);
  // What the user gave; throws CommandError for a bad value, or one the collector does not have. The
  // collector is `collector` when the user named none.
  agent::Options Get(const std::string& collector = "") const;

 private:
  std::map<std::string, std::string> texts_;
  std::map<std::string, std::vector<std::string>> lists_;
};

// The agent beside this program, as an absolute path; throws CommandError when it is not there.
std::string AgentPath();
std::string AbsolutePath(const std::string& path);
// Output and input files as absolute paths, for a JVM whose working folder is another; throws
// CommandError for an input that is not there.
void MakePathsAbsolute(agent::Options* options);

}  // namespace assay::cli
