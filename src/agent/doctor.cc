#include "src/agent/doctor.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "src/agent/calls_collector.h"
#include "src/agent/vm_info.h"
#include "src/agent/contexts_collector.h"

namespace assay::agent {
namespace {

// The paper's hardware counter: branches of this thread, user mode only.
sampling::Mechanism ExamineCounter() {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = PERF_TYPE_HARDWARE;
  attributes.config = PERF_COUNT_HW_BRANCH_INSTRUCTIONS;
  attributes.disabled = 1;
  attributes.exclude_kernel = attributes.exclude_hv = 1;
  long fd = syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
  if (fd < 0) {
    return {"counter", false,
            std::string("perf_event_open: ") + std::strerror(errno) +
                "; call density comes from the bursts themselves"};
  }
  close(static_cast<int>(fd));
  return {"counter", true, "hardware counters can be opened"};
}

sampling::Mechanism ExamineRewriting(JavaVM* vm) {
  jvmtiEnv* jvmti = PlainEnvironment(vm);
  if (jvmti == nullptr) return {"rewrite", false, "this JVM has no JVMTI"};
  jvmtiCapabilities possible{};
  jvmti->GetPotentialCapabilities(&possible);
  if (!possible.can_retransform_classes)
    return {"rewrite", false, "classes cannot be retransformed"};
  return {"rewrite", true, "classes can be rewritten as they load and retransformed"};
}

}  // namespace

std::string ExamineJvm(JavaVM* vm, JNIEnv* jni) {
  sampling::DoctorReport report = ExamineCalls(vm, jni);
  report.push_back(ExamineContexts(vm, jni));
  report.push_back(ExamineCounter());
  sampling::Mechanism rewriting = ExamineRewriting(vm);
  report.push_back(rewriting);
  report.push_back({"probe", rewriting.works,
                    rewriting.works ? "a check at the entry of every method" : rewriting.why});
  std::string text;
  for (const sampling::Mechanism& mechanism : report) {
    text += mechanism.name + '\t' + (mechanism.works ? "yes" : "no") + '\t' + mechanism.why + '\n';
  }
  return text;
}

}  // namespace assay::agent
