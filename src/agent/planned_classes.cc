#include "src/agent/planned_classes.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "src/agent/guard_classes.h"
#include "src/plan/plan.h"

namespace assay::agent {

using instrument::GuardedSite;

namespace {

std::string InternalName(std::string name) {
  std::replace(name.begin(), name.end(), '.', '/');
  return name;
}

Result<std::string> ReadFile(const std::string& path) {
  FILE* file = std::fopen(path.c_str(), "re");
  if (file == nullptr) return Error{"cannot read the plan " + path + ": " + std::strerror(errno)};
  std::string text;
  char buffer[4096];
  for (size_t count; (count = std::fread(buffer, 1, sizeof buffer, file)) > 0;) {
    text.append(buffer, count);
  }
  std::fclose(file);
  return text;
}

Status Add(const plan::Decision& decision, PlannedClasses* classes) {
  PlannedClass& planned = (*classes)[InternalName(decision.caller.class_name)];
  planned.sites.push_back({decision.caller.name,
                           decision.caller.descriptor,
                           decision.caller_bytes,
                           static_cast<uint32_t>(decision.bci),
                           decision.callee.name,
                           decision.callee.descriptor,
                           {}});
  planned.guards.emplace_back();
  for (const std::string& guard : decision.guards) {
    planned.guards.back().push_back(InternalName(guard));
    ASSAY_TRY(GuardClasses::Get().Expect(planned.guards.back().back()));
  }
  planned.names.push_back(decision.Site());
  planned.outcomes.emplace_back("the class was not loaded");
  return {};
}

}  // namespace

Result<PlannedClasses> ReadPlannedClasses(const std::string& path) {
  ASSAY_ASSIGN(std::string text, ReadFile(path));
  auto plan = plan::ParsePlan(text);
  if (!plan.ok()) return Error{path + ": " + plan.error().message};
  PlannedClasses classes;
  for (const plan::Decision& decision : plan->decisions) {
    if (decision.action == plan::Action::kDevirtualize) ASSAY_TRY(Add(decision, &classes));
  }
  return classes;
}

Result<std::vector<GuardedSite>> SitesFor(const PlannedClass& planned, jvmtiEnv* jvmti, JNIEnv* jni,
                                          jobject loader) {
  std::vector<GuardedSite> sites = planned.sites;
  for (size_t i = 0; i < sites.size(); ++i) {
    for (const std::string& guard : planned.guards[i]) {
      ASSAY_ASSIGN(instrument::Guarded element, GuardClasses::Get().For(jvmti, jni, loader, guard));
      sites[i].guards.push_back(element);
    }
  }
  return sites;
}

void NoteSkipped(PlannedClass& planned, const std::vector<instrument::SkippedMethod>& skipped) {
  for (const auto& each : skipped) {
    for (size_t i = 0; i < planned.sites.size(); ++i) {
      if (planned.sites[i].method + planned.sites[i].descriptor == each.method) {
        planned.outcomes[i] = each.reason;
      }
    }
  }
}

std::string ReportOf(const PlannedClasses& classes) {
  std::string text;
  size_t rewritten = 0;
  size_t sites = 0;
  for (const auto& [name, planned] : classes) {
    sites += planned.sites.size();
    for (size_t i = 0; i < planned.sites.size(); ++i) {
      bool done = planned.outcomes[i].empty();
      rewritten += done;
      text += done ? "rewritten\t" + planned.names[i] + "\n"
                   : "left\t" + planned.names[i] + "\t" + planned.outcomes[i] + "\n";
    }
  }
  return std::to_string(rewritten) + " of " + std::to_string(sites) + " sites rewritten\n" + text;
}

}  // namespace assay::agent
