// The commands and their options as plain data, read out of the parser: what completion scripts and
// the manual are made of, so that neither can fall behind.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace assay::cli {

struct OptionInfo {
  std::vector<std::string> names;  // "-o", "--output"
  std::string value;               // name of its argument, "" for a flag
  std::string help;
  std::string default_value;
  std::vector<std::string> choices;
  bool takes_value = false;
};

struct CommandInfo {
  std::string name;
  std::string summary;      // first line of the description
  std::string description;  // the rest
  std::string footer;
  std::vector<OptionInfo> positionals;  // names holds one
  std::vector<OptionInfo> options;
};

std::vector<CommandInfo> DescribeCommands(const CLI::App& app);

}  // namespace assay::cli
