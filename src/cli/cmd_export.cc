#include <unistd.h>

#include <memory>

#include "src/cli/commands.h"
#include "src/cli/load.h"
#include "src/cli/terminal.h"
#include "src/export/export.h"

namespace assay::cli {
namespace {

struct ExportOptions {
  std::string file;
  std::string format;
  std::string output;
};

int Export(const ExportOptions& options) {
  const exporting::Format* format = exporting::FindFormat(options.format);
  if (format->binary && ToStdout(options.output) && isatty(STDOUT_FILENO)) {
    throw CommandError(options.format + " is binary: give -o FILE, or send the output elsewhere");
  }
  RefuseInput(options.output, {options.file});
  profile::Profile profile = Load(options.file);
  Activity activity("exporting");
  Result<std::string> text = format->write(profile);
  if (!text.ok()) throw CommandError(text.error().ToString(), kRefused);
  WriteOutput(options.output, *text);
  return kDone;
}

}  // namespace

void RegisterExport(Cli& cli) {
  auto options = std::make_shared<ExportOptions>();
  CLI::App* command = cli.app.add_subcommand("export", "A profile in the format of another tool");
  command->add_option("FILE", options->file, "the profile")->required();
  std::vector<std::string> names;
  std::string list = "Formats:\n";
  for (const exporting::Format& format : exporting::AllFormats()) {
    names.emplace_back(format.name);
    list += "  " + std::string(format.name) + std::string(13 - format.name.size(), ' ') +
            std::string(format.description) + "\n";
  }
  command->add_option("--format", options->format, "the format")
      ->required()
      ->check(CLI::IsMember(names));
  command->add_option("-o,--output", options->output, "where it goes (default: standard output)");
  command->footer(
      list +
      "\nFormats of stacks hold the context tree when the profile has one; otherwise each"
      "\ncall edge is a stack of two frames.");
  command->callback([&cli, options] { cli.run = [options] { return Export(*options); }; });
}

}  // namespace assay::cli
