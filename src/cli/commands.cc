#include "src/cli/commands.h"

#include <algorithm>
#include <cstdio>
#include <new>

#include "src/cli/program_words.h"

namespace assay::cli {

int Main(int argc, char** argv) {
  Cli cli;
  cli.app.name("assay");
  cli.app.description(
      "Call-graph profiles of Java programs: who calls whom, how often, with the error stated.");
  cli.app.set_version_flag("--version", "assay " ASSAY_VERSION);
  cli.app.footer(
      "Exit status: 0 done, 1 a check failed, 2 usage or unreadable input, 3 refused.\n"
      "`assay COMMAND --help` describes one command.");
  cli.app.require_subcommand(1);
  for (auto command : kCommands) command(cli);
  try {
    std::vector<std::string> arguments(argv + 1, argv + argc);
    PrepareWords(cli, &arguments);
    std::reverse(arguments.begin(), arguments.end());  // the order in which CLI11 wants them
    cli.app.parse(arguments);
    return cli.run ? cli.run() : static_cast<int>(kUsage);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return cli.app.exit(error);
    std::fprintf(stderr, "assay: %s\n", error.what());
    for (const CLI::App* command : cli.app.get_subcommands()) {
      std::fprintf(stderr, "`assay %s --help` shows what it takes.\n", command->get_name().c_str());
      return kUsage;
    }
    std::fprintf(stderr, "`assay --help` lists the commands.\n");
    return kUsage;
  } catch (const CommandError& error) {
    std::fprintf(stderr, "assay: %s\n", error.what());
    return error.status();
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "assay: out of memory\n");
    return kRefused;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "assay: %s\n", error.what());
    return kRefused;
  }
}

}  // namespace assay::cli
