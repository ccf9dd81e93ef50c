// assay infer: better weights from what the code says about its calls.
#include <fmt/format.h>

#include <memory>

#include "src/cli/commands.h"
#include "src/cli/format.h"
#include "src/cli/infer.h"
#include "src/cli/load.h"
#include "src/cli/terminal.h"
#include "src/estimate/flow_table.h"
#include "src/estimate/inference.h"
#include "src/profile/writer.h"

namespace assay::cli {
namespace {

struct InferOptions {
  std::string file;
  std::string output;
};

std::string NothingToInfer(const profile::Profile& profile) {
  auto infer = profile.metadata.find("infer");
  const std::string done = infer == profile.metadata.end() ? "" : infer->second;
  if (done.find("done") != std::string::npos) {
    return " has its calls drawn together already (infer=done): assay run --infer true does that "
           "itself";
  }
  if (done.find("left alone") != std::string::npos) {
    return " was looked at already, and there was nothing to draw together (infer=left alone)";
  }
  return " does not say which calls are made equally often; record that with --infer true, which "
         "assay run then applies itself";
}

}  // namespace

std::string InferFile(const std::string& from, const std::string& to) {
  profile::Profile profile = Load(from);
  const bool looked = profile.metadata.erase(estimate::kFlowLooked) > 0;
  if (!looked && !profile.tables.contains(estimate::kFlowTable)) {
    throw CommandError(Printable(from) + NothingToInfer(profile));
  }
  estimate::FlowSolution solution = estimate::InferFlow(profile);
  // Used up: a second time the same evidence would count twice.
  profile.tables.erase(estimate::kFlowTable);
  profile.metadata["infer"] = solution.joined > 0 ? "done" : "left alone";
  if (Status status = profile::WriteProfile(profile, to); !status.ok()) {
    throw CommandError(status.error().ToString());
  }
  if (solution.joined + solution.left == 0) {
    return "nothing inferred: no two of the calls seen are always made equally often";
  }
  if (solution.joined == 0) {
    return fmt::format("nothing inferred: {} groups of calls that the code makes equally often contradict that",
                       Grouped(solution.left));
  }
  return fmt::format("{} groups of calls brought together, {} contradict and stay as they are",
                     Grouped(solution.joined), Grouped(solution.left));
}

void RegisterInfer(Cli& cli) {
  auto options = std::make_shared<InferOptions>();
  CLI::App* command = cli.app.add_subcommand(
      "infer", "Draw the weights of calls together that the code makes equally often");
  command
      ->add_option("FILE", options->file,
                   "a profile that assay attach or the agent alone made with --infer true; assay "
                   "run applies it itself")
      ->required();
  command->add_option("-o,--output", options->output, "where the result goes")->required();
  command->callback([&cli, options] { cli.run = [options] {
    fprintf(stderr, "assay: %s\n", InferFile(options->file, options->output).c_str());
    return static_cast<int>(kDone);
  }; });
}

}  // namespace assay::cli
