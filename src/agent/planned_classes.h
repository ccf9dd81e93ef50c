// The classes of the program that a plan wants to rewrite, with their sites and what became of
// them. Not synchronized; any Java thread in native code.
#pragma once

#include <jvmti.h>

#include <map>
#include <string>
#include <vector>

#include "src/base/result.h"
#include "src/instrument/guarded_site.h"
#include "src/instrument/pass.h"

namespace assay::agent {

struct PlannedClass {
  std::vector<instrument::GuardedSite> sites;    // without guards, which depend on the class loader
  std::vector<std::vector<std::string>> guards;  // internal names of classes, by site
  std::vector<std::string> names;                // of the sites, as in the plan
  std::vector<std::string> outcomes;             // why not; "" = rewritten
  bool seen = false;
};

using PlannedClasses = std::map<std::string, PlannedClass, std::less<>>;  // by internal name

// Reads and checks a plan; its guard classes are expected from now on.
Result<PlannedClasses> ReadPlannedClasses(const std::string& path);
// The sites with the guards for a caller of this class loader.
Result<std::vector<instrument::GuardedSite>> SitesFor(const PlannedClass& planned, jvmtiEnv* jvmti,
                                                      JNIEnv* jni, jobject loader);
// Notes what the pass could not do because the method as a whole failed.
void NoteSkipped(PlannedClass& planned, const std::vector<instrument::SkippedMethod>& skipped);
// How many sites were rewritten, and a line for each site.
std::string ReportOf(const PlannedClasses& classes);

}  // namespace assay::agent
