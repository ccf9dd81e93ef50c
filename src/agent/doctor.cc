#include "src/agent/doctor.h"

#include "src/agent/calls_collector.h"
#include "src/agent/vm_info.h"
#include "src/agent/contexts_collector.h"

namespace assay::agent {
namespace {

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
