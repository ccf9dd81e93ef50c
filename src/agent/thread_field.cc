// The environment is one that cannot retransform: what such agents change while a class is loaded is part of
// the class for those that can (JVMTI, "RetransformClasses"), so that rewriting Thread and giving
// it its own code back both keep the field. HotSpot finds the fields that it knows by name
// (javaClasses.cpp), wherever another one puts them.
#include "src/agent/thread_field.h"

#include <atomic>
#include <cstring>
#include <string>

#include "src/agent/class_archive.h"
#include "src/agent/class_hook.h"
#include "src/classfile/class_file.h"

namespace assay::agent {
namespace {

jvmtiEnv* watching = nullptr;
std::string* wanted_type = nullptr;
std::atomic<bool> added = false;

void JNICALL OnClassFile(jvmtiEnv* jvmti, JNIEnv*, jclass redefined, jobject, const char* name, jobject,
                         jint size, const unsigned char* data, jint* new_size,
                         unsigned char** new_data) {
  if (redefined != nullptr || name == nullptr || std::strcmp(name, "java/lang/Thread") != 0) return;
  auto file = classfile::ParseClass({data, static_cast<size_t>(size)});
  if (!file.ok()) return;
  auto field_name = file->pool.AddUtf8(kThreadField);
  auto type = file->pool.AddUtf8(*wanted_type);
  if (!field_name.ok() || !type.ok()) return;
  classfile::Field field;
  field.access_flags = classfile::kAccPrivate | classfile::kAccTransient | classfile::kAccSynthetic;
  field.name_index = *field_name;
  field.descriptor_index = *type;
  file->fields.push_back(field);
  HandOver(classfile::WriteClass(*file), jvmti, new_size, new_data);
  added = *new_data != nullptr;
}

}  // namespace

void WantThreadField(JavaVM* vm, std::string_view descriptor) {
  jvmtiEnv* jvmti = nullptr;
  if (ArchiveUse(vm) != Archive::kNone || vm->GetEnv(reinterpret_cast<void**>(&jvmti), JVMTI_VERSION_11) != JNI_OK) return;
  jvmtiPhase phase;
  const bool early = jvmti->GetPhase(&phase) == JVMTI_ERROR_NONE && phase == JVMTI_PHASE_ONLOAD;
  jvmtiCapabilities capabilities = {};
  capabilities.can_generate_all_class_hook_events = 1;
  capabilities.can_generate_early_class_hook_events = 1;
  jvmtiEventCallbacks callbacks = {};
  callbacks.ClassFileLoadHook = OnClassFile;
  wanted_type = new std::string(descriptor);
  if (!early || jvmti->AddCapabilities(&capabilities) != JVMTI_ERROR_NONE ||
      jvmti->SetEventCallbacks(&callbacks, sizeof callbacks) != JVMTI_ERROR_NONE ||
      jvmti->SetEventNotificationMode(JVMTI_ENABLE, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, nullptr) !=
          JVMTI_ERROR_NONE) {
    jvmti->DisposeEnvironment();
    return;
  }
  watching = jvmti;
}

bool SettleThreadField() {
  if (watching != nullptr) watching->DisposeEnvironment();
  watching = nullptr;
  return added;
}

}  // namespace assay::agent
