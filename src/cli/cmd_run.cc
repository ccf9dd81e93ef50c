// assay run: starts a Java program under a collector. The program's standard streams and exit
// status are its own.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>

#include "src/cli/agent_options.h"
#include "src/cli/commands.h"
#include "src/cli/format.h"
#include "src/profile/reader.h"

namespace assay::cli {
namespace {

struct RunOptions {
  AgentOptions agent;
  std::vector<std::string> command;
  bool quiet = false;
};

bool IsJava(const std::string& program) {
  return std::filesystem::path(program).filename() == "java";
}

// JVM flags that give a collector back what its longer methods lose.
std::vector<std::string> ExtraFlags(const agent::Options& options) {
  const std::string collect = options.Text("collect");
  if (collect == "exact") return {"-XX:-DontCompileHugeMethods"};
  if (collect == "sampled" || collect == "bytecodes") {
    return {"-XX:-DontCompileHugeMethods", "-XX:MaxInlineSize=80", "-XX:FreqInlineSize=800",
            "-XX:InlineSmallCode=5000"};
  }
  return {};
}

std::vector<std::string> WithAgent(std::vector<std::string> command,
                                   const agent::Options& options) {
  std::vector<std::string> flags = ExtraFlags(options);
  flags.insert(flags.begin(), "-agentpath:" + AgentPath() + "=" + options.ToString());
  if (IsJava(command[0])) {
    command.insert(command.begin() + 1, flags.begin(), flags.end());
    return command;
  }
  // A script that starts java somewhere inside: the JVM reads its flags from the environment.
  std::string joined;
  for (const std::string& flag : flags) joined += (joined.empty() ? "" : " ") + flag;
  if (const char* before = getenv("JAVA_TOOL_OPTIONS")) joined = std::string(before) + " " + joined;
  setenv("JAVA_TOOL_OPTIONS", joined.c_str(), 1);
  return command;
}

int Execute(const std::vector<std::string>& command) {
  int failure[2];
  if (pipe2(failure, O_CLOEXEC) != 0) throw CommandError(std::strerror(errno), kRefused);
  // The terminal's interrupt goes to the program too; it decides, and we report.
  signal(SIGINT, SIG_IGN);
  signal(SIGQUIT, SIG_IGN);
  pid_t child = fork();
  if (child == 0) {
    signal(SIGINT, SIG_DFL);
    signal(SIGQUIT, SIG_DFL);
    std::vector<char*> arguments;
    for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    execvp(arguments[0], arguments.data());
    int code = errno;
    ssize_t ignored = write(failure[1], &code, sizeof code);
    static_cast<void>(ignored);
    _exit(127);
  }
  close(failure[1]);
  int code = 0;
  bool failed = child < 0 || read(failure[0], &code, sizeof code) == sizeof code;
  close(failure[0]);
  int status = 0;
  if (child > 0) {
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
  }
  if (failed) throw CommandError("cannot run " + command[0] + ": " + std::strerror(code));
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void Summarize(const std::string& path, double target, bool quiet) {
  auto profile = profile::ReadProfile(path);
  if (!profile.ok()) {
    throw CommandError("no usable profile in " + path + ": " + profile.error().ToString() +
                           "; did the program start a JVM?",
                       kRefused);
  }
  if (quiet) return;
  std::string text;
  auto add = [&text](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (!profile->edges().empty()) {
    add(Count(profile->TotalEdgeWeight()) + " calls over " + Grouped(profile->edges().size()) +
        " edges");
  }
  if (profile->nodes().size() > 1) add(Grouped(profile->nodes().size() - 1) + " contexts");
  for (const auto& [name, table] : profile->tables) {
    add(Grouped(table.rows.size()) + " rows of " + name);
  }
  if (text.empty()) text = "nothing was seen";
  if (std::string accuracy = AccuracyText(*profile, target); !accuracy.empty()) text += "; " + accuracy;
  fprintf(stderr, "assay: %s -> %s (assay show %s, assay report %s)\n", text.c_str(), path.c_str(),
          path.c_str(), path.c_str());
}

int Run(const RunOptions& run) {
  if (run.command.empty())
    throw CommandError("nothing to run; write: assay run [options] -- java ...");
  agent::Options options = run.agent.Get();
  std::string output = AbsolutePath(options.Text("output"));
  if (Status status = options.Set("output", output); !status.ok()) {
    throw CommandError(status.error().message);
  }
  std::error_code ignored;
  std::filesystem::remove(output, ignored);  // an old profile must not pass for this run's
  // WithAgent tells the JVM to compile such methods.
  if (options.Text("collect") == "sampled" && !options.IsSet("huge-methods")) {
    static_cast<void>(options.Set("huge-methods", "true"));
  }
  int status = Execute(WithAgent(run.command, options));
  try {
    Summarize(output, options.Percent("until-accuracy"), run.quiet);
  } catch (const CommandError& error) {
    if (status == 0) throw;
    fprintf(stderr, "assay: %s\n", error.what());
  }
  return status;
}

}  // namespace

void RegisterRun(Cli& cli) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* app = cli.app.add_subcommand("run", "Run a Java program and profile it");
  options->agent.AddTo(*app);
  app->add_flag("-q,--quiet", options->quiet, "no summary at the end");
  app->add_option("command", options->command, "java and its arguments, after --");
  app->positionals_at_end();
  app->footer("Example: assay run --collect exact -- java -jar app.jar");
  app->callback([&cli, options] { cli.run = [options] { return Run(*options); }; });
}

}  // namespace assay::cli
