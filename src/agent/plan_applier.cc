#include "src/agent/plan_applier.h"

#include <cstdio>
#include <cstring>
#include <mutex>
#include <vector>

#include "src/agent/class_hook.h"
#include "src/agent/class_name.h"
#include "src/agent/guard_classes.h"
#include "src/agent/planned_classes.h"
#include "src/instrument/devirtualize_pass.h"

namespace assay::agent {
namespace {

// Never destroyed: hooks may run while the VM goes down.
struct Applier {
  std::mutex mutex;
  jvmtiEnv* jvmti = nullptr;
  PlannedClasses classes;
  bool active = false;
  std::string report_path;
  uint64_t directives = 0;
};

Applier& The() {
  static Applier* applier = new Applier;
  return *applier;
}

Status LoadPlan(Applier& applier, const Options& options) {
  ASSAY_ASSIGN(applier.classes, ReadPlannedClasses(options.Text("apply")));
  applier.report_path = options.Text("apply-report");
  applier.directives = options.Count("directives");
  return {};
}

void JNICALL OnClassFile(jvmtiEnv* jvmti, JNIEnv* jni, jclass, jobject loader, const char* name,
                         jobject, jint size, const unsigned char* data, jint* new_size,
                         unsigned char** new_data) {
  if (name == nullptr) return;
  Applier& applier = The();
  std::lock_guard lock(applier.mutex);
  auto it = applier.classes.find(std::string_view(name));
  if (it == applier.classes.end() || !applier.active) return;
  PlannedClass& planned = it->second;
  auto sites = SitesFor(planned, jvmti, jni, loader);
  if (!sites.ok()) {
    if (!planned.seen) planned.outcomes.assign(planned.sites.size(), sites.error().message);
    return;
  }
  instrument::DevirtualizePass pass(*sites);
  instrument::Pass* passes[] = {&pass};
  auto rewritten = instrument::RewriteClass({data, static_cast<size_t>(size)}, passes);
  // A class of this name in another loader may differ; the report is about the one that fits.
  bool better = !planned.seen || (rewritten.ok() && !rewritten->bytes.empty());
  planned.seen = true;
  if (!rewritten.ok()) {
    if (better) planned.outcomes.assign(planned.sites.size(), rewritten.error().ToString());
    return;
  }
  if (better) {
    planned.outcomes = pass.outcomes();
    NoteSkipped(planned, rewritten->skipped);
  }
  HandOver(rewritten->bytes, jvmti, new_size, new_data);
}

void JNICALL OnClassPrepare(jvmtiEnv* jvmti, JNIEnv* jni, jthread, jclass type) {
  GuardClasses::Get().Consider(jvmti, jni, type, InternalNameOf(jvmti, type));
}

Status MakeEnvironment(Applier& applier, JavaVM* vm) {
  if (applier.jvmti != nullptr) return {};
  ASSAY_ASSIGN(applier.jvmti, MakeRewritingEnvironment(vm, OnClassFile, OnClassPrepare));
  return {};
}

void SwitchEvents(jvmtiEnv* jvmti, jvmtiEventMode mode) {
  jvmti->SetEventNotificationMode(mode, JVMTI_EVENT_CLASS_PREPARE, nullptr);
  jvmti->SetEventNotificationMode(mode, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, nullptr);
}

// Classes that are there already: expected ones become guards, callers are retransformed in one
// batch; one by one only when the VM refuses the batch.
void VisitLoadedClasses(Applier& applier, JNIEnv* jni) {
  jvmtiEnv* jvmti = applier.jvmti;
  jint count = 0;
  jclass* loaded = nullptr;
  if (jvmti->GetLoadedClasses(&count, &loaded) != JVMTI_ERROR_NONE) return;
  jni->EnsureLocalCapacity(count + 16);  // they are there already; -Xcheck:jni complains of it
  std::vector<jclass> callers;
  for (jint i = 0; i < count; ++i) {
    std::string name = InternalNameOf(jvmti, loaded[i]);
    if (name.empty()) continue;
    jint status = 0;
    jvmti->GetClassStatus(loaded[i], &status);
    if ((status & JVMTI_CLASS_STATUS_PREPARED) != 0) {
      GuardClasses::Get().Consider(jvmti, jni, loaded[i], name);
    }
    jboolean modifiable = JNI_FALSE;
    std::lock_guard lock(applier.mutex);
    if (applier.classes.contains(name) &&
        jvmti->IsModifiableClass(loaded[i], &modifiable) == JVMTI_ERROR_NONE && modifiable) {
      callers.push_back(loaded[i]);
    }
  }
  if (!callers.empty()) {
    jvmtiError error = jvmti->RetransformClasses(static_cast<jint>(callers.size()), callers.data());
    for (size_t i = 0; error != JVMTI_ERROR_NONE && i < callers.size(); ++i) {
      jvmtiError one = jvmti->RetransformClasses(1, &callers[i]);
      if (one == JVMTI_ERROR_NONE) continue;
      std::lock_guard lock(applier.mutex);
      auto& planned = applier.classes.find(InternalNameOf(jvmti, callers[i]))->second;
      planned.outcomes.assign(planned.sites.size(),
                              "the JVM refused the class (" + std::to_string(one) + ")");
    }
    if (jni->ExceptionCheck()) jni->ExceptionClear();
  }
  for (jint i = 0; i < count; ++i) jni->DeleteLocalRef(loaded[i]);
  jvmti->Deallocate(reinterpret_cast<unsigned char*>(loaded));
}

Status Activate(Applier& applier, JNIEnv* jni) {
  ASSAY_TRY(GuardClasses::Get().Define(jni));
  {
    std::lock_guard lock(applier.mutex);
    applier.active = true;
  }
  LoadWhatTheHookNeeds(applier.jvmti, jni);
  SwitchEvents(applier.jvmti, JVMTI_ENABLE);
  VisitLoadedClasses(applier, jni);
  return {};
}

std::string Report(Applier& applier) {
  std::lock_guard lock(applier.mutex);
  return ReportOf(applier.classes) + GuardClasses::Get().Report();
}

}  // namespace

Status PreparePlan(JavaVM* vm, const Options& options) {
  Applier& applier = The();
  {
    std::lock_guard lock(applier.mutex);
    ASSAY_TRY(LoadPlan(applier, options));
  }
  return MakeEnvironment(applier, vm);
}

Status StartPreparedPlan(JNIEnv* jni) {
  Applier& applier = The();
  if (applier.jvmti == nullptr) return {};
  return Activate(applier, jni);
}

Result<std::string> ApplyPlan(JavaVM* vm, JNIEnv* jni, const Options& options) {
  Applier& applier = The();
  if (IsPlanApplied()) ASSAY_TRY(RemovePlan(jni));
  ASSAY_TRY(PreparePlan(vm, options));
  ASSAY_TRY(Activate(applier, jni));
  return Report(applier);
}

Result<std::string> RemovePlan(JNIEnv* jni) {
  Applier& applier = The();
  {
    std::lock_guard lock(applier.mutex);
    if (!applier.active) return Error{"no plan is applied"};
    applier.active = false;
  }
  SwitchEvents(applier.jvmti, JVMTI_DISABLE);
  // Without the hook, retransformation gives the classes their own code back.
  VisitLoadedClasses(applier, jni);
  std::lock_guard lock(applier.mutex);
  applier.classes.clear();
  return std::to_string(applier.directives);
}

bool IsPlanApplied() {
  Applier& applier = The();
  std::lock_guard lock(applier.mutex);
  return applier.active;
}

void WritePlanReport() {
  Applier& applier = The();
  if (applier.jvmti == nullptr || applier.report_path.empty()) return;
  std::string text = Report(applier);
  if (FILE* file = std::fopen(applier.report_path.c_str(), "we")) {
    std::fputs(text.c_str(), file);
    std::fclose(file);
  }
}

}  // namespace assay::agent
