#include "src/cli/tune_parts.h"

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include "src/cli/program.h"
#include "src/optimize/directives.h"
#include "src/optimize/inline_replay.h"

namespace assay::cli {
namespace {

using plan::Action;

template <typename Wanted>
void AddPart(const std::string& name, const plan::Plan& plan, bool flags, Wanted wanted,
             std::vector<Part>* parts) {
  Part part{name, {}, {}, {}};
  part.plan.policy = plan.policy;
  if (flags) part.plan.flags = plan.flags;
  for (const plan::Decision& decision : plan.decisions) {
    if (wanted(decision.action)) part.plan.decisions.push_back(decision);
  }
  if (!part.plan.decisions.empty() || !part.plan.flags.empty()) parts->push_back(std::move(part));
}

// The commands that dump the trees of every caller in the plan.
std::vector<std::string> DumpFlags(const plan::Plan& plan) {
  std::set<std::string> roots;
  for (const plan::Decision& decision : plan.decisions) {
    if (optimize::CanBeNamed(decision.caller)) {
      roots.insert(optimize::DirectiveName(decision.caller));
    }
  }
  std::vector<std::string> flags = {"-XX:CompileCommand=quiet"};
  for (const std::string& root : roots) flags.push_back("-XX:CompileCommand=DumpInline," + root);
  return flags;
}

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Reads and removes what the process left, in order of compilation: inline_pid<pid>_compid<n>.log,
// with 0x and a hexadecimal pid before JDK 19, whose trees say less and cannot be used.
std::vector<optimize::InlineTree> TakeDumps(int pid) {
  std::string now = fmt::format("inline_pid{}_compid", pid);
  std::string before = fmt::format("inline_pid{:#x}_compid", pid);
  std::map<int, std::filesystem::path> dumps;
  for (const auto& entry : std::filesystem::directory_iterator(".")) {
    std::string name = entry.path().filename().string();
    if (name.starts_with(now)) dumps[std::atoi(name.c_str() + now.size())] = entry.path();
    if (name.starts_with(before)) dumps[std::atoi(name.c_str() + before.size())] = entry.path();
  }
  std::vector<optimize::InlineTree> trees;
  for (const auto& [number, path] : dumps) {
    std::string text = ReadFile(path);
    auto parsed = optimize::ParseInlineDump(text);
    if (parsed.ok() && text.starts_with("version 2")) {
      trees.insert(trees.end(), parsed->begin(), parsed->end());
    }
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
  }
  return trees;
}

}  // namespace

std::vector<Part> PartsOf(const plan::Plan& plan) {
  std::vector<Part> parts;
  AddPart(
      "devirtualize", plan, false, [](Action a) { return a == Action::kDevirtualize; }, &parts);
  AddPart(
      "inline", plan, false,
      [](Action a) { return a == Action::kInline || a == Action::kNoInline; }, &parts);
  AddPart(
      "flags", plan, true, [](Action) { return false; }, &parts);
  return parts;
}

plan::Plan Together(const std::vector<Part>& parts, bool with_replay) {
  plan::Plan all;
  for (const Part& part : parts) {
    all.policy = part.plan.policy;
    if (part.Replays() && !with_replay) continue;
    all.flags.insert(all.flags.end(), part.plan.flags.begin(), part.plan.flags.end());
    all.decisions.insert(all.decisions.end(), part.plan.decisions.begin(),
                         part.plan.decisions.end());
  }
  return all;
}

std::optional<Part> ReplayPart(const Part& inlining, const std::vector<std::string>& command,
                               const std::string& crash) {
  // Of a script we do not know which process is the JVM.
  if (!IsJava(command)) return std::nullopt;
  std::vector<std::string> flags = DumpFlags(inlining.plan);
  flags.push_back("-XX:ErrorFile=" + crash + ".log");
  flags.push_back("-XX:ReplayDataFile=" + crash + ".replay");
  Outcome outcome = RunProgram(command, flags, true);
  std::vector<optimize::InlineTree> trees = TakeDumps(outcome.pid);
  if (outcome.status > 128) {
    fprintf(stderr, "assay: replay: the JVM crashed while it listed what it inlines: dropped\n");
    return std::nullopt;
  }
  optimize::Replay replay = optimize::ReplayOf(inlining.plan, trees);
  if (replay.data.empty()) return std::nullopt;
  Part part{"replay", inlining.plan, replay.data, replay.flags};
  part.replay_flags.insert(part.replay_flags.begin(), "-XX:CompileCommand=quiet");
  return part;
}

}  // namespace assay::cli
