// assay live: a local page that follows a program while it runs. The agent writes its profile every
// second; this command reads it and passes it on to the page, and passes the page's wishes back.
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>
#include <optional>

#include "src/base/json.h"
#include "src/cli/agent_options.h"
#include "src/cli/commands.h"
#include "src/cli/hotspot_attach.h"
#include "src/cli/live_server.h"
#include "src/cli/output_file.h"
#include "src/cli/program_words.h"
#include "src/cli/scratch_folder.h"
#include "src/profile/reader.h"
#include "src/report/report.h"

extern char** environ;

namespace assay::cli {
namespace {

struct LiveOptions {
  AgentOptions agent;
  std::string pid;  // or a command
  std::vector<std::string> command;
  int port = 0;
};

volatile sig_atomic_t g_ended = 0;
void OnEnd(int) { g_ended = 1; }
void OnInterrupt(int) {}

void Catch(int number, void (*handler)(int)) {
  struct sigaction action {};
  sigaction(number, nullptr, &action);
  if (action.sa_handler == SIG_IGN) return;  // nohup
  action = {};
  action.sa_handler = handler;
  sigaction(number, &action, nullptr);
}

// What the page needs at most; more than a screen can show.
constexpr report::Limits kPicture{
    .edges = 2000, .nodes = 6000, .points = 2000, .rows = 200, .sites = 0, .source_bytes = 0};

class Live {
 public:
  explicit Live(const LiveOptions& live) : options_(live.agent.Get("contexts")) {
    if (!options_.IsSet("output")) Set("output", folder_.File("live.profile"));
    MakePathsAbsolute(&options_);
    path_ = options_.Text("output");
    CheckProfileOutput(path_);
    seen_ = FileState(path_);
    server_ =
        std::make_unique<LiveServer>(token_, std::string(report::LivePage()),
                                     [this](const std::string& body) { return Control(body); });
    if (Status status = server_->Listen(live.port); !status.ok()) {
      throw CommandError(status.error().message, kRefused);
    }
  }

  int Follow(pid_t pid) {
    pid_ = pid;
    Attach();
    return Loop();
  }

  int Launch(const std::vector<std::string>& command) {
    std::vector<std::string> words = {"assay", "run", "-q"};
    for (const auto& [name, value] : options_.values()) {
      words.push_back("--" + name);
      words.push_back(value);
    }
    words.push_back("--");
    words.insert(words.end(), command.begin(), command.end());
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    // The program gets it too, and decides. A handler, because it does not inherit one.
    Catch(SIGINT, OnInterrupt);
    int error = posix_spawn(&child_, "/proc/self/exe", nullptr, nullptr, arguments.data(), environ);
    if (error != 0) throw CommandError(std::strerror(error), kRefused);
    running_ = true;
    return Loop();
  }

 private:
  void Set(const std::string& name, const std::string& value) {
    if (Status status = options_.Set(name, value); !status.ok()) {
      throw CommandError(status.error().message);
    }
  }

  void Attach() {
    auto status = CallAgent(pid_, AgentPath(), "command=status");
    if (!status.ok()) throw CommandError(status.error().message, kRefused);
    if (status->starts_with("running")) {
      throw CommandError("process " + std::to_string(pid_) +
                             " is being profiled already; assay detach " + std::to_string(pid_) +
                             " ends that",
                         kRefused);
    }
    auto started = CallAgent(pid_, AgentPath(), options_.ToString());
    if (!started.ok()) throw CommandError(started.error().message, kRefused);
    running_ = true;
  }

  Result<std::string> Control(const std::string& body) {
    if (pid_ == 0) return Error{"the program has not started yet"};
    std::string command;
    if (body == "stop") {
      command = "command=stop";
    } else if (body == "start") {
      command = options_.ToString();
    } else if (body.starts_with("tick ")) {
      command = "tick=" + body.substr(5);
    } else {
      return Error{"unknown wish"};
    }
    auto answer = CallAgent(pid_, AgentPath(), command);
    if (!answer.ok()) return answer.error();
    if (body.starts_with("tick ")) static_cast<void>(options_.Set("tick", body.substr(5)));
    if (body == "stop") running_ = false;
    if (body == "start") running_ = true;
    PublishState("");
    return std::string("{}");
  }

  void PublishState(const std::string& ended) {
    JsonWriter json;
    json.BeginObject().Field("pid", pid_).Key("running").Bool(running_);
    json.Field("ended", ended).Field("tick", options_.IsSet("tick") ? options_.Text("tick") : "");
    json.EndObject();
    server_->Publish("state", json.text());
  }

  void PublishProfile() {
    const FileState now(path_);
    if (!now.exists || now == seen_) return;
    auto profile = profile::ReadProfile(path_);
    // Being replaced just now, or only begun.
    if (!profile.ok() || !profile->metadata.contains("duration")) return;
    seen_ = now;
    auto pid = profile->metadata.find("pid");
    if (pid_ == 0 && pid != profile->metadata.end()) pid_ = std::atoi(pid->second.c_str());
    server_->Publish("profile", report::MakeData({{path_, &*profile}}, {}, kPicture));
  }

  std::optional<int> Ended() {
    if (child_ > 0) {
      int status = 0;
      if (waitpid(child_, &status, WNOHANG) != child_) return std::nullopt;
      return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    }
    if (kill(pid_, 0) != 0 && errno == ESRCH) return kDone;
    return std::nullopt;
  }

  int Loop() {
    Catch(SIGTERM, OnEnd);
    Catch(SIGHUP, OnEnd);
    if (child_ == 0) Catch(SIGINT, OnEnd);
    fprintf(stderr, "assay: live at http://127.0.0.1:%d/?token=%s\n", server_->port(),
            token_.c_str());
    PublishState("");
    // The file is looked at as often as it may change, within reason.
    int interval_ms =
        static_cast<int>(std::clamp<uint64_t>(options_.Nanoseconds("flush") / 1000000, 20, 250));
    std::optional<int> status;
    while (!status && !g_ended) {
      server_->Serve(interval_ms);
      PublishProfile();
      status = Ended();
      if (status) PublishState("The program has ended.");
    }
    if (!status && child_ > 0) {
      kill(pid_ > 0 ? pid_ : child_, SIGTERM);
      int ignored = 0;
      while (waitpid(child_, &ignored, 0) < 0 && errno == EINTR) {
      }
    } else if (!status && running_) {
      static_cast<void>(CallAgent(pid_, AgentPath(), "command=stop"));
    }
    if (!status) PublishState("The live view was ended.");
    server_->Serve(200);
    return status.value_or(kDone);
  }

  agent::Options options_;
  std::string token_ = MakeToken();
  ScratchFolder folder_{"live"};
  std::string path_;
  std::unique_ptr<LiveServer> server_;
  pid_t pid_ = 0, child_ = 0;
  bool running_ = false;
  FileState seen_;  // at first what an earlier session left
};

pid_t ParsePid(const std::string& text) {
  pid_t pid = 0;
  auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), pid);
  if (code == std::errc() && *end == '\0' && pid > 0) return pid;
  throw CommandError("'" + text + "' is no process id");
}

int Run(const LiveOptions& options) {
  if (options.pid.empty() == options.command.empty()) {
    throw CommandError(std::string(options.pid.empty() ? "nothing" : "either a process or a program") +
                       " to follow; write: assay live PID, or assay live -- java ...");
  }
  const pid_t pid = options.pid.empty() ? 0 : ParsePid(options.pid);
  Live live(options);
  return pid != 0 ? live.Follow(pid) : live.Launch(options.command);
}

}  // namespace

void RegisterLive(Cli& cli) {
  auto options = std::make_shared<LiveOptions>();
  CLI::App* app = cli.app.add_subcommand("live", "Watch a program in a local page while it runs");
  options->agent.AddTo(*app);
  app->add_option("--port", options->port, "on 127.0.0.1; 0 = any that is free")
      ->check(CLI::Range(0, 65535));
  app->add_option("pid", options->pid, "the process to follow");
  AddProgram(cli, app, &options->command, "or java and its arguments, after --", true);
  app->footer(
      "Example: assay live 1234\n"
      "         assay live --tick 10ms -- java -jar app.jar\n"
      "The page is on this machine only, behind an address that cannot be guessed. It ends with "
      "the\n"
      "program; Ctrl-C ends it before, and detaches. Without --collect: contexts.");
  app->callback([&cli, options] { cli.run = [options] { return Run(*options); }; });
}

}  // namespace assay::cli
