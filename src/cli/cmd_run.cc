// assay run: starts a Java program under a collector. The program's standard streams and exit
// status are its own.
#include <signal.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>

#include "src/cli/agent_options.h"
#include "src/cli/applied_plan.h"
#include "src/cli/commands.h"
#include "src/cli/finished_profile.h"
#include "src/cli/format.h"
#include "src/cli/infer.h"
#include "src/cli/output_file.h"
#include "src/cli/program.h"
#include "src/cli/program_words.h"
#include "src/cli/readback.h"
#include "src/cli/terminal.h"

namespace assay::cli {
namespace {

struct RunOptions {
  AgentOptions agent;
  std::vector<std::string> command;
  bool quiet = false;
  bool explain = false;
};

// A JVM with an AOT cache, used or made, does not start with -Xshare:off.
bool HasAotCache(const std::vector<std::string>& command) {
  std::string given;
  for (const std::string& argument : command) given += " " + argument;
  for (const char* variable : {"JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS"}) {
    if (const char* value = std::getenv(variable)) given += std::string(" ") + value;
  }
  return given.find(" -XX:AOT") != std::string::npos;
}

// JVM flags that give a collector back what its longer methods lose, or make it repeatable. Higher
// inlining limits are not among them: they multiply the time that C2 takes (docs/instrumentation.md).
std::vector<std::string> ExtraFlags(const agent::Options& options, const std::vector<std::string>& command) {
  const std::string collect = options.Text("collect");
  if (collect != "exact" && collect != "bytecodes" && collect != "sampled") return {};
  std::vector<std::string> flags = {"-XX:-DontCompileHugeMethods"};
  // Some garbage collectors map archived objects, with the hash codes they were given, others not.
  if (collect != "bytecodes" || options.IsSet("include")) return flags;
  if (!HasAotCache(command)) {
    flags.emplace_back("-Xshare:off");
  } else {
    fprintf(stderr, "assay: with an AOT cache the JVM cannot have -Xshare:off, without which counts of JDK classes depend on the garbage collector\n");
  }
  return flags;
}

// What was found, as one line; "" when it is nothing.
std::string FoundText(const profile::Profile& profile) {
  std::string text;
  auto add = [&text](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (MeasuresWork(profile)) {
    double work = 0;
    for (const profile::ContextNode& node : profile.nodes()) work += node.self;
    add(NamedWorkText(profile, work));
  } else if (!profile.edges().empty()) {
    add(CallsText(profile, profile.TotalEdgeWeight()) + " over " + Grouped(profile.edges().size()) +
        " edges");
  }
  if (profile.nodes().size() > 1) add(Grouped(profile.nodes().size() - 1) + " contexts");
  for (const auto& [name, table] : profile.tables) {
    add(Grouped(table.rows.size()) + " rows of " + name);
  }
  return text;
}

// Where there are several profiles: whose one is.
std::string WhoseText(const profile::Profile& profile) {
  auto pid = profile.metadata.find("pid"), command = profile.metadata.find("command");
  if (pid == profile.metadata.end()) return "";
  return "process " + pid->second + (command == profile.metadata.end() ? "" : ", " + Printable(command->second)) + ": ";
}

void Summarize(const RunOptions& run, const agent::Options& options, const std::string& path, bool ended_well, bool one_of_many) {
  profile::Profile profile = ReadSessionProfile(path, ended_well);
  if (run.quiet) return;
  const std::string whose = one_of_many ? WhoseText(profile) : "";
  if (auto agent = profile.metadata.find("agent"); agent != profile.metadata.end()) {
    fprintf(stderr, "assay: samples went to %s\n", agent->second.c_str());
    return;
  }
  std::string text = FoundText(profile);
  if (text.empty()) text = "nothing was seen";
  if (std::string accuracy = AccuracyText(profile, options.Percent("until-accuracy")); !accuracy.empty())
    text += "; " + accuracy;
  fprintf(stderr, "assay: %s%s -> %s (assay show %s, assay report %s)\n", whose.c_str(), text.c_str(), path.c_str(),
          path.c_str(), path.c_str());
}

// What becomes of a profile when the program has ended.
void FinishProfile(const RunOptions& run, const agent::Options& options, const std::string& path, bool ended_well, bool one_of_many) {
  if (options.Flag("infer")) {
    // Inferring writes a finished profile of whatever there is.
    static_cast<void>(ReadSessionProfile(path, ended_well));
    std::string done = InferFile(path, path);
    if (!run.quiet) fprintf(stderr, "assay: %s\n", done.c_str());
  }
  Summarize(run, options, path, ended_well, one_of_many);
}

// The profile of a program that is one JVM. An old one must not pass for this run's.
void FinishOne(const RunOptions& run, const agent::Options& options, const std::string& path, const FileState& before, bool ended_well) {
  const FileState now(path);
  if (now == before) {
    throw CommandError("nothing was profiled: no profile was written to " + path +
                           (now.exists ? ", what is there is of an earlier run" : "") +
                           "; did the program start a JVM, and did Assay refuse to profile it?",
                       kRefused);
  }
  FinishProfile(run, options, path, ended_well, false);
}

// Those of a program that is several: each is kept, and none that is not whole hides the others.
void FinishSeveral(const RunOptions& run, const agent::Options& options, const std::vector<std::string>& paths, bool ended_well) {
  size_t usable = 0;
  for (const std::string& path : paths) {
    try {
      FinishProfile(run, options, path, ended_well, true);
      ++usable;
    } catch (const CommandError& error) {
      fprintf(stderr, "assay: %s\n", error.what());
    }
  }
  if (usable == 0) throw CommandError("none of the " + std::to_string(paths.size()) + " profiles is usable", kRefused);
  if (run.quiet || usable == 1) return;
  fprintf(stderr, "assay: the program started %zu JVMs; assay merge adds their profiles up\n", paths.size());
}

// A program that is not java may start any number of JVMs, which get the same options: their profiles are told apart by process id
// until it has ended. One alone gets the name that was asked for.
class Outputs {
 public:
  Outputs(const RunOptions& run, agent::Options* options) : path_(options->Text("output")) {
    named_by_process_ = path_.find("%p") != std::string::npos;
    several_ = named_by_process_ || (!IsJava(run.command) && !options->IsSet("segment"));
    const std::string pattern = named_by_process_ ? path_ : path_ + ".%p";
    if (several_) {
      files_.emplace(pattern);
      static_cast<void>(options->Set("output", pattern));
    }
    before_ = FileState(path_);
  }

  void Finish(const RunOptions& run, const agent::Options& options, bool ended_well) const {
    std::vector<std::string> written;
    if (several_) written = files_->Written();
    if (written.size() > 1 || (named_by_process_ && !written.empty())) return FinishSeveral(run, options, written, ended_well);
    std::error_code error;
    if (written.size() == 1) std::filesystem::rename(written[0], std::filesystem::weakly_canonical(path_, error), error);
    if (error) throw CommandError("cannot rename " + written[0] + " to " + path_ + ": " + error.message(), kRefused);
    FinishOne(run, options, path_, before_, ended_well);
  }

 private:
  const std::string path_;
  bool named_by_process_ = false, several_ = false;
  std::optional<ProcessFiles> files_;
  FileState before_;
};

// What the profiling needs.
void PrepareCollecting(const std::vector<std::string>& command, agent::Options* options, std::vector<std::string>* flags) {
  MakePathsAbsolute(options);
  CheckProfileOutput(options->Text("output"));
  // ExtraFlags tells the JVM to compile such methods.
  if (options->Text("collect") == "sampled" && !options->IsSet("huge-methods")) {
    static_cast<void>(options->Set("huge-methods", "true"));
  }
  std::vector<std::string> extra = ExtraFlags(*options, command);
  flags->insert(flags->end(), extra.begin(), extra.end());
}

int Run(const RunOptions& run) {
  if (run.command.empty())
    throw CommandError("nothing to run; write: assay run [options] -- java ...");
  agent::Options options = run.agent.Get();
  if (run.explain && !options.IsSet("apply")) throw CommandError("--explain needs --apply PLAN");
  std::vector<std::string> flags;
  std::optional<AppliedPlan> applied;
  if (options.IsSet("apply")) {
    applied.emplace(options.Text("apply"));
    flags = applied->flags();
    applied->SetOptions(&options);
    CheckOutput(options.Text("apply-report"));
  }
  bool rewrites = applied && applied->NeedsAgent();
  bool collects = !applied || options.IsSet("collect");
  if (collects) PrepareCollecting(run.command, &options, &flags);
  std::optional<Outputs> outputs;
  if (collects) outputs.emplace(run, &options);
  if (collects || rewrites) {
    flags.insert(flags.begin(), "-agentpath:" + AgentPath() + "=" + options.ToString());
  }
  if (run.explain) {
    for (const std::string& flag : CompileLogFlags(*applied)) flags.push_back(flag);
  }
  const bool segments = collects && options.IsSet("segment");
  int status = RunProgram(run.command, flags, false, [&] {
                 if (segments) RemoveSegments(options.Text("output"));
               }).status;
  // Nobody may be left to read what is said from here on; the status is the program's all the same.
  signal(SIGPIPE, SIG_IGN);
  if (rewrites && !run.quiet) fprintf(stderr, "assay: plan: %s", applied->Summary().c_str());
  if (run.explain) fprintf(stderr, "%s", ReadBackTable(*applied, applied->plan()).c_str());
  if (!collects) return status;
  try {
    outputs->Finish(run, options, status == 0);
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
  app->add_flag("--explain", options->explain,
                "with --apply: show what agent and compiler did with each line of the plan");
  AddProgram(cli, app, &options->command, "java and its arguments, after --");
  app->footer(
      "Example: assay run --collect exact -- java -jar app.jar\n"
      "With --apply PLAN the program runs with the plan's changes; nothing is profiled unless\n"
      "--collect is given.\n"
      "Exit status: the program's own; 3 when it ended with 0 and left no finished profile. Where a\n"
      "script starts several JVMs each has its own profile, OUTPUT.PID; in an output's name %p is that PID.");
  app->callback([&cli, options] { cli.run = [options] { return Run(*options); }; });
}

}  // namespace assay::cli
