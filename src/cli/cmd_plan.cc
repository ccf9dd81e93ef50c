// assay plan: what a profile says should be inlined and devirtualized, and why.
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <span>

#include "src/base/json.h"
#include "src/cli/agent_options.h"
#include "src/cli/applied_plan.h"
#include "src/cli/commands.h"
#include "src/cli/format.h"
#include "src/cli/load.h"
#include "src/cli/numbers.h"
#include "src/cli/table.h"
#include "src/cli/terminal.h"
#include "src/optimize/directives.h"
#include "src/optimize/inline_replay.h"
#include "src/optimize/policy.h"

namespace assay::cli {
namespace {

struct PlanCommand {
  std::string profile;
  std::string policy = "assay";
  std::string output;
  std::string directives;
  std::string replay;
  std::vector<std::string> dumps;
  std::optional<size_t> top;
  bool json = false;
};

// pkg.Class.name(I)V -> pkg.Class.name; the plan itself has everything.
std::string Short(const plan::MethodName& method) {
  return method.class_name.empty() ? method.name : method.class_name + "." + method.name;
}

std::string CalleeText(const plan::Decision& decision) {
  if (decision.guards.empty()) return Short(decision.callee);
  std::string text;
  for (const std::string& guard : decision.guards) text += (text.empty() ? "" : " | ") + guard;
  return text + "." + decision.callee.name;
}

std::span<const plan::Decision> Shown(const plan::Plan& plan, size_t top) {
  const std::span<const plan::Decision> all(plan.decisions);
  return top == 0 ? all : all.first(std::min(top, all.size()));
}

std::string TableText(const plan::Plan& plan, size_t top) {
  Table table;
  table.AddColumn("site", Table::kName);
  table.AddColumn("callee", Table::kName);
  table.AddColumn("weight", Table::kRight);
  table.AddColumn("error", Table::kRight);
  table.AddColumn("size", Table::kRight);
  table.AddColumn("decision", Table::kLeft);
  table.AddColumn("why", Table::kLeft);
  for (const plan::Decision& decision : Shown(plan, top)) {
    table.BeginRow();
    std::string site = Short(decision.caller) + "@" + std::to_string(decision.bci);
    table.Name([site](int width) { return ElideLeft(Printable(site), width); });
    std::string callee = CalleeText(decision);
    table.Name([callee](int width) { return ElideLeft(Printable(callee), width); });
    table.Cell(Percent(decision.weight));
    table.Cell(Error95(decision.error));
    table.Cell(decision.callee_bytes == 0 ? "?" : std::to_string(decision.callee_bytes));
    table.Cell(std::string(plan::NameOf(decision.action)));
    table.Cell(Printable(decision.reason));
  }
  std::string text = table.Render(std::max(OutputWidth(), 140));
  if (size_t more = plan.decisions.size() - Shown(plan, top).size(); more > 0) {
    text += fmt::format("and {} more (--top 0)\n", more);
  }
  return text;
}

std::string Totals(const plan::Plan& plan) {
  std::string text =
      fmt::format("policy {}: {} sites to devirtualize, {} calls to inline, {} not to inline",
                  plan.policy, plan.CountOf(plan::Action::kDevirtualize),
                  plan.CountOf(plan::Action::kInline), plan.CountOf(plan::Action::kNoInline));
  for (const std::string& flag : plan.flags) text += ", " + flag;
  return text + "\n";
}

std::string Json(const plan::Plan& plan, size_t top) {
  JsonWriter json(2);
  json.BeginObject().Field("policy", plan.policy).Key("flags").BeginArray();
  for (const std::string& flag : plan.flags) json.String(flag);
  json.EndArray().Key("decisions").BeginArray();
  for (const plan::Decision& decision : Shown(plan, top)) {
    json.BeginObject().Field("action", plan::NameOf(decision.action));
    json.Field("caller", decision.caller.ToString()).Field("bci", decision.bci);
    json.Field("caller_bytes", decision.caller_bytes);
    bool devirtualize = decision.action == plan::Action::kDevirtualize;
    json.Field("callee", devirtualize ? decision.callee.name + decision.callee.descriptor
                                      : decision.callee.ToString());
    json.Field("callee_bytes", decision.callee_bytes).Key("guards").BeginArray();
    for (const std::string& guard : decision.guards) json.String(guard);
    json.EndArray().Field("weight", decision.weight).Field("error", decision.error);
    json.Field("reason", decision.reason).EndObject();
  }
  return json.EndArray().EndObject().Take() + "\n";
}

bool IsPlan(const std::string& path) {
  FILE* file = std::fopen(path.c_str(), "re");
  char head[11] = {};
  bool plan = file != nullptr && std::fread(head, 1, 10, file) == 10 &&
              std::string_view(head) == "assay-plan";
  if (file != nullptr) std::fclose(file);
  return plan;
}

plan::Plan PlanFrom(const PlanCommand& options) {
  if (IsPlan(options.profile)) return LoadPlan(options.profile);
  profile::Profile profile = Load(options.profile);
  auto plan = optimize::MakePlan(optimize::GraphOf(profile), options.policy);
  if (!plan.ok()) throw CommandError(plan.error().message);
  return std::move(*plan);
}

void WriteReplay(const PlanCommand& options, const plan::Plan& plan) {
  std::vector<optimize::InlineTree> trees;
  for (const std::string& path : options.dumps) {
    auto parsed = optimize::ParseInlineDump(ReadFile(path));
    if (!parsed.ok()) throw CommandError(path + ": " + parsed.error().message);
    trees.insert(trees.end(), parsed->begin(), parsed->end());
  }
  optimize::Replay replay = optimize::ReplayOf(plan, trees);
  if (replay.data.empty()) {
    throw CommandError("the plan changes nothing in these dumps", kCheckFailed);
  }
  WriteOutput(options.replay, replay.data);
  fprintf(stderr, "assay: %zu calls added, %zu removed; use it with\n", replay.added,
          replay.removed);
  for (const std::string& flag : replay.flags) fprintf(stderr, "  %s\n", flag.c_str());
  fprintf(stderr, "  -XX:CompileCommand=quiet\n  -XX:InlineDataFile=%s\n",
          ToStdout(options.replay) ? "FILE" : AbsolutePath(options.replay).c_str());
}

void CheckOutputs(const PlanCommand& options) {
  std::vector<std::string> inputs = options.dumps;
  inputs.push_back(options.profile);
  int documents = options.json;
  for (const std::string& output : {options.output, options.directives, options.replay}) {
    RefuseInput(output, inputs);
    documents += output == "-";
  }
  if (documents > 1) {
    throw CommandError(
        "standard output holds one of --output, --directives, --replay and --json; give the others "
        "a file");
  }
}

int MakeThePlan(const PlanCommand& options) {
  CheckOutputs(options);
  plan::Plan plan = PlanFrom(options);
  if (!options.output.empty()) WriteOutput(options.output, plan::PlanText(plan));
  if (!options.directives.empty()) {
    optimize::Directives directives = optimize::DirectivesOf(plan);
    WriteOutput(options.directives, directives.json.empty() ? "[]\n" : directives.json);
    for (const std::string& root : directives.dropped) {
      fprintf(stderr, "assay: no room for a directive for %s (the JVM takes %zu)\n", root.c_str(),
              optimize::kMostDirectives);
    }
    for (const std::string& method : directives.unnameable) {
      fprintf(stderr, "assay: the JVM's directives cannot name %s\n", method.c_str());
    }
  }
  if (!options.replay.empty()) WriteReplay(options, plan);
  if (options.json) {
    WriteOutput("", Json(plan, options.top.value_or(0)));
  } else if (options.output != "-" && options.directives != "-" && options.replay != "-") {
    WriteOutput("", TableText(plan, options.top.value_or(30)) + Totals(plan));
  }
  return kDone;
}

}  // namespace

void RegisterPlan(Cli& cli) {
  auto options = std::make_shared<PlanCommand>();
  CLI::App* command = cli.app.add_subcommand(
      "plan", "Decide from a profile what to inline and devirtualize, with the reasons");
  command->add_option("FILE", options->profile, "a profile; or a plan, to check and show it")
      ->required();
  command
      ->add_option("--policy", options->policy,
                   "assay; linear and weak-static (the papers'), jikes-old (their baseline)")
      ->capture_default_str();
  command->add_option("-o,--output", options->output, "write the plan: text, may be edited");
  command->add_option("--directives", options->directives,
                      "write what is inlined as compiler directives (-XX:CompilerDirectivesFile)");
  CLI::Option* dumps =
      command->add_option("--dumps", options->dumps,
                          "inlining that the JVM dumped (-XX:CompileCommand=DumpInline,...)");
  command
      ->add_option("--replay", options->replay,
                   "write what is inlined as -XX:InlineDataFile for JDK 25, exact per call site:"
                   " the dumps with the plan's changes")
      ->needs(dumps);
  command->add_option("--top", options->top, "rows shown; 0 shows all [30; with --json all]")
      ->transform(WholeNumber());
  command->add_flag("--json", options->json, "print JSON");
  command->footer(
      "Apply it: assay run --apply PLAN -- java ..., or assay attach PID --apply PLAN.\n"
      "Whether it helps is for assay tune to find out.");
  command->callback([&cli, options] { cli.run = [options] { return MakeThePlan(*options); }; });
}

}  // namespace assay::cli
