// The manual page, written from the commands as they are: `assay manual | man -l -`. The build runs
// it to make assay.1.
#include <fmt/format.h>

#include <memory>

#include "src/cli/command_tree.h"
#include "src/cli/commands.h"
#include "src/cli/load.h"

namespace assay::cli {
namespace {

// Text for roff: backslashes and hyphens escaped, no line that starts with a control character.
std::string Roff(const std::string& text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    bool line_start = i == 0 || text[i - 1] == '\n';
    if (line_start && (text[i] == '.' || text[i] == '\'')) out += "\\&";
    if (text[i] == '\\') {
      out += "\\e";
    } else if (text[i] == '-') {
      out += "\\-";
    } else {
      out += text[i];
    }
  }
  return out;
}

std::string Option(const OptionInfo& option) {
  std::string names;
  for (const std::string& name : option.names) {
    names += (names.empty() ? "" : ", ") + ("\\fB" + Roff(name) + "\\fR");
  }
  if (!option.value.empty()) names += " \\fI" + option.value + "\\fR";
  std::string help = Roff(option.help);
  if (!option.choices.empty()) help += Roff(fmt::format(": {}", fmt::join(option.choices, ", ")));
  if (!option.default_value.empty()) help += Roff(" (default " + option.default_value + ")");
  return ".TP\n" + names + "\n" + help + "\n";
}

std::string Command(const CommandInfo& command) {
  std::string synopsis = "\\fBassay " + Roff(command.name) + "\\fR";
  for (const OptionInfo& positional : command.positionals) {
    synopsis += " \\fI" + Roff(positional.names[0]) + "\\fR";
  }
  if (!command.options.empty()) synopsis += " [\\fIoptions\\fR]";
  std::string out = ".SS \"" + synopsis + "\"\n" + Roff(command.summary) + ".\n";
  if (!command.description.empty()) out += ".PP\n" + Roff(command.description) + "\n";
  for (const OptionInfo& option : command.positionals) out += Option(option);
  for (const OptionInfo& option : command.options) out += Option(option);
  if (!command.footer.empty()) out += ".PP\n.nf\n" + Roff(command.footer) + "\n.fi\n";
  return out;
}

std::string Manual(const CLI::App& app) {
  std::string out = ".TH ASSAY 1 \"\" \"assay " ASSAY_VERSION "\" \"User Commands\"\n";
  out += ".SH NAME\nassay \\- call\\-graph profiles of Java programs\n";
  out += ".SH SYNOPSIS\n\\fBassay\\fR \\fICOMMAND\\fR [\\fIoptions\\fR]\n";
  out += ".SH DESCRIPTION\n" + Roff(app.get_description()) + "\n";
  out += ".SH COMMANDS\n";
  for (const CommandInfo& command : DescribeCommands(app)) out += Command(command);
  out += ".SH EXIT STATUS\n";
  const std::pair<const char*, const char*> statuses[] = {
      {"0", "done"},
      {"1", "a check failed: diff over its limit, tune found no gain"},
      {"2", "wrong arguments, or input that cannot be read"},
      {"3", "refused: unsafe or unsupported here; the message says why"}};
  for (const auto& [status, meaning] : statuses) {
    out += fmt::format(".TP\n{}\n{}\n", status, meaning);
  }
  out += ".PP\n\\fBassay run\\fR ends with the status of the profiled program.\n";
  out += ".SH ENVIRONMENT\n.TP\nNO_COLOR\nno colour, also on a terminal\n";
  out += ".TP\nCOLUMNS\nwidth of tables when the output is not a terminal\n";
  return out;
}

}  // namespace

void RegisterManual(Cli& cli) {
  CLI::App* command =
      cli.app.add_subcommand("manual", "This manual as a page for man: assay manual | man -l -");
  command->callback([&cli] {
    cli.run = [&cli] {
      WriteOutput("", Manual(cli.app));
      return static_cast<int>(kDone);
    };
  });
}

}  // namespace assay::cli
