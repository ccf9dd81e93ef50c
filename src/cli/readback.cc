#include "src/cli/readback.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "src/cli/program.h"
#include "src/cli/table.h"
#include "src/cli/terminal.h"
#include "src/optimize/compile_log.h"

namespace assay::cli {
namespace {

using Outcomes = std::map<optimize::InlineKey, optimize::InlineOutcome>;

std::string Short(const plan::MethodName& method) { return method.class_name + "." + method.name; }

std::string NameAfterDot(const std::string& method) { return method.substr(method.rfind('.') + 1); }

// Everything about calls of this caller that `wanted` accepts, as one outcome.
template <typename Wanted>
optimize::InlineOutcome Sum(const Outcomes& outcomes, const std::string& caller, Wanted wanted) {
  optimize::InlineOutcome sum;
  for (auto it = outcomes.lower_bound({caller, "", -1});
       it != outcomes.end() && it->first.caller == caller; ++it) {
    if (!wanted(it->first)) continue;
    sum.inlined += it->second.inlined;
    sum.refused += it->second.refused;
    for (const auto& [reason, count] : it->second.reasons) sum.reasons[reason] += count;
  }
  return sum;
}

std::string Text(const optimize::InlineOutcome& outcome) {
  if (outcome.inlined + outcome.refused == 0) return "no such call in what C2 compiled";
  if (outcome.refused == 0) return "inlined";
  std::string reason;
  uint64_t most = 0;
  for (const auto& [text, count] : outcome.reasons) {
    if (count > most) reason = text;
    most = std::max(most, count);
  }
  if (outcome.inlined == 0) return "refused: " + reason;
  return fmt::format("inlined {} times of {}, else refused: {}", outcome.inlined,
                     outcome.inlined + outcome.refused, reason);
}

// A guarded class may inherit the method: then the one of that name which was inlined counts.
std::string GuardFate(const Outcomes& outcomes, const plan::Decision& decision,
                      const std::string& callee) {
  std::string caller = Short(decision.caller);
  auto own = Sum(outcomes, caller, [&](const auto& key) { return key.callee == callee; });
  if (own.inlined + own.refused != 0) return Text(own);
  auto any = Sum(outcomes, caller,
                 [&](const auto& key) { return NameAfterDot(key.callee) == decision.callee.name; });
  return Text(any);
}

// Bcis are only comparable where the agent has not rewritten the caller.
std::string CallFate(const Outcomes& outcomes, const plan::Decision& decision, bool rewritten) {
  std::string callee = Short(decision.callee);
  return Text(Sum(outcomes, Short(decision.caller), [&](const auto& key) {
    return key.callee == callee && (rewritten || key.bci == decision.bci);
  }));
}

// Why the agent left sites alone, by site; and the methods that it rewrote.
struct AgentSays {
  std::map<std::string, std::string> left;
  std::set<std::string> rewritten;
};

AgentSays ReadReport(const std::string& report) {
  AgentSays says;
  std::istringstream lines(report);
  for (std::string line; std::getline(lines, line);) {
    size_t tab = line.find('\t');
    size_t second = std::min(line.find('\t', tab + 1), line.size());
    if (tab == std::string::npos) continue;
    std::string site = line.substr(tab + 1, second - tab - 1);
    if (line.starts_with("left\t"))
      says.left[site] = line.substr(std::min(second + 1, line.size()));
    if (line.starts_with("rewritten\t")) says.rewritten.insert(site.substr(0, site.rfind('@')));
  }
  return says;
}

std::string TableText(const plan::Plan& plan, const Outcomes& outcomes, const AgentSays& says) {
  Table table;
  table.AddColumn("decision", Table::kLeft);
  table.AddColumn("site", Table::kName);
  table.AddColumn("callee", Table::kName);
  table.AddColumn("what became of it", Table::kLeft);
  for (const plan::Decision& decision : plan.decisions) {
    if (decision.action == plan::Action::kSkip) continue;
    std::vector<std::string> callees;
    for (const std::string& guard : decision.guards) {
      callees.push_back(guard + "." + decision.callee.name);
    }
    if (callees.empty()) callees.push_back(Short(decision.callee));
    for (const std::string& callee : callees) {
      table.BeginRow();
      table.Cell(std::string(plan::NameOf(decision.action)));
      std::string site = Short(decision.caller) + "@" + std::to_string(decision.bci);
      table.Name([site](int width) { return ElideLeft(Printable(site), width); });
      table.Name([callee](int width) { return ElideLeft(Printable(callee), width); });
      auto left = says.left.find(decision.Site());
      bool guards = decision.action == plan::Action::kDevirtualize;
      bool rewritten = says.rewritten.contains(decision.caller.ToString());
      table.Cell(Printable(guards && left != says.left.end() ? "left alone: " + left->second
                           : guards ? "guarded, " + GuardFate(outcomes, decision, callee)
                                    : CallFate(outcomes, decision, rewritten)));
    }
  }
  return table.Render(std::max(OutputWidth(), 120));
}

}  // namespace

std::vector<std::string> CompileLogFlags(const AppliedPlan& applied) {
  return {"-XX:+UnlockDiagnosticVMOptions", "-XX:+LogCompilation",
          "-XX:LogFile=" + (applied.folder() / "compile.log").string()};
}

std::string ReadBackTable(const AppliedPlan& applied, const plan::Plan& shown) {
  std::ifstream file(applied.folder() / "compile.log");
  if (!file) return "";
  return TableText(shown, optimize::ReadCompileLog(file), ReadReport(applied.Report()));
}

std::string ReadBack(const std::vector<std::string>& command, const std::string& plan_path,
                     const std::vector<std::string>& flags, const plan::Plan& shown) {
  AppliedPlan applied(plan_path);
  std::vector<std::string> all = applied.AllFlags();
  all.insert(all.end(), flags.begin(), flags.end());
  for (const std::string& flag : CompileLogFlags(applied)) all.push_back(flag);
  RunProgram(command, all, true);
  return ReadBackTable(applied, shown);
}

}  // namespace assay::cli
