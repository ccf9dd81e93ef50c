#include "src/cli/applied_plan.h"

#include <fstream>
#include <iterator>
#include <sstream>

#include "src/cli/agent_options.h"
#include "src/cli/commands.h"
#include "src/optimize/directives.h"

namespace assay::cli {
namespace {

constexpr size_t kListed = 10;

std::string ReadText(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

plan::Plan LoadPlan(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {
    throw CommandError("there is no plan " + path + (error ? ": " + error.message() : ""));
  }
  auto plan = plan::ParsePlan(ReadText(path));
  if (!plan.ok()) throw CommandError(path + ": " + plan.error().message);
  return std::move(*plan);
}

AppliedPlan::AppliedPlan(const std::string& path)
    : path_(AbsolutePath(path)), plan_(LoadPlan(path)) {
  flags_ = plan_.flags;
  optimize::Directives directives = optimize::DirectivesOf(plan_);
  if (directives.json.empty()) return;
  directives_path_ = folder_.File("directives.json");
  std::ofstream(directives_path_) << directives.json;
  directives_ = directives.count;
  flags_.push_back("-XX:+UnlockDiagnosticVMOptions");
  flags_.push_back("-XX:CompilerDirectivesFile=" + directives_path_);
  // The VM announces the directives; the program's standard output is its own.
  flags_.push_back("-XX:+DisplayVMOutputToStderr");
}

void AppliedPlan::SetOptions(agent::Options* options) {
  report_path_ = options->IsSet("apply-report") ? AbsolutePath(options->Text("apply-report"))
                                                : folder_.File("report");
  for (const auto& [name, value] :
       {std::pair<std::string, std::string>{"apply", path_}, {"apply-report", report_path_}}) {
    if (Status status = options->Set(name, value); !status.ok()) {
      throw CommandError(status.error().message);
    }
  }
}

std::vector<std::string> AppliedPlan::AllFlags() {
  std::vector<std::string> flags = flags_;
  if (!NeedsAgent()) return flags;
  agent::Options options;
  SetOptions(&options);
  flags.insert(flags.begin(), "-agentpath:" + AgentPath() + "=" + options.ToString());
  return flags;
}

std::string AppliedPlan::Report() const {
  return report_path_.empty() ? "" : ReadText(report_path_);
}

std::string AppliedPlan::Summary() const { return ReportText(Report()); }

std::string ReportText(const std::string& report) {
  std::istringstream lines(report);
  std::string line;
  std::string text;
  size_t left = 0;
  for (bool first = true; std::getline(lines, line); first = false) {
    if (first) {
      text = line + "\n";
      continue;
    }
    bool fine = line.starts_with("rewritten") || line.ends_with("\tin use");
    if (fine || ++left > kListed) continue;
    size_t tab = line.find('\t');
    size_t second = line.find('\t', tab + 1);
    text += "  " + line.substr(tab + 1, second - tab - 1) + ": " +
            (second == std::string::npos ? "" : line.substr(second + 1)) + "\n";
  }
  if (left > kListed) text += "  and " + std::to_string(left - kListed) + " more\n";
  return text;
}

}  // namespace assay::cli
