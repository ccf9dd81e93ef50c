// assay live: a local page that follows a program while it runs. The agent writes its profile every
// second; this command reads it and passes it on to the page, and passes the page's wishes back.
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>

#include "src/base/json.h"
#include "src/cli/agent_options.h"
#include "src/cli/commands.h"
#include "src/cli/hotspot_attach.h"
#include "src/cli/live_server.h"
#include "src/profile/reader.h"
#include "src/report/report.h"

extern char** environ;

namespace assay::cli {
namespace {

struct LiveOptions {
  AgentOptions agent;
  std::vector<std::string> target;  // a process id, or a command
  int port = 0;
};

volatile sig_atomic_t g_ended = 0;
void OnEnd(int) { g_ended = 1; }

// What the page needs at most; more than a screen can show.
constexpr report::Limits kPicture{
    .edges = 2000, .nodes = 6000, .points = 2000, .rows = 200, .sites = 0, .source_bytes = 0};

class Live {
 public:
  explicit Live(const LiveOptions& live) : options_(live.agent.Get()) {
    if (!options_.IsSet("collect")) Set("collect", "contexts");
    char folder[] = "/tmp/assay-live-XXXXXX";
    if (mkdtemp(folder) == nullptr) throw CommandError(std::strerror(errno), kRefused);
    folder_ = folder;
    Set("output", options_.IsSet("output") ? AbsolutePath(options_.Text("output"))
                                           : folder_ + "/live.profile");
    path_ = options_.Text("output");
    server_ =
        std::make_unique<LiveServer>(token_, std::string(report::LivePage()),
                                     [this](const std::string& body) { return Control(body); });
    if (Status status = server_->Listen(live.port); !status.ok()) {
      throw CommandError(status.error().message, kRefused);
    }
  }
  ~Live() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
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
    signal(SIGINT, SIG_IGN);  // the program gets it too, and decides
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
    struct stat now {};
    if (stat(path_.c_str(), &now) != 0) return;
    if (now.st_size == seen_size_ && now.st_mtim.tv_nsec == seen_ns_ &&
        now.st_mtim.tv_sec == seen_s_)
      return;
    auto profile = profile::ReadProfile(path_);
    // Being replaced just now, or only begun.
    if (!profile.ok() || !profile->metadata.contains("duration")) return;
    seen_size_ = now.st_size;
    seen_s_ = now.st_mtim.tv_sec;
    seen_ns_ = now.st_mtim.tv_nsec;
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
    struct sigaction action {};
    action.sa_handler = OnEnd;
    sigaction(SIGTERM, &action, nullptr);
    if (child_ == 0) sigaction(SIGINT, &action, nullptr);
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
      waitpid(child_, &ignored, 0);
    } else if (!status && running_) {
      static_cast<void>(CallAgent(pid_, AgentPath(), "command=stop"));
    }
    if (!status) PublishState("The live view was ended.");
    server_->Serve(200);
    return status.value_or(kDone);
  }

  agent::Options options_;
  std::string token_ = MakeToken();
  std::string folder_, path_;
  std::unique_ptr<LiveServer> server_;
  pid_t pid_ = 0, child_ = 0;
  bool running_ = false;
  int64_t seen_size_ = -1, seen_s_ = 0, seen_ns_ = 0;
};

int Run(const LiveOptions& options) {
  if (options.target.empty()) {
    throw CommandError("nothing to follow; write: assay live PID, or assay live -- java ...");
  }
  Live live(options);
  const std::string& first = options.target.front();
  bool is_number = first.find_first_not_of("0123456789") == std::string::npos;
  if (options.target.size() == 1 && is_number) return live.Follow(std::atoi(first.c_str()));
  return live.Launch(options.target);
}

}  // namespace

void RegisterLive(Cli& cli) {
  auto options = std::make_shared<LiveOptions>();
  CLI::App* app = cli.app.add_subcommand("live", "Watch a program in a local page while it runs");
  options->agent.AddTo(*app);
  app->add_option("--port", options->port, "on 127.0.0.1; 0 = any that is free")
      ->check(CLI::Range(0, 65535));
  app->add_option("target", options->target, "a process id, or java and its arguments after --");
  app->positionals_at_end();
  app->footer(
      "Example: assay live 1234\n"
      "         assay live --tick 10ms -- java -jar app.jar\n"
      "The page is on this machine only, behind an address that cannot be guessed. It ends with "
      "the\n"
      "program; Ctrl-C ends it before, and detaches.");
  app->callback([&cli, options] { cli.run = [options] { return Run(*options); }; });
}

}  // namespace assay::cli
