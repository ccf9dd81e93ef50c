#include "src/sampling/hotspot/sampling_environment.h"

#include "src/sampling/hotspot/hooks.h"

namespace assay::sampling {
namespace {

constexpr jvmtiEvent kEvents[] = {
    JVMTI_EVENT_COMPILED_METHOD_LOAD, JVMTI_EVENT_COMPILED_METHOD_UNLOAD,
    JVMTI_EVENT_DYNAMIC_CODE_GENERATED, JVMTI_EVENT_THREAD_START, JVMTI_EVENT_THREAD_END,
    JVMTI_EVENT_CLASS_LOAD, JVMTI_EVENT_CLASS_PREPARE};

// What is nice to have: each is asked for alone, so that one that is not to be had takes no other with it.
void AddOptionalCapabilities(jvmtiEnv* jvmti) {
  jvmtiCapabilities tags{};
  tags.can_tag_objects = 1;  // for RunAtSafepoint
  jvmti->AddCapabilities(&tags);
  jvmtiCapabilities lines{};
  lines.can_get_line_numbers = 1;
  lines.can_get_source_file_name = 1;
  jvmti->AddCapabilities(&lines);
  jvmtiCapabilities bodies{};
  bodies.can_get_bytecodes = 1;  // for flow inference
  jvmti->AddCapabilities(&bodies);
}

}  // namespace

Result<jvmtiEnv*> OpenSamplingEnvironment(JavaVM* vm, const jvmtiEventCallbacks& callbacks) {
  jvmtiEnv* jvmti = nullptr;
  if (vm->GetEnv(reinterpret_cast<void**>(&jvmti), JVMTI_VERSION_11) != JNI_OK) {
    return Error{"this JVM has no JVMTI"};
  }
  jvmtiCapabilities wanted{};
  wanted.can_generate_compiled_method_load_events = 1;
  if (jvmti->AddCapabilities(&wanted) != JVMTI_ERROR_NONE) {
    jvmti->DisposeEnvironment();
    return Error{"the JVM does not report compiled methods"};
  }
  AddOptionalCapabilities(jvmti);
  jvmti->SetEventCallbacks(&callbacks, sizeof callbacks);
  return jvmti;
}

void ForEachLoadedClass(jvmtiEnv* jvmti, JNIEnv* jni, const std::function<void(jclass)>& visit) {
  jint count = 0;
  jclass* classes = nullptr;
  if (jvmti->GetLoadedClasses(&count, &classes) != JVMTI_ERROR_NONE) return;
  jni->EnsureLocalCapacity(count + 16);  // they are there already; -Xcheck:jni complains of it
  for (jint i = 0; i < count; i++) {
    visit(classes[i]);
    jni->DeleteLocalRef(classes[i]);
  }
  jvmti->Deallocate(reinterpret_cast<unsigned char*>(classes));
}

void SetSamplingEvents(jvmtiEnv* jvmti, jvmtiEventMode mode) {
  for (jvmtiEvent event : kEvents) jvmti->SetEventNotificationMode(mode, event, nullptr);
}

Result<VmStructs> DescribeVmToHooks(JNIEnv* jni) {
  HookContext& hooks = Hooks();
  ASSAY_ASSIGN(VmStructs structs, VmStructs::Load(reinterpret_cast<void*>(jni->functions->GetVersion)));
  ASSAY_ASSIGN(hooks.code, CodeHeap::Load(structs));
  ASSAY_ASSIGN(uintptr_t call_stub, structs.StaticAddress("StubRoutines::_call_stub_return_address"));
  hooks.call_stub_return = *reinterpret_cast<uintptr_t*>(call_stub);
  hooks.walker = reinterpret_cast<AsyncGetCallTrace>(structs.Symbol("AsyncGetCallTrace"));
  return structs;
}

}  // namespace assay::sampling
