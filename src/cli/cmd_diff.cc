#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "src/base/json.h"
#include "src/cli/commands.h"
#include "src/cli/format.h"
#include "src/cli/load.h"
#include "src/cli/numbers.h"
#include "src/cli/table.h"
#include "src/cli/terminal.h"
#include "src/estimate/interval.h"
#include "src/profile/aggregate.h"
#include "src/profile/diff.h"

namespace assay::cli {
namespace {

using profile::Change;
using profile::Culprit;
using profile::Difference;
using profile::MethodName;
using profile::Profile;

struct DiffCommand {
  std::string before, after;
  double fail_over = -1;  // in percent; negative: no limit
  size_t top = 15;
  std::vector<std::string> by;
  bool shares = false;
  bool json = false;

  bool Shows(const Difference& difference) const {
    if (by.empty()) return difference.elements != "contexts";
    return std::find(by.begin(), by.end(), difference.elements) != by.end();
  }
};

std::string Signed(double delta) { return (delta < 0 ? "-" : "+") + Count(std::abs(delta)); }

std::string SignedPercent(double growth) {
  if (std::isinf(growth)) return "new";
  return fmt::format("{:+.{}f} %", growth * 100, std::abs(growth) < 0.0995 ? 2 : 1);
}

// Caller and callee, the method, or the stack: as short as the width asks.
std::string Element(const Difference& difference, uint32_t id, int width) {
  const Profile& common = difference.paired.common;
  if (difference.elements == "methods") return ShortMethod(common, id, width);
  if (difference.elements == "edges") {
    const profile::Edge& edge = common.edges()[id];
    int half = std::max(8, (width - 4) / 2);
    std::string callee = ShortMethod(common, edge.callee, half);
    int rest = std::max(8, width - 4 - DisplayWidth(callee));
    return ShortSite(common, edge.caller, edge.bci, rest) + " -> " + callee;
  }
  std::vector<profile::MethodId> stack = profile::StackOf(common, id);
  std::string out = stack.empty() ? "" : ShortMethod(common, stack.back(), width);
  for (size_t i = stack.size(); i-- > 1;) {
    std::string next = " < " + ShortMethod(common, stack[i - 1], 40);
    if (DisplayWidth(out + next) > width) break;
    out += next;
  }
  return out;
}

std::string Text(const Difference& difference, size_t top) {
  std::string out = Bold(fmt::format("{} by {}", difference.elements, difference.measure));
  out += fmt::format(": {} -> {}, {}", Count(difference.total_before),
                     Count(difference.total_after), SignedPercent(difference.Growth()));
  if (difference.changes.empty()) return out + ", nothing changed\n";
  out += fmt::format(", {} changed\n", Grouped(difference.changes.size()));
  Table table;
  for (const char* title : {"before", "after", "change", "of total"}) {
    table.AddColumn(title, Table::kRight);
  }
  table.AddColumn(difference.elements, Table::kName);
  size_t count = top == 0 ? difference.changes.size() : std::min(top, difference.changes.size());
  for (size_t i = 0; i < count; ++i) {
    const Change& change = difference.changes[i];
    table.BeginRow();
    table.Cell(Count(change.before));
    table.Cell(Count(change.after));
    table.Cell(Signed(change.Delta()) + (change.significant ? "" : " ?"));
    table.Cell(SignedPercent(difference.Growth(change)));
    table.Name([&difference, id = change.id](int width) { return Element(difference, id, width); });
  }
  return out + table.Render(OutputWidth());
}

void ElementJson(const Difference& difference, uint32_t id, JsonWriter& json) {
  const Profile& common = difference.paired.common;
  if (difference.elements == "methods") {
    json.Field("method", MethodName(common, id));
  } else if (difference.elements == "edges") {
    const profile::Edge& edge = common.edges()[id];
    json.Field("caller", MethodName(common, edge.caller)).Field("bci", edge.bci);
    json.Field("callee", MethodName(common, edge.callee));
  } else {
    json.Key("stack").BeginArray();
    for (profile::MethodId method : profile::StackOf(common, id)) {
      json.String(MethodName(common, method));
    }
    json.EndArray();
  }
}

std::string Json(const std::vector<Difference>& all, const std::vector<Culprit>& culprits,
                 const DiffCommand& options) {
  JsonWriter json(2);
  json.BeginObject().Key("differences").BeginArray();
  for (const Difference& difference : all) {
    if (!options.by.empty() && !options.Shows(difference)) continue;
    json.BeginObject().Field("elements", difference.elements).Field("measure", difference.measure);
    json.Field("before", difference.total_before).Field("after", difference.total_after);
    json.Field("growth", difference.Growth() * 100).Key("changes").BeginArray();
    for (size_t i = 0; i < difference.changes.size() && (options.top == 0 || i < options.top);
         ++i) {
      const Change& change = difference.changes[i];
      json.BeginObject();
      ElementJson(difference, change.id, json);
      json.Field("before", change.before).Field("after", change.after);
      json.Field("growth", difference.Growth(change) * 100).Key("significant");
      json.Bool(change.significant).EndObject();
    }
    json.EndArray().EndObject();
  }
  json.EndArray().Key("over").Bool(!culprits.empty()).Key("limit");
  json.Number(options.fail_over >= 0 ? options.fail_over : NAN).Key("culprits").BeginArray();
  for (const Culprit& culprit : culprits) {
    json.BeginObject().Field("elements", culprit.difference->elements);
    json.Field("measure", culprit.difference->measure);
    if (culprit.id == Culprit::kTotal) {
      json.Key("total").Bool(true);
    } else {
      ElementJson(*culprit.difference, culprit.id, json);
    }
    json.Field("before", culprit.before).Field("after", culprit.after);
    json.Field("growth", culprit.growth * 100).EndObject();
  }
  return json.EndArray().EndObject().Take() + "\n";
}

std::string Verdict(const std::vector<Culprit>& culprits, double limit) {
  if (culprits.empty()) return Green(fmt::format("within the limit of {} %", limit)) + "\n";
  std::string out = Red(fmt::format("over the limit of {} %:", limit)) + "\n";
  constexpr size_t kListed = 20;
  for (size_t i = 0; i < std::min(kListed, culprits.size()); ++i) {
    const Culprit& culprit = culprits[i];
    std::string what = culprit.id == Culprit::kTotal
                           ? "all " + culprit.difference->elements
                           : Element(*culprit.difference, culprit.id, OutputWidth() - 44);
    out +=
        fmt::format("  {:>8}  {} -> {} {}  {}\n", SignedPercent(culprit.growth),
                    Count(culprit.before), Count(culprit.after), culprit.difference->measure, what);
  }
  if (culprits.size() > kListed) out += fmt::format("  and {} more\n", culprits.size() - kListed);
  return out;
}

int Diff(const DiffCommand& options) {
  for (const std::string& name : options.by) {
    if (name != "edges" && name != "methods" && name != "contexts") {
      throw CommandError("--by " + name + ": a diff has edges, methods, contexts");
    }
  }
  Profile before = Load(options.before);
  Profile after = Load(options.after);
  if (Status same = profile::SameMeasure(before, after); !same.ok())
    throw CommandError(same.error().message);
  // The method errs in the same way in both.
  for (Profile* each : {&before, &after}) estimate::TakeOutMethodError(*each);
  std::vector<Difference> all = profile::Diff(before, after, {.shares = options.shares});
  std::vector<Culprit> culprits;
  if (options.fail_over >= 0) culprits = profile::OverLimit(all, options.fail_over / 100);
  if (options.json) {
    WriteOutput("", Json(all, culprits, options));
  } else {
    std::string out;
    for (const Difference& difference : all) {
      if (options.Shows(difference)) out += Text(difference, options.top) + "\n";
    }
    if (options.fail_over >= 0) out += Verdict(culprits, options.fail_over);
    WriteOutput("", out);
  }
  return culprits.empty() ? kDone : kCheckFailed;
}

}  // namespace

void RegisterDiff(Cli& cli) {
  auto options = std::make_shared<DiffCommand>();
  CLI::App* command =
      cli.app.add_subcommand("diff", "What grew and shrank from profile A to profile B");
  command->footer(
      "Changes are given as they are and relative to the total of A. \"?\" marks a change within\n"
      "its own 95 % interval: sampling noise. Contexts are shown with --by contexts.");
  command->add_option("A", options->before, "the profile before")->required();
  command->add_option("B", options->after, "the profile after")->required();
  command
      ->add_option("--fail-over", options->fail_over,
                   "exit 1 when a total, or one element, grew by more than this percentage of the"
                   " total of A")
      ->transform(Percentage());
  command->add_option("--by", options->by, "edges, methods, contexts, separated by commas")
      ->delimiter(',');
  command->add_option("--top", options->top, "rows per table; 0 shows all")
      ->transform(WholeNumber())
      ->capture_default_str();
  command->add_flag("--shares", options->shares,
                    "compare shares: for runs of different length, scale B to the total of A");
  command->add_flag("--json", options->json, "print JSON");
  command->callback([&cli, options] { cli.run = [options] { return Diff(*options); }; });
}

}  // namespace assay::cli
