// What the VM reports: on its own threads and the program's, whenever it likes.
#include "src/sampling/hotspot/call_sampler.h"
#include "src/sampling/hotspot/class_methods.h"

namespace assay::sampling {

void JNICALL CallSampler::CompiledMethodLoad(jvmtiEnv*, jmethodID method, jint size, const void* code,
                                             jint, const jvmtiAddrLocationMap*, const void* info) {
  CallSampler& self = Get();
  if (self.only_inlined_) return self.methods_->CountInlined(info);
  const bool keep_bodies = self.settings_.keep_bodies;
  self.methods_->OnLoad(method, code, static_cast<uint32_t>(size), keep_bodies ? info : nullptr);
  Yieldpoint* installed = self.installed_;
  bool doubtful = installed != nullptr && installed->RestsOnCompiledCode() && self.methods_->dissent();
  if ((self.pending_ || doubtful) && self.control_.try_lock()) {
    self.TryInstall(Where::kCallback);
    if (doubtful) self.GiveUp("a method compiled later contradicts what the others showed");
    self.control_.unlock();
  }
  // What follows is seen on the stack. Every such event costs the VM some 40 us, which would be most of our cost.
  constexpr uint32_t kProof = 64;
  if (installed != nullptr && !keep_bodies && self.methods_->votes().methods() >= kProof) {
    self.jvmti_->SetEventNotificationMode(JVMTI_DISABLE, JVMTI_EVENT_COMPILED_METHOD_LOAD, nullptr);
  }
}

void JNICALL CallSampler::CompiledMethodUnload(jvmtiEnv*, jmethodID, const void* code) {
  CallSampler& self = Get();
  self.methods_->OnUnload(code);
  std::lock_guard lock(self.unloaded_mutex_);
  self.unloaded_.push_back(reinterpret_cast<uintptr_t>(code));
}

void JNICALL CallSampler::DynamicCode(jvmtiEnv*, const char* name, const void* code, jint size) {
  Get().methods_->OnDynamicCode(name, code, static_cast<uint32_t>(size));
}

void JNICALL CallSampler::ThreadStart(jvmtiEnv*, JNIEnv* jni, jthread thread) {
  CallSampler& self = Get();
  self.watch_->OnStart(jni, thread, [&self](ThreadSlot& slot) {
    self.counter_.Create(slot);
    self.timers_.Create(slot);
  });
}

void JNICALL CallSampler::ThreadEnd(jvmtiEnv*, JNIEnv* jni, jthread) {
  CallSampler& self = Get();
  int counter = -1;
  self.watch_->OnEnd(jni, [&self, &counter, jni](ThreadSlot& slot) {
    self.timers_.Delete(slot);
    if (Yieldpoint* yieldpoint = self.installed_) yieldpoint->Disarm(self.watch_->CurrentJavaThread(jni));
    Hooks().recorder.Cut(slot);
    counter = CallCounter::Take(slot);
  });
  self.counter_.GiveBack(counter);
}

// AsyncGetCallTrace names a method only if its jmethodID exists already.
void JNICALL CallSampler::ClassPrepare(jvmtiEnv* jvmti, JNIEnv*, jthread, jclass type) {
  MethodsOfClass(jvmti, type);
}

}  // namespace assay::sampling
