#include "src/cli/command_tree.h"

#include <sstream>

namespace assay::cli {
namespace {

// The values in the braces of CLI::IsMember's description, "TEXT:{a,b}".
std::vector<std::string> Choices(const std::string& type_name) {
  size_t start = type_name.find('{');
  size_t end = type_name.rfind('}');
  std::vector<std::string> choices;
  if (start == std::string::npos || end == std::string::npos) return choices;
  std::istringstream list(type_name.substr(start + 1, end - start - 1));
  for (std::string item; std::getline(list, item, ',');) choices.push_back(item);
  return choices;
}

OptionInfo Describe(const CLI::Option& option) {
  OptionInfo info;
  if (option.get_positional()) {
    info.names.push_back(option.get_name());
  } else {
    for (const std::string& name : option.get_snames()) info.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) info.names.push_back("--" + name);
  }
  info.help = option.get_description();
  info.default_value = option.get_default_str();
  info.takes_value = option.get_type_size() != 0;
  info.choices = Choices(option.get_type_name());
  if (info.takes_value) info.value = info.choices.empty() ? "VALUE" : "NAME";
  return info;
}

}  // namespace

std::vector<CommandInfo> DescribeCommands(const CLI::App& app) {
  std::vector<CommandInfo> commands;
  for (const CLI::App* command : app.get_subcommands({})) {
    CommandInfo info;
    info.name = command->get_name();
    std::string text = command->get_description();
    size_t line = text.find('\n');
    info.summary = text.substr(0, line);
    if (line != std::string::npos)
      info.description = text.substr(text.find_first_not_of('\n', line));
    info.footer = command->get_footer();
    for (const CLI::Option* option : command->get_options()) {
      (option->get_positional() ? info.positionals : info.options).push_back(Describe(*option));
    }
    commands.push_back(std::move(info));
  }
  return commands;
}

}  // namespace assay::cli
