#include "src/agent/class_hook.h"

#include <cstring>

#include "src/agent/class_archive.h"
#include "src/agent/class_loaders.h"
#include "src/agent/retransform.h"

namespace assay::agent {

Result<jvmtiEnv*> MakeRewritingEnvironment(JavaVM* vm, jvmtiEventClassFileLoadHook hook,
                                           jvmtiEventClassPrepare prepared) {
  if (ArchiveUse(vm) == Archive::kRecorded) {
    return Error{"this JVM records its classes for an archive (-XX:AOTCacheOutput, -XX:AOTMode=record, -XX:ArchiveClassesAtExit, "
                 "-XX:+AutoCreateSharedArchive, -XX:+RecordDynamicDumpInfo) and may crash when it writes rewritten ones; "
                 "--collect calls and contexts rewrite none"};
  }
  jvmtiEnv* jvmti = nullptr;
  if (vm->GetEnv(reinterpret_cast<void**>(&jvmti), JVMTI_VERSION_11) != JNI_OK) {
    return Error{"this JVM has no JVMTI"};
  }
  jvmtiCapabilities capabilities = {};
  capabilities.can_generate_all_class_hook_events = 1;
  capabilities.can_retransform_classes = 1;
  if (jvmti->AddCapabilities(&capabilities) != JVMTI_ERROR_NONE) {
    jvmti->DisposeEnvironment();
    return Error{"this JVM cannot rewrite classes"};
  }
  jvmtiEventCallbacks callbacks = {};
  callbacks.ClassFileLoadHook = hook;
  callbacks.ClassPrepare = prepared;
  jvmti->SetEventCallbacks(&callbacks, sizeof callbacks);
  return jvmti;
}

void LoadWhatTheHookNeeds(jvmtiEnv* jvmti, JNIEnv* jni) {
  if (jni->PushLocalFrame(16) != 0) return;
  jobject loader = FindClassLoader(jni, ClassLoaderOf::kSystem);
  jclass base = loader == nullptr ? nullptr : jni->FindClass("java/lang/ClassLoader");
  jmethodID unnamed = base == nullptr ? nullptr : jni->GetMethodID(base, "getUnnamedModule", "()Ljava/lang/Module;");
  jobject module = unnamed == nullptr ? nullptr : jni->CallObjectMethod(loader, unnamed);
  if (!jni->ExceptionCheck() && module != nullptr) jvmti->AddModuleReads(jni->GetModule(base), module);
  if (jni->ExceptionCheck()) jni->ExceptionClear();
  jni->PopLocalFrame(nullptr);
}

void StartRewriting(jvmtiEnv* jvmti, JNIEnv* jni, ExactRegistry& registry) {
  registry.BeginProfile();
  LoadWhatTheHookNeeds(jvmti, jni);
  jvmti->SetEventNotificationMode(JVMTI_ENABLE, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, nullptr);
  uint64_t refused = RetransformLoadedClasses(jvmti, jni);
  if (refused != 0) registry.AddLost("classes loaded before that could not be changed", refused);
}

void StopRewriting(jvmtiEnv* jvmti, JNIEnv* jni) {
  jvmti->SetEventNotificationMode(JVMTI_DISABLE, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, nullptr);
  // Without the hook, retransformation brings the original code.
  if (jni != nullptr) RetransformLoadedClasses(jvmti, jni);
}

void HandOver(ByteSpan bytes, jvmtiEnv* jvmti, jint* new_size, unsigned char** new_data) {
  unsigned char* copy = nullptr;
  if (bytes.empty() || jvmti->Allocate(static_cast<jlong>(bytes.size()), &copy) != JVMTI_ERROR_NONE) {
    return;
  }
  std::memcpy(copy, bytes.data(), bytes.size());
  *new_data = copy;
  *new_size = static_cast<jint>(bytes.size());
}

HookedClass::HookedClass(const char* given_name, const unsigned char* data, jint size)
    : bytes_(data, static_cast<size_t>(size)),
      file_(classfile::ParseClass(bytes_)),
      name_(given_name != nullptr ? given_name
            : file_.ok()          ? std::string(file_->Name())
                                  : "") {}

void HookedClass::Rewrite(instrument::Pass& pass, ExactRegistry& notes, jvmtiEnv* jvmti,
                          jint* new_size, unsigned char** new_data) const {
  // What the library cannot read, the VM refuses with its own words; nothing of ours is in the way.
  if (!file_.ok()) return notes.AddSkipped(SourceName(name_), file_.error().ToString());
  instrument::Pass* passes[] = {&pass};
  auto rewritten = instrument::RewriteClass(bytes_, passes);
  if (!rewritten.ok()) {
    return notes.AddSkipped(SourceName(name_), rewritten.error().ToString());
  }
  for (const auto& skipped : rewritten->skipped) {
    notes.AddSkipped(SourceName(name_) + "." + skipped.method, skipped.reason);
  }
  HandOver(rewritten->bytes, jvmti, new_size, new_data);
}

}  // namespace assay::agent
