#include "src/agent/retransform.h"

#include <span>
#include <vector>

namespace assay::agent {
namespace {

// One class that does not verify makes the VM refuse its whole batch, so a refused batch is halved
// until the culprits stand alone.
uint64_t Retransform(jvmtiEnv* jvmti, JNIEnv* jni, std::span<const jclass> classes) {
  if (classes.empty()) return 0;
  jvmtiError error = jvmti->RetransformClasses(static_cast<jint>(classes.size()), classes.data());
  if (jni->ExceptionCheck()) jni->ExceptionClear();
  if (error == JVMTI_ERROR_NONE) return 0;
  if (classes.size() == 1) return 1;
  size_t half = classes.size() / 2;
  return Retransform(jvmti, jni, classes.first(half)) +
         Retransform(jvmti, jni, classes.subspan(half));
}

}  // namespace

uint64_t RetransformLoadedClasses(jvmtiEnv* jvmti, JNIEnv* jni) {
  jint count = 0;
  jclass* loaded = nullptr;
  if (jvmti->GetLoadedClasses(&count, &loaded) != JVMTI_ERROR_NONE) return 0;
  jni->EnsureLocalCapacity(count + 16);  // they are there already; -Xcheck:jni complains of it
  std::vector<jclass> changeable;
  for (jint i = 0; i < count; ++i) {
    jboolean modifiable = JNI_FALSE;
    jvmti->IsModifiableClass(loaded[i], &modifiable);
    if (modifiable == JNI_TRUE) changeable.push_back(loaded[i]);
  }
  uint64_t refused = Retransform(jvmti, jni, changeable);
  for (jint i = 0; i < count; ++i) jni->DeleteLocalRef(loaded[i]);
  jvmti->Deallocate(reinterpret_cast<unsigned char*>(loaded));
  return refused;
}

}  // namespace assay::agent
