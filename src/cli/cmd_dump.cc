#include <memory>

#include "src/base/utf8.h"
#include "src/bytecode/print.h"
#include "src/cli/commands.h"
#include "src/cli/load.h"

namespace assay::cli {
namespace {

struct DumpOptions {
  std::vector<std::string> files;
  bool plain = false;
};

int Dump(const DumpOptions& options) {
  for (const std::string& path : options.files) {
    const std::string content = ReadFile(path);
    const ByteVector bytes(content.begin(), content.end());
    auto file = classfile::ParseClass(bytes);
    if (!file.ok()) throw CommandError(path + ": " + file.error().ToString());
    bytecode::PrintOptions print;
    if (options.plain) print.frames = print.lines = print.variables = false;
    WriteOutput("", ValidUtf8(bytecode::PrintClass(*file, print)));
  }
  return kDone;
}

}  // namespace

void RegisterDump(Cli& cli) {
  auto options = std::make_shared<DumpOptions>();
  CLI::App* command = cli.app.add_subcommand("dump", "Print class files, like javap -c");
  command->add_option("FILES", options->files, "the class files")->required();
  command->add_flag("--plain", options->plain, "only instructions and exception tables");
  command->callback([&cli, options] { cli.run = [options] { return Dump(*options); }; });
}

}  // namespace assay::cli
