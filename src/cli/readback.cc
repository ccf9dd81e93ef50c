#include "src/cli/readback.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "src/cli/agent_options.h"
#include "src/cli/applied_plan.h"
#include "src/cli/program.h"
#include "src/cli/table.h"
#include "src/cli/terminal.h"
#include "src/optimize/compile_log.h"

namespace assay::cli {
namespace {

using Outcomes = std::map<optimize::InlineKey, optimize::InlineOutcome>;

std::string Short(const plan::MethodName& method) { return method.class_name + "." + method.name; }

std::string Fate(const Outcomes& outcomes, const std::string& caller, const std::string& callee) {
  auto it = outcomes.find({caller, callee});
  if (it == outcomes.end()) return "not compiled";
  const optimize::InlineOutcome& outcome = it->second;
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

std::string TableText(const plan::Plan& plan, const Outcomes& outcomes) {
  Table table;
  table.AddColumn("decision", Table::kLeft);
  table.AddColumn("site", Table::kName);
  table.AddColumn("callee", Table::kName);
  table.AddColumn("what the compiler did", Table::kLeft);
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
      table.Cell(Printable(Fate(outcomes, Short(decision.caller), callee)));
    }
  }
  return table.Render(std::max(OutputWidth(), 120));
}

}  // namespace

std::string ReadBack(const std::vector<std::string>& command, const std::string& plan_path) {
  AppliedPlan applied(plan_path);
  std::vector<std::string> flags = applied.flags();
  std::string log = (applied.folder() / "compile.log").string();
  if (applied.NeedsAgent()) {
    agent::Options options;
    applied.SetOptions(&options);
    flags.push_back("-agentpath:" + AgentPath() + "=" + options.ToString());
  }
  flags.insert(flags.end(),
               {"-XX:+UnlockDiagnosticVMOptions", "-XX:+LogCompilation", "-XX:LogFile=" + log});
  RunProgram(WithJvmFlags(command, flags), true);
  std::ifstream file(log);
  if (!file) return "";
  return TableText(applied.plan(), optimize::ReadCompileLog(file));
}

}  // namespace assay::cli
