#include "src/sampling/hotspot/at_safepoint.h"

#include <time.h>

namespace assay::sampling {

// FollowReferences runs its callbacks in a VM operation at a safepoint (jvmtiTagMap.cpp,
// VM_HeapWalkOperation); started at an array of one element it visits next to nothing.
bool RunAtSafepoint(JavaVM* vm, jvmtiEnv* jvmti, void (*function)(void*), void* argument) {
  JNIEnv* jni = nullptr;
  if (vm->GetEnv(reinterpret_cast<void**>(&jni), JNI_VERSION_1_6) != JNI_OK) return false;
  struct Call {
    void (*function)(void*);
    void* argument;
    bool done;
  } call{function, argument, false};
  jclass object = jni->FindClass("java/lang/Object");
  jobjectArray array = object ? jni->NewObjectArray(1, object, nullptr) : nullptr;
  if (array != nullptr) jni->SetObjectArrayElement(array, 0, array);
  jvmtiHeapCallbacks callbacks{};
  callbacks.heap_reference_callback = [](jvmtiHeapReferenceKind, const jvmtiHeapReferenceInfo*,
                                         jlong, jlong, jlong, jlong*, jlong*, jint,
                                         void* data) -> jint {
    auto* call = static_cast<Call*>(data);
    if (!call->done) call->function(call->argument);
    call->done = true;
    return JVMTI_VISIT_ABORT;
  };
  if (array != nullptr) {
    jvmti->FollowReferences(0, nullptr, array, &callbacks, &call);
    jni->DeleteLocalRef(array);
  } else {
    jni->ExceptionClear();
  }
  if (object != nullptr) jni->DeleteLocalRef(object);
  return call.done;
}

void WaitForHooks(JavaVM* vm, jvmtiEnv* jvmti) {
  if (RunAtSafepoint(vm, jvmti, [](void*) {}, nullptr)) return;
  timespec time = {0, 20'000'000};
  nanosleep(&time, nullptr);
}

}  // namespace assay::sampling
