#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <optional>

#include "src/base/json.h"
#include "src/cli/commands.h"
#include "src/cli/format.h"
#include "src/cli/load.h"
#include "src/cli/table.h"
#include "src/cli/terminal.h"
#include "src/profile/compare.h"

namespace assay::cli {
namespace {

using profile::Comparison;
using profile::Likeness;

struct CompareOptions {
  std::string a, b;
  bool json = false;
};

std::string Json(const Comparison& result) {
  auto overlap = [](JsonWriter& json, const char* key, const std::optional<Likeness>& value) {
    json.Key(key).Number(value ? value->overlap : NAN);
  };
  auto correlation = [](JsonWriter& json, const char* key, const std::optional<Likeness>& value) {
    json.Key(key).Number(value ? value->correlation : NAN);
  };
  JsonWriter json(2);
  json.BeginObject().Key("overlap").BeginObject();
  overlap(json, "call_sites", result.call_sites);
  overlap(json, "methods", result.methods);
  overlap(json, "contexts", result.contexts);
  overlap(json, "context_calls", result.context_calls);
  overlap(json, "context_self", result.context_self);
  json.EndObject().Field("correlation", result.call_sites.correlation);
  json.Key("correlations").BeginObject();
  correlation(json, "call_sites", result.call_sites);
  correlation(json, "methods", result.methods);
  correlation(json, "contexts", result.contexts);
  correlation(json, "context_calls", result.context_calls);
  correlation(json, "context_self", result.context_self);
  return json.EndObject().EndObject().Take() + "\n";
}

std::string Text(const Comparison& result) {
  Table table;
  for (const char* title : {"overlap", "correlation", "in both", "only in A", "only in B"}) {
    table.AddColumn(title, Table::kRight);
  }
  table.AddColumn("of", Table::kLeft);
  auto row = [&](const char* name, const std::optional<Likeness>& value) {
    if (!value) return;
    table.BeginRow();
    table.Cell(fmt::format("{:.1f} %", value->overlap));
    table.Cell(std::isnan(value->correlation) ? "-" : fmt::format("{:.3f}", value->correlation));
    for (uint64_t count : {value->common, value->only_a, value->only_b}) {
      table.Cell(Grouped(count));
    }
    table.Cell(name);
  };
  row("call-site edges", result.call_sites);
  row("method edges", result.methods);
  row("contexts, by calls", result.context_calls);
  row("contexts, by own work", result.context_self);
  return table.Render(OutputWidth());
}

int CompareCommand(const CompareOptions& options) {
  profile::Profile a = Load(options.a);
  profile::Profile b = Load(options.b);
  Comparison result;
  {
    Activity activity("comparing");
    result = profile::Compare(a, b);
  }
  WriteOutput("", options.json ? Json(result) : Text(result));
  return kDone;
}

}  // namespace

void RegisterCompare(Cli& cli) {
  auto options = std::make_shared<CompareOptions>();
  CLI::App* command = cli.app.add_subcommand("compare", "How alike two profiles are");
  command->footer(
      "Overlap is the sum, over what is in both, of the smaller of the two percentages: 100 for\n"
      "profiles with the same shares, 0 for those with nothing in common. Correlation is\n"
      "Pearson's coefficient of the weights over what is in either.\n"
      "Against --collect exact, sampled or bytecodes the call of a lambda object counts as a call of\n"
      "what that one calls: the JVM lets nobody rewrite its hidden class.");
  command->add_option("A", options->a, "a profile")->required();
  command->add_option("B", options->b, "another one")->required();
  command->add_flag("--json", options->json, "print JSON");
  command->callback([&cli, options] { cli.run = [options] { return CompareCommand(*options); }; });
}

}  // namespace assay::cli
