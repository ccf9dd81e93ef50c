#include <fmt/format.h>

#include <memory>

#include "src/cli/command_tree.h"
#include "src/cli/commands.h"
#include "src/cli/load.h"

namespace assay::cli {
namespace {

std::string Words(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

std::vector<std::string> CommandNames(const std::vector<CommandInfo>& commands) {
  std::vector<std::string> names;
  for (const CommandInfo& command : commands) names.push_back(command.name);
  return names;
}

std::vector<std::string> Flags(const CommandInfo& command) {
  std::vector<std::string> flags;
  for (const OptionInfo& option : command.options) {
    flags.insert(flags.end(), option.names.begin(), option.names.end());
  }
  return flags;
}

std::string Bash(const std::vector<CommandInfo>& commands) {
  std::string cases, values;
  for (const CommandInfo& command : commands) {
    cases += fmt::format("    {}) words=\"{}\" ;;\n", command.name, Words(Flags(command)));
    for (const OptionInfo& option : command.options) {
      if (option.choices.empty()) continue;
      values += fmt::format("    \"{} {}\") words=\"{}\" ;;\n", command.name, option.names.back(),
                            Words(option.choices));
    }
  }
  return fmt::format(
      R"sh(# bash completion of assay; eval "$(assay completion bash)"
_assay() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} words=
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "{} --help --version" -- "$current"))
    return
  fi
  case "${{COMP_WORDS[1]}} $previous" in
{}  esac
  if [ -z "$words" ] && [[ $current == -* ]]; then
    case ${{COMP_WORDS[1]}} in
{}    esac
  fi
  # Anything else is a file, which bash completes itself, blanks and quotes included.
  if [ -n "$words" ]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  fi
}}
complete -o default -F _assay assay
)sh",
      Words(CommandNames(commands)), values, cases);
}

// Text inside single quotes of zsh and fish, and of zsh's [description].
std::string Quotable(std::string text) {
  for (char& c : text) {
    if (c == '\'' || c == '`' || c == '\\') c = ' ';
    if (c == '[') c = '(';
    if (c == ']') c = ')';
    if (c == ':') c = ',';
  }
  return text;
}

std::string Zsh(const std::vector<CommandInfo>& commands) {
  std::string list, cases;
  for (const CommandInfo& command : commands) {
    list += fmt::format("    '{}:{}'\n", command.name, Quotable(command.summary));
    cases += fmt::format("    {})\n      _arguments", command.name);
    for (const OptionInfo& option : command.options) {
      for (const std::string& name : option.names) {
        std::string value;
        if (option.takes_value) value = ":value:";
        if (!option.choices.empty()) value += "(" + Words(option.choices) + ")";
        if (option.takes_value && option.choices.empty()) value += "_files";
        cases += fmt::format(" \\\n        '{}[{}]{}'", name, Quotable(option.help), value);
      }
    }
    cases += " \\\n        '*:file:_files' ;;\n";
  }
  return fmt::format(
      R"sh(#compdef assay
# zsh completion of assay; save as _assay in a folder of $fpath, or: eval "$(assay completion zsh)"
_assay() {{
  local -a commands
  commands=(
{}  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=${{words[2]}}
  shift words
  (( CURRENT-- ))
  case $command in
{}  esac
}}
compdef _assay assay
)sh",
      list, cases);
}

std::string Fish(const std::vector<CommandInfo>& commands) {
  std::string out = "# fish completion of assay; assay completion fish | source\n";
  for (const CommandInfo& command : commands) {
    out += fmt::format("complete -c assay -n __fish_use_subcommand -f -a {} -d '{}'\n",
                       command.name, Quotable(command.summary));
    for (const OptionInfo& option : command.options) {
      for (const std::string& name : option.names) {
        bool is_long = name.starts_with("--");
        std::string value = option.takes_value ? " -r" : "";
        if (!option.choices.empty()) value = fmt::format(" -x -a '{}'", Words(option.choices));
        out +=
            fmt::format("complete -c assay -n '__fish_seen_subcommand_from {}' -{} {}{} -d '{}'\n",
                        command.name, is_long ? "l" : "s", name.substr(is_long ? 2 : 1), value,
                        Quotable(option.help));
      }
    }
  }
  return out;
}

int Completion(const Cli& cli, const std::string& shell) {
  std::vector<CommandInfo> commands = DescribeCommands(cli.app);
  WriteOutput("", shell == "bash"  ? Bash(commands)
                  : shell == "zsh" ? Zsh(commands)
                                   : Fish(commands));
  return kDone;
}

}  // namespace

void RegisterCompletion(Cli& cli) {
  auto shell = std::make_shared<std::string>();
  CLI::App* command = cli.app.add_subcommand("completion", "Completion script for a shell");
  command->add_option("SHELL", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->footer("For example in ~/.bashrc:  eval \"$(assay completion bash)\"");
  command->callback([&cli, shell] { cli.run = [&cli, shell] { return Completion(cli, *shell); }; });
}

}  // namespace assay::cli
