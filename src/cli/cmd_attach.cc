// assay attach and assay detach: the collectors on a JVM that is already running.
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <thread>

#include "src/cli/agent_options.h"
#include "src/cli/applied_plan.h"
#include "src/cli/commands.h"
#include "src/cli/finished_profile.h"
#include "src/cli/format.h"
#include "src/cli/hotspot_attach.h"
#include "src/cli/load.h"
#include "src/cli/output_file.h"

namespace assay::cli {
namespace {

struct AttachOptions {
  AgentOptions agent;
  pid_t pid = 0;
};

std::string Call(pid_t pid, const std::string& options) {
  auto answer = CallAgent(pid, AgentPath(), options);
  if (!answer.ok()) throw CommandError(answer.error().message, kRefused);
  return *answer;
}

bool IsGone(pid_t pid) { return kill(pid, 0) != 0 && errno == ESRCH; }

void WaitFor(pid_t pid, uint64_t nanoseconds) {
  auto end = std::chrono::steady_clock::now() + std::chrono::nanoseconds(nanoseconds);
  while (std::chrono::steady_clock::now() < end && !IsGone(pid)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

// The agent itself decides when; it looks as often as it writes.
void WaitUntilIdle(pid_t pid) {
  while (!IsGone(pid)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    auto answer = CallAgent(pid, AgentPath(), "command=status");
    if (!answer.ok() || !answer->starts_with("running")) return;
  }
}

// A path of the JVM's, as it is seen from here.
std::string SeenFromHere(pid_t pid, const std::string& path) {
  const std::string root = "/proc/" + std::to_string(pid) + "/root";
  std::error_code error;
  const std::filesystem::path at = std::filesystem::read_symlink(root, error);
  return error || at == "/" ? path : root + path;
}

// The file of the session that runs in the JVM; nothing when none does.
std::optional<std::string> RunningOutput(pid_t pid) {
  constexpr std::string_view kRunning = "running: ";
  std::string status = Call(pid, "command=status");
  if (!status.starts_with("running")) return std::nullopt;
  auto options = agent::Options::Parse(status.substr(std::min(kRunning.size(), status.size())));
  return options.ok() ? options->Text("output") : "";
}

// What the session left behind, after it was asked to end or ended by itself.
void SayWritten(pid_t pid, const std::string& output, double target, const Result<std::string>& stopped) {
  std::string accuracy;
  try {
    accuracy = AccuracyText(ReadSessionProfile(SeenFromHere(pid, output), true), target);
  } catch (const CommandError& error) {
    if (stopped.ok()) throw;
    throw CommandError(stopped.error().message + "; " + error.what(), kRefused);
  }
  fprintf(stderr, "assay: wrote %s%s%s\n", output.c_str(), accuracy.empty() ? "" : "; ", accuracy.c_str());
}

// Takes an applied plan back: rewritten classes by the agent, directives by the JVM.
bool RemovePlan(pid_t pid) {
  auto directives = CallAgent(pid, AgentPath(), "command=unapply");
  if (!directives.ok()) return false;
  for (int left = std::atoi(directives->c_str()); left > 0; --left) {
    static_cast<void>(RunDiagnosticCommand(pid, "Compiler.directives_remove"));
  }
  return true;
}

// One batch: all classes in one retransformation, all directives in one file. Code that is compiled
// already keeps its inlining until it is compiled again.
void ApplyPlan(pid_t pid, const agent::Options& given) {
  AppliedPlan applied(given.Text("apply"));
  if (given.IsSet("apply-report")) CheckOutput(given.Text("apply-report"));
  RemovePlan(pid);
  agent::Options options;
  applied.SetOptions(&options);
  if (applied.directives() != 0) {
    auto added = RunDiagnosticCommand(pid, "Compiler.directives_add " + applied.directives_path());
    if (!added.ok()) throw CommandError(added.error().message, kRefused);
    static_cast<void>(options.Set("directives", std::to_string(applied.directives())));
    fprintf(stderr, "assay: %zu compiler directives, for what is compiled from now on\n",
            applied.directives());
  }
  for (const std::string& flag : applied.plan().flags) {
    fprintf(stderr, "assay: %s cannot be set in a running JVM\n", flag.c_str());
  }
  const std::string report = Call(pid, options.ToString());
  if (given.IsSet("apply-report")) WriteOutput(given.Text("apply-report"), report + "\n");
  fprintf(stderr, "assay: %s", ReportText(report).c_str());
  fprintf(stderr, "assay: take it back with: assay detach %d\n", pid);
}

// Begins a session, or changes the one that runs, which keeps its file. The file is returned.
std::string StartOrChange(pid_t pid, agent::Options options, const std::optional<std::string>& running) {
  const bool names_output = options.IsSet("output");
  MakePathsAbsolute(&options);
  std::string output = options.Text("output");
  if (running) {
    if (names_output && output != *running) {
      throw CommandError("process " + std::to_string(pid) + " is being profiled into " + *running +
                             ", and stays so until: assay detach " + std::to_string(pid),
                         kRefused);
    }
    options = options.Without("output");
    output = *running;
  } else {
    CheckProfileOutput(SeenFromHere(pid, output));
  }
  std::string answer = Call(pid, options.ToString());
  if (!running && options.IsSet("segment")) RemoveSegments(SeenFromHere(pid, output));
  fprintf(stderr, "assay: %s%s\n", answer.c_str(), running ? ("; it writes " + output).c_str() : "");
  return output;
}

int Attach(const AttachOptions& attach) {
  agent::Options options = attach.agent.Get();
  if (options.IsSet("apply")) {
    ApplyPlan(attach.pid, options);
    if (!options.IsSet("collect")) return kDone;
    options = options.Without("apply").Without("apply-report");
  }
  const std::optional<std::string> running = RunningOutput(attach.pid);
  const std::string output = StartOrChange(attach.pid, options, running);
  uint64_t duration = options.Nanoseconds("for");
  if (options.IsSet("until-accuracy")) {
    WaitUntilIdle(attach.pid);
    SayWritten(attach.pid, output, options.Percent("until-accuracy"), std::string());
    return kDone;
  }
  if (running && duration == 0) return kDone;
  if (duration == 0) {
    fprintf(stderr, "assay: end it with: assay detach %d\n", attach.pid);
    return kDone;
  }
  WaitFor(attach.pid, duration);
  // The agent ends by itself as well; whoever comes second finds nothing to do.
  auto stopped = CallAgent(attach.pid, AgentPath(), "command=stop");
  SayWritten(attach.pid, output, 0, stopped);
  return kDone;
}

int Detach(pid_t pid) {
  bool removed = RemovePlan(pid);
  if (removed) fprintf(stderr, "assay: the plan is removed\n");
  auto stopped = CallAgent(pid, AgentPath(), "command=stop");
  if (!stopped.ok() && !removed) throw CommandError(stopped.error().message, kRefused);
  if (stopped.ok()) fprintf(stderr, "assay: %s\n", stopped->c_str());
  return kDone;
}

}  // namespace

void RegisterAttach(Cli& cli) {
  auto options = std::make_shared<AttachOptions>();
  CLI::App* app = cli.app.add_subcommand("attach", "Profile a JVM that is already running");
  app->add_option("pid", options->pid, "its process id")->required();
  options->agent.AddTo(*app);
  app->footer(
      "Example: assay attach 1234 --for 30s -o app.profile\n"
      "Again on a JVM being profiled: changes the options given; the file stays.\n"
      "JDK 21 and newer warn of agents loaded so, unless they run with\n"
      "-XX:+EnableDynamicAgentLoading; with -XX:-EnableDynamicAgentLoading they refuse.\n"
      "With --apply PLAN the plan's changes are made in the running JVM, in one batch.");
  app->callback([&cli, options] { cli.run = [options] { return Attach(*options); }; });
}

void RegisterDetach(Cli& cli) {
  auto pid = std::make_shared<pid_t>(0);
  CLI::App* app = cli.app.add_subcommand(
      "detach", "End the profiling of a running JVM, and take an applied plan back");
  app->add_option("pid", *pid, "its process id")->required();
  app->callback([&cli, pid] { cli.run = [pid] { return Detach(*pid); }; });
}

}  // namespace assay::cli
