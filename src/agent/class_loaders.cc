#include "src/agent/class_loaders.h"

namespace assay::agent {

jobject FindClassLoader(JNIEnv* jni, ClassLoaderOf which) {
  const char* getter = which == ClassLoaderOf::kPlatform ? "getPlatformClassLoader" : "getSystemClassLoader";
  jclass type = jni->FindClass("java/lang/ClassLoader");
  jmethodID get = type == nullptr ? nullptr : jni->GetStaticMethodID(type, getter, "()Ljava/lang/ClassLoader;");
  jobject loader = get == nullptr ? nullptr : jni->CallStaticObjectMethod(type, get);
  if (jni->ExceptionCheck()) {
    jni->ExceptionClear();
    loader = nullptr;
  }
  if (type != nullptr) jni->DeleteLocalRef(type);
  return loader;
}

}  // namespace assay::agent
