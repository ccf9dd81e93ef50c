#include "src/cli/program_words.h"

#include <algorithm>

#include "src/cli/terminal.h"

namespace assay::cli {
namespace {

bool IsOption(const std::string& word) { return word.size() > 1 && word[0] == '-'; }

bool IsNumber(const std::string& word) {
  return !word.empty() && word.find_first_not_of("0123456789") == std::string::npos;
}

CLI::App* FindCommand(CLI::App& app, const std::string& name) {
  for (CLI::App* command : app.get_subcommands({})) {
    if (command->get_name() == name) return command;
  }
  throw CommandError("there is no command '" + Printable(name) +
                     "'; `assay --help` lists the commands");
}

bool TakesValue(CLI::App& command, const std::string& name) {
  const CLI::Option* option = command.get_option_no_throw(name);
  return option != nullptr && option->get_items_expected_min() > 0;
}

// Whether the next word is the value of this option.
bool ValueFollows(CLI::App& command, const std::string& word) {
  if (word.starts_with("--")) {
    if (word.find('=') == word.size() - 1) throw CommandError(word + " has no value");
    return word.find('=') == std::string::npos && TakesValue(command, word);
  }
  for (size_t i = 1; i < word.size(); ++i) {
    if (TakesValue(command, {'-', word[i]})) return i + 1 == word.size();
  }
  return false;
}

// CLI11 splits such a name of a file in a list of files.
void ProtectBrackets(std::string* word) {
  if (word->starts_with('[') && word->ends_with(']')) word->insert(0, "./");
}

}  // namespace

void AddProgram(Cli& cli, CLI::App* command, std::vector<std::string>* words,
                const std::string& help, bool or_pid) {
  command->add_option("command", *words, help);
  cli.programs[command] = {words, or_pid};
}

void PrepareWords(Cli& cli, std::vector<std::string>* arguments) {
  auto word = std::find_if_not(arguments->begin(), arguments->end(), IsOption);
  if (word == arguments->end()) return;
  CLI::App* command = FindCommand(cli.app, *word);
  auto program = cli.programs.find(command);
  bool has_program = program != cli.programs.end();
  bool may_be_pid = has_program && program->second.or_pid;
  bool options_ended = false;
  for (++word; word != arguments->end(); ++word) {
    bool mark = *word == "--" && !options_ended;
    if (!mark && !options_ended && IsOption(*word)) {
      if (!ValueFollows(*command, *word) || word + 1 == arguments->end() || word[1] == "--")
        continue;
      if ((++word)->empty()) throw CommandError(word[-1] + " has no value");
    } else if (may_be_pid && IsNumber(*word)) {
      may_be_pid = false;
    } else if (has_program) {
      program->second.words->assign(word + (mark ? 1 : 0), arguments->end());
      arguments->erase(word, arguments->end());
      return;
    } else if (mark) {
      options_ended = true;
    } else {
      ProtectBrackets(&*word);
    }
  }
}

}  // namespace assay::cli
