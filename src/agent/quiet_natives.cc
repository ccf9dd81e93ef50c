#include "src/agent/quiet_natives.h"

namespace assay::agent {
namespace {

struct Binding {
  jclass type;
  std::span<const JNINativeMethod> natives;
  bool done = false;
};

bool Bind(JNIEnv* jni, const Binding& binding) {
  return jni->RegisterNatives(binding.type, binding.natives.data(),
                              static_cast<jint>(binding.natives.size())) == 0;
}

void JNICALL OnClassPrepare(jvmtiEnv* jvmti, JNIEnv* jni, jthread, jclass type) {
  void* data = nullptr;
  if (jvmti->GetEnvironmentLocalStorage(&data) != JVMTI_ERROR_NONE || data == nullptr) return;
  auto* binding = static_cast<Binding*>(data);
  if (jni->IsSameObject(type, binding->type)) binding->done = Bind(jni, *binding);
}

void PrepareFromJava(JNIEnv* jni, jclass type) {
  jclass class_class = jni->GetObjectClass(type);
  jmethodID get_methods =
      jni->GetMethodID(class_class, "getMethods", "()[Ljava/lang/reflect/Method;");
  if (get_methods != nullptr) jni->CallObjectMethod(type, get_methods);
  if (jni->ExceptionCheck()) jni->ExceptionClear();
}

}  // namespace

Status RegisterNativesQuietly(JavaVM* vm, JNIEnv* jni, jclass type,
                              std::span<const JNINativeMethod> natives) {
  // A local reference is none in the callback, which has a frame of its own.
  Binding binding{static_cast<jclass>(jni->NewGlobalRef(type)), natives};
  jvmtiEnv* jvmti = nullptr;
  if (vm->GetEnv(reinterpret_cast<void**>(&jvmti), JVMTI_VERSION_11) == JNI_OK) {
    jvmtiEventCallbacks callbacks = {};
    callbacks.ClassPrepare = OnClassPrepare;
    jvmti->SetEnvironmentLocalStorage(&binding);
    jvmti->SetEventCallbacks(&callbacks, sizeof callbacks);
    jthread self = nullptr;
    jvmti->GetCurrentThread(&self);
    jvmti->SetEventNotificationMode(JVMTI_ENABLE, JVMTI_EVENT_CLASS_PREPARE, self);
    PrepareFromJava(jni, type);
    jvmti->SetEventNotificationMode(JVMTI_DISABLE, JVMTI_EVENT_CLASS_PREPARE, self);
    jvmti->DisposeEnvironment();
  }
  // Already prepared: bind anyway, warning or not.
  const bool bound = binding.done || Bind(jni, binding);
  jni->DeleteGlobalRef(binding.type);
  if (!bound) {
    jni->ExceptionClear();
    return Error{"native methods of the runtime class cannot be bound"};
  }
  return {};
}

}  // namespace assay::agent
