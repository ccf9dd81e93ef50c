// assay attach and assay detach: the collectors on a JVM that is already running.
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <thread>

#include "src/cli/agent_options.h"
#include "src/cli/commands.h"
#include "src/cli/format.h"
#include "src/cli/hotspot_attach.h"
#include "src/profile/reader.h"

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

void SayAccuracy(const std::string& path, double target) {
  auto profile = profile::ReadProfile(path);
  if (!profile.ok()) return;
  std::string accuracy = AccuracyText(*profile, target);
  fprintf(stderr, "assay: wrote %s%s%s\n", path.c_str(), accuracy.empty() ? "" : "; ", accuracy.c_str());
}

int Attach(const AttachOptions& attach) {
  agent::Options options = attach.agent.Get();
  bool running = Call(attach.pid, "command=status").starts_with("running");
  if (!running || options.IsSet("output")) {
    std::string output = AbsolutePath(options.Text("output"));
    if (Status status = options.Set("output", output); !status.ok()) {
      throw CommandError(status.error().message);
    }
  }
  std::string answer = Call(attach.pid, options.ToString());
  fprintf(stderr, "assay: %s\n", answer.c_str());
  uint64_t duration = options.Nanoseconds("for");
  if (options.IsSet("until-accuracy")) {
    WaitUntilIdle(attach.pid);
    if (options.IsSet("output")) SayAccuracy(options.Text("output"), options.Percent("until-accuracy"));
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
  fprintf(stderr, "assay: wrote %s\n", options.Text("output").c_str());
  return kDone;
}

int Detach(pid_t pid) {
  fprintf(stderr, "assay: %s\n", Call(pid, "command=stop").c_str());
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
      "Again on a JVM being profiled: changes the options given.");
  app->callback([&cli, options] { cli.run = [options] { return Attach(*options); }; });
}

void RegisterDetach(Cli& cli) {
  auto pid = std::make_shared<pid_t>(0);
  CLI::App* app = cli.app.add_subcommand("detach", "End the profiling of a running JVM");
  app->add_option("pid", *pid, "its process id")->required();
  app->callback([&cli, pid] { cli.run = [pid] { return Detach(*pid); }; });
}

}  // namespace assay::cli
