#include <fmt/format.h>

#include <memory>

#include "src/cli/commands.h"
#include "src/cli/load.h"
#include "src/cli/terminal.h"
#include "src/estimate/accuracy.h"
#include "src/profile/merge.h"
#include "src/profile/writer.h"

namespace assay::cli {
namespace {

struct MergeOptions {
  std::vector<std::string> files;
  std::string output;
};

int Merge(const MergeOptions& options) {
  profile::Profile sum = Load(options.files[0]);
  estimate::TakeOutMethodError(sum);
  for (size_t i = 1; i < options.files.size(); ++i) {
    Activity activity(fmt::format("merging {} of {}", i + 1, options.files.size()));
    profile::Profile next = Load(options.files[i]);
    estimate::TakeOutMethodError(next);
    if (Status status = profile::MergeInto(sum, next); !status.ok()) {
      throw CommandError(options.files[i] + ": " + status.error().ToString());
    }
  }
  estimate::PutInMethodError(sum);
  if (auto accuracy = estimate::AccuracyOf(sum)) estimate::Record(*accuracy, sum);
  Activity activity("writing " + options.output);
  if (Status status = profile::WriteProfile(sum, options.output); !status.ok()) {
    throw CommandError(status.error().ToString());
  }
  return kDone;
}

}  // namespace

void RegisterMerge(Cli& cli) {
  auto options = std::make_shared<MergeOptions>();
  CLI::App* command = cli.app.add_subcommand(
      "merge", "Sum of profiles: weights, samples and variances add, series are concatenated");
  command->add_option("FILES", options->files, "the profiles")->required();
  command->add_option("-o,--output", options->output, "where the sum goes")->required();
  command->callback([&cli, options] { cli.run = [options] { return Merge(*options); }; });
}

}  // namespace assay::cli
