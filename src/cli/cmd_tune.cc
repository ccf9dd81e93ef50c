// assay tune: profile, plan, apply, measure against the program as it is, and keep only what helps.
#include <fmt/format.h>

#include <chrono>
#include <fstream>
#include <memory>
#include <optional>

#include "src/cli/agent_options.h"
#include "src/cli/applied_plan.h"
#include "src/cli/commands.h"
#include "src/cli/load.h"
#include "src/cli/output_file.h"
#include "src/cli/program.h"
#include "src/cli/program_words.h"
#include "src/cli/readback.h"
#include "src/cli/scratch_folder.h"
#include "src/cli/signal_relay.h"
#include "src/cli/terminal.h"
#include "src/cli/tune_parts.h"
#include "src/optimize/directives.h"
#include "src/optimize/policy.h"
#include "src/optimize/trial.h"

namespace assay::cli {
namespace {

using Clock = std::chrono::steady_clock;
using optimize::Trial;
using optimize::Verdict;

struct TuneCommand {
  std::vector<std::string> command;
  std::string plan;
  std::string profile;
  std::string policy = "assay";
  std::string output = "assay.plan";
  std::string budget = "15m";
  size_t most_pairs = 20;
  bool replay = false;
};

class Tuner {
 public:
  explicit Tuner(const TuneCommand& options) : options_(options) {
    auto budget = agent::ParseDuration(options.budget);
    if (!budget.ok()) throw CommandError("--budget " + options.budget + " is not a time like 10m");
    end_ = Clock::now() + std::chrono::nanoseconds(*budget);
    if (options.output.find(',') != std::string::npos) {
      throw CommandError("-o " + options.output + ": a comma separates options of the agent, which is to read this file");
    }
    for (const char* end : {"", ".flags"}) CheckOutput(options.output + end);
  }

  int Run() {
    plan::Plan plan = options_.plan.empty() ? MakePlan() : LoadPlan(options_.plan);
    std::vector<Part> parts = PartsOf(plan);
    if (parts.empty()) {
      if (status_ != 0) throw CommandError("there is nothing to make faster in a program that fails", kRefused);
      Say("the profile gives no reason to change anything");
      return kCheckFailed;
    }
    std::vector<Part> kept = Choose(parts);
    if (kept.empty()) {
      Say(undecided_
              ? "nothing is known to help, and the budget is spent: run the program as it is, "
                "or give tune more time (--budget, --pairs)"
              : "nothing helps: run the program as it is");
      return kCheckFailed;
    }
    // Fresh runs for the final word: the ones before chose the winner, and flatter it.
    if (Measure("confirm", kept, 1) == 0) {
      Say("the gain was not confirmed: run the program as it is");
      return kCheckFailed;
    }
    Write(kept);
    return kDone;
  }

 private:
  std::vector<Part> Choose(const std::vector<Part>& parts) {
    std::vector<Part> kept;
    for (size_t i = 0; i < parts.size(); ++i) {
      size_t shares_left = parts.size() - i + 1;
      bool inlines = parts[i].name == "inline";
      std::optional<Part> replay;
      if (inlines && options_.replay) {
        replay = ReplayPart(parts[i], options_.command, folder_.File("crash"));
        SignalRelay::ThrowIfSignalled();
      }
      double gain = Measure(parts[i].name, {parts[i]}, shares_left + (replay ? 1 : 0));
      // The same decisions in another form: at most one of the two is kept.
      double exact = replay ? Measure("replay", {*replay}, shares_left) : 0;
      if (exact > gain) {
        kept.push_back(*replay);
      } else if (gain > 0) {
        kept.push_back(parts[i]);
      }
    }
    return kept;
  }

  static void Say(const std::string& text) { fprintf(stderr, "assay: %s\n", text.c_str()); }

  plan::Plan MakePlan() {
    std::string profile = options_.profile;
    if (profile.empty()) {
      profile = folder_.File("profile");
      Activity activity("profiling");
      CheckStatus(RunOnce({"-agentpath:" + AgentPath() + "=collect=calls,depth=3,output=" + profile}));
    }
    auto plan = optimize::MakePlan(optimize::GraphOf(Load(profile)), options_.policy);
    if (!plan.ok()) throw CommandError(plan.error().message);
    return std::move(*plan);
  }

  // What an interrupted run cost says nothing.
  Outcome RunOnce(const std::vector<std::string>& flags) const {
    Outcome outcome = RunProgram(options_.command, flags, true);
    SignalRelay::ThrowIfSignalled();
    return outcome;
  }

  // Every run must end like the first one.
  void CheckStatus(const Outcome& outcome) {
    if (!status_known_) status_ = outcome.status;
    if (!status_known_ && status_ != 0) {
      Say(fmt::format("the program ends with status {}; its output is thrown away here, run it by itself to see why", status_));
    }
    status_known_ = true;
    if (outcome.status != status_) {
      throw CommandError(fmt::format("the program ended with status {} instead of {}; tune needs "
                                     "runs that are alike",
                                     outcome.status, status_),
                         kRefused);
    }
  }

  // Nothing when the program does not end as usual.
  std::optional<double> Cost(const std::vector<std::string>& flags) {
    Outcome outcome = RunOnce(flags);
    if (flags.empty()) CheckStatus(outcome);
    if (outcome.status != status_) return std::nullopt;
    return outcome.cpu_seconds;
  }

  // Interleaved: A B B A A B ... The speed-up when it is one, else 0.
  double Measure(const std::string& name, const std::vector<Part>& parts, size_t shares_left) {
    std::string path = folder_.File(name + ".plan");
    std::ofstream(path) << plan::PlanText(Together(parts));
    AppliedPlan applied(path);
    std::vector<std::string> with = applied.AllFlags();
    for (const std::string& flag : ReplayFlags(parts, path)) with.push_back(flag);
    Trial trial({.most_pairs = options_.most_pairs});
    auto stop = Clock::now() + (end_ - Clock::now()) / static_cast<int>(shares_left);
    Activity activity("measuring " + name);
    while (!trial.Finished() && (trial.pairs() < 3 || Clock::now() < stop)) {
      bool plan_first = trial.pairs() % 2 == 1;
      std::optional<double> first = Cost(plan_first ? with : kAsItIs);
      std::optional<double> second = Cost(plan_first ? kAsItIs : with);
      if (!first || !second) {
        activity.Say("");
        Say(name + ": the program does not end as usual with it: dropped");
        return 0;
      }
      trial.Add(plan_first ? *second : *first, plan_first ? *first : *second);
      optimize::Interval now = trial.interval();
      activity.Say(fmt::format("measuring {}: {} pairs, {:.3f} [{:.3f}, {:.3f}]", name,
                               trial.pairs(), now.median, now.low, now.high));
    }
    activity.Say("");
    optimize::Interval seen = trial.interval();
    bool helps = trial.verdict() == Verdict::kFaster;
    bool undecided = trial.verdict() == Verdict::kUndecided;
    undecided_ = undecided_ || undecided;
    std::string summary = applied.NeedsAgent() ? ", " + FirstLine(applied.Summary()) : "";
    Say(fmt::format("{}: speed-up {:.3f} [{:.3f}, {:.3f}] of CPU time over {} pairs{}: {}", name,
                    seen.median, seen.low, seen.high, trial.pairs(), summary,
                    helps       ? "kept"
                    : undecided ? "undecided, dropped"
                                : "dropped"));
    return helps ? seen.median : 0;
  }

  // Writes the replay of the parts beside the plan; no flags when there is none.
  static std::vector<std::string> ReplayFlags(const std::vector<Part>& parts,
                                              const std::string& plan_path) {
    std::vector<std::string> flags;
    for (const Part& part : parts) {
      if (!part.Replays()) continue;
      WriteOutput(plan_path + ".inline", part.replay_data);
      flags = part.replay_flags;
      flags.push_back("-XX:InlineDataFile=" + plan_path + ".inline");
    }
    return flags;
  }

  static std::string FirstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

  // The plan, and a file of JVM arguments for production: java @assay.plan.flags ...
  void Write(const std::vector<Part>& parts) {
    plan::Plan plan = Together(parts);
    std::string path = AbsolutePath(options_.output);
    WriteOutput(path, plan::PlanText(plan));
    std::string flags;
    if (plan.CountOf(plan::Action::kDevirtualize) != 0) {
      flags += ArgumentFileLine("-agentpath:" + AgentPath() + "=apply=" + path);
    }
    for (const std::string& flag : plan.flags) flags += ArgumentFileLine(flag);
    optimize::Directives directives = optimize::DirectivesOf(plan);
    if (!directives.json.empty()) {
      WriteOutput(path + ".directives.json", directives.json);
      flags += "-XX:+UnlockDiagnosticVMOptions\n" +
               ArgumentFileLine("-XX:CompilerDirectivesFile=" + path + ".directives.json") +
               "-XX:+DisplayVMOutputToStderr\n";
    }
    std::vector<std::string> replay = ReplayFlags(parts, path);
    for (const std::string& flag : replay) flags += ArgumentFileLine(flag);
    WriteOutput(path + ".flags", flags);
    std::string did = ReadBack(options_.command, path, replay, Together(parts, true));
    if (!did.empty()) fprintf(stderr, "%s", did.c_str());
    Say("use it with: java @" + options_.output + ".flags ...");
  }

  const std::vector<std::string> kAsItIs = {};
  const TuneCommand& options_;
  SignalRelay relay_;  // between two runs as well, so that nothing is left behind
  ScratchFolder folder_{"tune"};
  Clock::time_point end_;
  int status_ = 0;
  bool status_known_ = false;
  bool undecided_ = false;
};

int Tune(const TuneCommand& options) {
  if (options.command.empty()) throw CommandError("nothing to run; write: assay tune -- java ...");
  return Tuner(options).Run();
}

}  // namespace

void RegisterTune(Cli& cli) {
  auto options = std::make_shared<TuneCommand>();
  CLI::App* app = cli.app.add_subcommand(
      "tune", "Make a plan for a program, measure it, and keep only what makes the program faster");
  CLI::Option* plan = app->add_option("--plan", options->plan, "measure this plan instead of making one");
  app->add_option("--profile", options->profile, "make the plan from this profile")->excludes(plan);
  app->add_option("--policy", options->policy, "as for assay plan")->capture_default_str();
  app->add_option("-o,--output", options->output, "the plan to write when it helps")
      ->capture_default_str();
  app->add_option("--budget", options->budget, "time that may be spent")->capture_default_str();
  app->add_option("--pairs", options->most_pairs, "pairs of runs per part at most")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app->add_flag("--replay", options->replay,
                "JDK 21 or newer: try inlining also as a replay, exact per call site; for that one run lists"
                " what is inlined, in which HotSpot crashes where it inlined a lambda");
  AddProgram(cli, app, &options->command, "java and its arguments, after --");
  app->footer(
      "The program is run many times, with and without each part of the plan in turn, its output\n"
      "thrown away; what is compared is the CPU time of whole runs. Exit status 1: nothing helps.");
  app->callback([&cli, options] { cli.run = [options] { return Tune(*options); }; });
}

}  // namespace assay::cli
