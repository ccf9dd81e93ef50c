// assay run: starts a Java program under a collector. The program's standard streams and exit
// status are its own.
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>

#include "src/cli/agent_options.h"
#include "src/cli/applied_plan.h"
#include "src/cli/commands.h"
#include "src/cli/format.h"
#include "src/cli/infer.h"
#include "src/cli/program.h"
#include "src/cli/readback.h"
#include "src/profile/reader.h"

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
  if (MeasuresWork(*profile)) {
    double work = 0;
    for (const profile::ContextNode& node : profile->nodes()) work += node.self;
    add(NamedWorkText(*profile, work));
  } else if (!profile->edges().empty()) {
    add(CallsText(*profile, profile->TotalEdgeWeight()) + " over " + Grouped(profile->edges().size()) +
        " edges");
  }
  if (profile->nodes().size() > 1) add(Grouped(profile->nodes().size() - 1) + " contexts");
  for (const auto& [name, table] : profile->tables) {
    add(Grouped(table.rows.size()) + " rows of " + name);
  }
  if (auto agent = profile->metadata.find("agent"); agent != profile->metadata.end()) {
    fprintf(stderr, "assay: samples went to %s\n", agent->second.c_str());
    return;
  }
  if (text.empty()) text = "nothing was seen";
  if (std::string accuracy = AccuracyText(*profile, target); !accuracy.empty())
    text += "; " + accuracy;
  fprintf(stderr, "assay: %s -> %s (assay show %s, assay report %s)\n", text.c_str(), path.c_str(),
          path.c_str(), path.c_str());
}

// What the profiling needs; an old profile must not pass for this run's.
void PrepareCollecting(const std::vector<std::string>& command, agent::Options* options, std::vector<std::string>* flags) {
  std::string output = AbsolutePath(options->Text("output"));
  if (Status status = options->Set("output", output); !status.ok()) {
    throw CommandError(status.error().message);
  }
  for (const char* file : {"weights", "agent-jar"}) {
    if (!options->IsSet(file)) continue;
    std::string path = AbsolutePath(options->Text(file));
    if (!std::filesystem::exists(path)) throw CommandError("there is no file " + path);
    static_cast<void>(options->Set(file, path));
  }
  std::error_code ignored;
  std::filesystem::remove(output, ignored);
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
  std::vector<std::string> flags;
  std::optional<AppliedPlan> applied;
  if (options.IsSet("apply")) {
    applied.emplace(options.Text("apply"));
    flags = applied->flags();
    applied->SetOptions(&options);
  }
  bool rewrites = applied && applied->NeedsAgent();
  bool collects = !applied || options.IsSet("collect");
  if (collects) PrepareCollecting(run.command, &options, &flags);
  if (collects || rewrites) {
    flags.insert(flags.begin(), "-agentpath:" + AgentPath() + "=" + options.ToString());
  }
  if (run.explain) {
    if (!applied) throw CommandError("--explain needs --apply PLAN");
    for (const std::string& flag : CompileLogFlags(*applied)) flags.push_back(flag);
  }
  int status = RunProgram(run.command, flags).status;
  if (rewrites && !run.quiet) fprintf(stderr, "assay: plan: %s", applied->Summary().c_str());
  if (run.explain) fprintf(stderr, "%s", ReadBackTable(*applied, applied->plan()).c_str());
  if (!collects) return status;
  try {
    if (options.Flag("infer")) {
      std::string done = InferFile(options.Text("output"), options.Text("output"));
      if (!run.quiet) fprintf(stderr, "assay: %s\n", done.c_str());
    }
    Summarize(options.Text("output"), options.Percent("until-accuracy"), run.quiet);
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
  app->add_option("command", options->command, "java and its arguments, after --");
  app->positionals_at_end();
  app->footer(
      "Example: assay run --collect exact -- java -jar app.jar\n"
      "With --apply PLAN the program runs with the plan's changes; nothing is profiled unless\n"
      "--collect is given.");
  app->callback([&cli, options] { cli.run = [options] { return Run(*options); }; });
}

}  // namespace assay::cli
