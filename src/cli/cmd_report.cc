#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <memory>

#include "src/cli/commands.h"
#include "src/cli/format.h"
#include "src/cli/load.h"
#include "src/cli/numbers.h"
#include "src/cli/terminal.h"
#include "src/profile/pairing.h"
#include "src/report/report.h"

namespace assay::cli {
namespace {

struct ReportOptions {
  std::vector<std::string> files;
  std::string output = "report.html";
  std::string sources;
  report::Options page;
};

std::vector<std::string> SourceFolders(const std::string& list) {
  std::vector<std::string> folders;
  for (size_t start = 0; start <= list.size();) {
    const size_t end = std::min(list.find(':', start), list.size());
    const std::string folder = list.substr(start, end - start);
    start = end + 1;
    if (folder.empty()) continue;
    std::error_code cannot_be_one;
    if (!std::filesystem::is_directory(folder, cannot_be_one)) {
      throw CommandError("--sources: " + ElideLeft(Printable(folder), 200) + " is not a folder");
    }
    folders.push_back(folder);
  }
  return folders;
}

int Report(ReportOptions options) {
  if (options.files.size() > 2) {
    throw CommandError(
        "a report shows one profile or compares two; `assay merge` makes one profile of many");
  }
  RefuseInput(options.output, options.files);
  options.page.sources = SourceFolders(options.sources);
  std::deque<profile::Profile> profiles;
  std::vector<report::Input> inputs;
  for (const std::string& file : options.files) {
    profiles.push_back(Load(file));
    inputs.push_back({std::filesystem::path(file).filename().string(), &profiles.back()});
  }
  if (profiles.size() == 2) {
    if (Status same = profile::SameMeasure(profiles[0], profiles[1]); !same.ok())
      throw CommandError(same.error().message);
  }
  Activity activity("writing " + options.output);
  Result<std::string> page = report::MakeReport(inputs, options.page);
  if (!page.ok()) throw CommandError(page.error().ToString());
  WriteOutput(options.output, *page);
  activity.Say("");
  if (!ToStdout(options.output)) {
    WriteOutput("", fmt::format("{} ({})\n", Printable(options.output), Bytes(page->size())));
  }
  return kDone;
}

}  // namespace

void RegisterReport(Cli& cli) {
  auto options = std::make_shared<ReportOptions>();
  CLI::App* command = cli.app.add_subcommand(
      "report", "One HTML file to look at a profile, or at what changed between two");
  command->add_option("FILES", options->files, "the profile; or two, the older one first")
      ->required();
  command->add_option("-o,--output", options->output, "the page to write; - for stdout")
      ->capture_default_str();
  command->add_option("--sources", options->sources,
                      "folders with the program's sources (DIR[:DIR...]); the lines around hot "
                      "calls are taken into the page");
  command->add_option("--max-edges", options->page.limits.edges, "hottest edges on the page")
      ->transform(WholeNumber())
      ->capture_default_str();
  command->add_option("--max-contexts", options->page.limits.nodes, "hottest contexts on the page")
      ->transform(WholeNumber())
      ->capture_default_str();
  command->callback([&cli, options] { cli.run = [options] { return Report(*options); }; });
}

}  // namespace assay::cli
