#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>

#include "src/bytecode/print.h"
#include "src/cli/commands.h"

namespace assay::cli {
namespace {

struct DumpOptions {
  std::vector<std::string> files;
  bool plain = false;
};

ByteVector ReadAll(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw CommandError("cannot read " + path);
  return ByteVector(std::istreambuf_iterator<char>(in), {});
}

int Dump(const DumpOptions& options) {
  for (const std::string& path : options.files) {
    ByteVector bytes = ReadAll(path);
    auto file = classfile::ParseClass(bytes);
    if (!file.ok()) throw CommandError(path + ": " + file.error().ToString());
    bytecode::PrintOptions print;
    if (options.plain) print.frames = print.lines = print.variables = false;
    std::string text = bytecode::PrintClass(*file, print);
    std::fwrite(text.data(), 1, text.size(), stdout);
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
