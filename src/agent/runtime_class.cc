#include "src/agent/runtime_class.h"

#include "src/agent/quiet_natives.h"

namespace assay::agent {

Result<jclass> DefineRuntimeClass(JavaVM* vm, JNIEnv* jni, const std::string& name, ByteSpan bytes,
                                  std::span<const JNINativeMethod> natives,
                                  const char* static_field, const char* field_type) {
  jclass type =
      jni->DefineClass(name.c_str(), nullptr, reinterpret_cast<const jbyte*>(bytes.data()),
                       static_cast<jsize>(bytes.size()));
  if (type == nullptr) {
    jni->ExceptionClear();
    return Error{"this JVM does not accept the runtime class " + name};
  }
  ASSAY_TRY(RegisterNativesQuietly(vm, jni, type, natives));
  // Asking for a static field runs the initializer.
  if (jni->GetStaticFieldID(type, static_field, field_type) == nullptr) {
    jni->ExceptionClear();
    return Error{"the runtime class " + name + " cannot be initialized here"};
  }
  return static_cast<jclass>(jni->NewGlobalRef(type));
}

}  // namespace assay::agent
