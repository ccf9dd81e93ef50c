// A plan on its way into a JVM: the flags and the agent option that apply it, the temporary files
// they name, and what the agent reports back.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "src/agent/options.h"
#include "src/cli/scratch_folder.h"
#include "src/plan/plan.h"

namespace assay::cli {

// Throws CommandError for a plan that cannot be read.
plan::Plan LoadPlan(const std::string& path);

class AppliedPlan {
 public:
  explicit AppliedPlan(const std::string& path);

  const plan::Plan& plan() const { return plan_; }
  // JVM flags: the plan's own, and the compiler directives for what it inlines.
  const std::vector<std::string>& flags() const { return flags_; }
  // Whether the agent has something to rewrite.
  bool NeedsAgent() const { return plan_.CountOf(plan::Action::kDevirtualize) != 0; }
  // The agent options that apply it; a report file that is named there already stays.
  void SetOptions(agent::Options* options);
  // The flags and, where it is needed, the agent.
  std::vector<std::string> AllFlags();
  const std::string& directives_path() const { return directives_path_; }
  const std::filesystem::path& folder() const { return folder_.path(); }  // goes with this object
  size_t directives() const { return directives_; }

  // What became of the plan, for people: one line, and one per site that was left alone.
  std::string Summary() const;
  // The agent's report as it is; "" when it had nothing to do.
  std::string Report() const;

 private:
  std::string path_;
  plan::Plan plan_;
  ScratchFolder folder_{"plan"};
  std::string directives_path_;  // "" when nothing is inlined
  size_t directives_ = 0;
  std::string report_path_;
  std::vector<std::string> flags_;
};

// The agent's report as text for people.
std::string ReportText(const std::string& report);

}  // namespace assay::cli
