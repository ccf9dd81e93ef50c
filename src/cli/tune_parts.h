// What tune can keep or drop by itself: parts of a plan, each with the flags and files that apply
// it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "src/plan/plan.h"

namespace assay::cli {

struct Part {
  std::string name;
  plan::Plan plan;
  // Inlining of single call sites, in place of compiler directives for `plan`.
  std::string replay_data;
  std::vector<std::string> replay_flags;

  bool Replays() const { return !replay_data.empty(); }
};

// The devirtualized sites, the inlined calls, the flags; those that are not empty.
std::vector<Part> PartsOf(const plan::Plan& plan);
// All parts but the replay, whose decisions are applied by its own flags; or all, for showing.
plan::Plan Together(const std::vector<Part>& parts, bool with_replay = false);

// The inlined calls of a plan as a replay: one run of the program dumps what the JVM inlines by
// itself, to which the plan's changes are made. Nothing when this JVM cannot or nothing changes.
// The JVM writes the dumps where it runs; they are removed. HotSpot 25 follows a null pointer when
// it dumps a tree with a method of a hidden class (ciEnv::dump_inline_data does not make the table
// that ciEnv::dyno_loc searches), so the program may die of this; what the JVM then writes goes to
// files that begin with `crash`.
std::optional<Part> ReplayPart(const Part& inlining, const std::vector<std::string>& command,
                               const std::string& crash);

}  // namespace assay::cli
