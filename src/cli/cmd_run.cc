// assay run: starts a Java program under a collector. The program's standard streams and exit
// status are its own.
#include <signal.h>

#include <cstdlib>
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

// A script may start several JVMs, and each writes to the same file.
std::string WhichJvm(const profile::Profile& profile, const std::vector<std::string>& command) {
  auto pid = profile.metadata.find("pid");
  if (IsJava(command) || pid == profile.metadata.end()) return "";
  auto name = profile.metadata.find("command");
  return "this is of process " + pid->second +
         (name == profile.metadata.end() ? "" : ", " + Printable(name->second)) + "; where " +
         command[0] +
         " starts more than one JVM only one profile is kept: give assay the java command itself, "
         "or each its own -o";
}

void Summarize(const RunOptions& run, const agent::Options& options, bool ended_well) {
  const std::string path = options.Text("output");
  profile::Profile profile = ReadSessionProfile(path, ended_well);
  if (run.quiet) return;
  if (auto agent = profile.metadata.find("agent"); agent != profile.metadata.end()) {
    fprintf(stderr, "assay: samples went to %s\n", agent->second.c_str());
    return;
  }
  std::string text = FoundText(profile);
  if (text.empty()) text = "nothing was seen";
  if (std::string accuracy = AccuracyText(profile, options.Percent("until-accuracy")); !accuracy.empty())
    text += "; " + accuracy;
  fprintf(stderr, "assay: %s -> %s (assay show %s, assay report %s)\n", text.c_str(), path.c_str(),
          path.c_str(), path.c_str());
  if (std::string which = WhichJvm(profile, run.command); !which.empty()) {
    fprintf(stderr, "assay: %s\n", which.c_str());
  }
}

// What becomes of the profile when the program has ended. An old one must not pass for this run's.
void FinishProfile(const RunOptions& run, const agent::Options& options, const FileState& before, bool ended_well) {
  const std::string path = options.Text("output");
  const FileState now(path);
  if (now == before) {
    throw CommandError("nothing was profiled: no profile was written to " + path +
                           (now.exists ? ", what is there is of an earlier run" : "") +
                           "; did the program start a JVM, and did Assay refuse to profile it?",
                       kRefused);
  }
  if (options.Flag("infer")) {
    // Inferring writes a finished profile of whatever there is.
    static_cast<void>(ReadSessionProfile(path, ended_well));
    std::string done = InferFile(path, path);
    if (!run.quiet) fprintf(stderr, "assay: %s\n", done.c_str());
  }
  Summarize(run, options, ended_well);
}

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
  if (collects || rewrites) {
    flags.insert(flags.begin(), "-agentpath:" + AgentPath() + "=" + options.ToString());
  }
  if (run.explain) {
    for (const std::string& flag : CompileLogFlags(*applied)) flags.push_back(flag);
  }
  const FileState before(options.Text("output"));
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
    FinishProfile(run, options, before, status == 0);
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
      "Exit status: the program's own; 3 when it ended with 0 and left no finished profile. A script\n"
      "may start several JVMs: one profile is kept, and the summary says whose.");
  app->callback([&cli, options] { cli.run = [options] { return Run(*options); }; });
}

}  // namespace assay::cli
