#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "src/cli/commands.h"
#include "src/cli/load.h"
#include "src/cli/terminal.h"
#include "src/estimate/accuracy.h"
#include "src/profile/merge.h"
#include "src/profile/writer.h"
#include "src/sampling/burst_ledger.h"

namespace assay::cli {
namespace {

struct MergeOptions {
  std::vector<std::string> files;
  std::string output;
};

// Of the number of calls in all, as a share of it: chance is in each profile on its own, the method
// errs in all of them alike.
void ChangeTotalError(profile::Profile& profile, const char* format, double (*change)(double)) {
  auto error = profile.metadata.find("calls-total-error");
  if (error == profile.metadata.end()) return;
  char text[32];
  std::snprintf(text, sizeof text, format,
                100 * change(std::strtod(error->second.c_str(), nullptr) / 100));
  error->second = text;
}

constexpr double kOfMethod = sampling::BurstLedger::kTotalMethodError;

profile::Profile LoadChance(const std::string& path) {
  profile::Profile profile = Load(path);
  estimate::TakeOutMethodError(profile);
  ChangeTotalError(profile, "%.4f %%", [](double error) {
    return std::sqrt(std::max(0.0, error * error - kOfMethod * kOfMethod));
  });
  return profile;
}

void PutInMethod(profile::Profile& profile) {
  estimate::PutInMethodError(profile);
  ChangeTotalError(profile, "%.1f %%", [](double error) { return std::hypot(error, kOfMethod); });
}

int Merge(const MergeOptions& options) {
  profile::Profile sum = LoadChance(options.files[0]);
  for (size_t i = 1; i < options.files.size(); ++i) {
    Activity activity(fmt::format("merging {} of {}", i + 1, options.files.size()));
    const profile::Profile next = LoadChance(options.files[i]);
    if (Status status = profile::MergeInto(sum, next); !status.ok()) {
      throw CommandError(options.files[i] + ": " + status.error().ToString());
    }
  }
  PutInMethod(sum);
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
  command->footer(
      "Counts in the metadata add, text that differs is joined. Refused where sums would mean "
      "nothing:\n"
      "activations (--collect contexts) with calls, and time by different clocks.");
  command->callback([&cli, options] { cli.run = [options] { return Merge(*options); }; });
}

}  // namespace assay::cli
