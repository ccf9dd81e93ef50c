// What the JVM calls: -agentpath, attach, unload. Nothing here ever fails the host: an agent that
// cannot do what it was asked says so on standard error (or in the reply file of the command line)
// and stays inactive.
#include <jvmti.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

#include "src/agent/class_archive.h"
#include "src/agent/doctor.h"
#include "src/agent/log.h"
#include "src/agent/options.h"
#include "src/agent/plan_applier.h"
#include "src/agent/session.h"

namespace assay::agent {
namespace {

JavaVM* the_vm = nullptr;
// With -agentpath and command=doctor: the examination waits until some code has been compiled, which is when the main
// thread ends. When the VM does, JDK 26 and newer do not say any more what is compiled.
Options* doctor_options = nullptr;
bool examined = false;

void Reply(const Options& options, const Result<std::string>& result);

void JNICALL OnVmInit(jvmtiEnv* jvmti, JNIEnv* jni, jthread thread) {
  if (doctor_options != nullptr) return;
  if (Status status = StartPreparedPlan(jni); !status.ok()) {
    Log(status.error().ToString() + "; running without the plan");
  }
  if (Status status = StartPreparedSession(the_vm, jni); !status.ok()) {
    Log(status.error().ToString() + "; running without profiling");
  }
}

void ExamineOnce(JNIEnv* jni) {
  if (doctor_options == nullptr || std::exchange(examined, true)) return;
  Reply(*doctor_options, ExamineJvm(the_vm, jni));
}

void JNICALL OnThreadEnd(jvmtiEnv* jvmti, JNIEnv* jni, jthread thread) {
  jvmtiThreadInfo info = {};
  if (jvmti->GetThreadInfo(thread, &info) != JVMTI_ERROR_NONE) return;
  const bool is_main = info.name != nullptr && std::string_view(info.name) == "main";
  jvmti->Deallocate(reinterpret_cast<unsigned char*>(info.name));
  if (is_main) ExamineOnce(jni);
}

void JNICALL OnVmDeath(jvmtiEnv* jvmti, JNIEnv* jni) {
  ExamineOnce(jni);
  WritePlanReport();
  EndSession();
}

// One environment for the life of the VM, only for these events.
Status WatchVmLife(JavaVM* vm) {
  static bool watching = false;
  if (watching) return {};
  jvmtiEnv* jvmti = nullptr;
  if (vm->GetEnv(reinterpret_cast<void**>(&jvmti), JVMTI_VERSION_11) != JNI_OK) {
    return Error{"this JVM has no JVMTI"};
  }
  jvmtiEventCallbacks callbacks = {};
  callbacks.VMInit = OnVmInit;
  callbacks.VMDeath = OnVmDeath;
  callbacks.ThreadEnd = OnThreadEnd;
  jvmti->SetEventCallbacks(&callbacks, sizeof callbacks);
  jvmti->SetEventNotificationMode(JVMTI_ENABLE, JVMTI_EVENT_VM_INIT, nullptr);
  jvmti->SetEventNotificationMode(JVMTI_ENABLE, JVMTI_EVENT_VM_DEATH, nullptr);
  if (doctor_options != nullptr) jvmti->SetEventNotificationMode(JVMTI_ENABLE, JVMTI_EVENT_THREAD_END, nullptr);
  the_vm = vm;
  watching = true;
  return {};
}

Result<std::string> Execute(JavaVM* vm, const Options& options) {
  JNIEnv* jni = nullptr;
  if (vm->GetEnv(reinterpret_cast<void**>(&jni), JNI_VERSION_1_8) != JNI_OK) {
    return Error{"not on a Java thread"};
  }
  ASSAY_TRY(WatchVmLife(vm));
  std::string command = options.Text("command");
  if (command == "stop") return StopSession();
  if (command == "unapply") return RemovePlan(jni);
  if (command == "status") return SessionStatus();
  if (command == "doctor") return ExamineJvm(vm, jni);
  if (!options.IsSet("apply")) return StartOrChangeSession(vm, jni, options);
  ASSAY_ASSIGN(std::string report, ApplyPlan(vm, jni, options));
  if (!options.IsSet("collect")) return report;
  ASSAY_ASSIGN(std::string started, StartOrChangeSession(vm, jni, options));
  return started + "\n" + report;
}

void Reply(const Options& options, const Result<std::string>& result) {
  std::string text = result.ok() ? "ok " + *result : "error " + result.error().ToString();
  std::string path = options.Text("reply");
  if (path.empty()) {
    if (!result.ok()) Log(result.error().ToString());
    return;
  }
  if (FILE* file = std::fopen(path.c_str(), "we")) {
    std::fputs(text.c_str(), file);
    std::fputc('\n', file);
    std::fclose(file);
  }
}

}  // namespace
}  // namespace assay::agent

using namespace assay;
using namespace assay::agent;

extern "C" JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM* vm, char* text, void* reserved) {
  if (ArchiveUse(vm) == Archive::kAssembled) return JNI_OK;
  auto options = Options::Parse(text == nullptr ? "" : text);
  if (options.ok() && options->Text("command") == "doctor") doctor_options = new Options(*options);
  Status status = options.ok() ? WatchVmLife(vm) : Status(options.error());
  if (status.ok() && doctor_options != nullptr) return JNI_OK;
  if (status.ok() && options->Text("command") != "start") {
    status = Error{"command=" + options->Text("command") + " is for a JVM that runs already"};
  }
  if (status.ok() && options->IsSet("apply")) {
    Status planned = PreparePlan(vm, *options);
    if (!planned.ok()) Log(planned.error().ToString() + "; running without the plan");
  }
  if (status.ok() && (options->IsSet("collect") || !options->IsSet("apply"))) {
    status = PrepareSession(vm, *options);
  }
  if (!status.ok()) Log(status.error().ToString() + "; running without profiling");
  return JNI_OK;
}

extern "C" JNIEXPORT jint JNICALL Agent_OnAttach(JavaVM* vm, char* text, void* reserved) {
  auto options = Options::Parse(text == nullptr ? "" : text);
  if (!options.ok()) {
    Log(options.error().ToString());
    return JNI_OK;
  }
  Reply(*options, Execute(vm, *options));
  return JNI_OK;
}

extern "C" JNIEXPORT void JNICALL Agent_OnUnload(JavaVM* vm) {}
