// What the VM tells the context sampler: code, threads and classes that come and go.
#include <cstring>

#include "src/sampling/hotspot/context_sampler.h"
#include "src/sampling/watermark.h"

namespace assay::sampling {

void JNICALL ContextSampler::CompiledMethodLoad(jvmtiEnv*, jmethodID method, jint size,
                                                const void* code, jint, const jvmtiAddrLocationMap*,
                                                const void* info) {
  ContextSampler& self = Get();
  const CodeHeap& heap = Hooks().code;
  const uintptr_t blob = heap.FindBlob(reinterpret_cast<uintptr_t>(code));
  self.compiled_->OnLoad(method, code, static_cast<uint32_t>(size), info, blob == 0 ? 0 : heap.Compilation(blob));
  bool doubtful = self.installed_ && self.compiled_->dissent();
  if ((self.pending_ || doubtful) && self.control_.try_lock()) {
    self.TryInstall();
    if (doubtful) self.GiveUp("a method compiled later contradicts what the others showed");
    self.control_.unlock();
  }
}

void JNICALL ContextSampler::CompiledMethodUnload(jvmtiEnv*, jmethodID, const void* code) {
  Get().compiled_->OnUnload(code);
}

void JNICALL ContextSampler::DynamicCode(jvmtiEnv*, const char* name, const void* code, jint size) {
  Get().compiled_->OnDynamicCode(name, code, static_cast<uint32_t>(size));
}

// Under ledger_mutex_, which whoever needs both takes before the lock of the watch.
bool ContextSampler::GiveTrail(ThreadSlot& slot) {
  auto index = static_cast<size_t>(&slot - &Hooks().threads.slot(0));
  ContextTrail* trail = trails_[index].load();
  if (trail == nullptr) {
    trail = ContextTrail::Map();
  } else {
    trail->busy.store(true);  // the thread may be found by AddAll before it says itself that it started
    trail->Reset();
  }
  if (trail == nullptr) {
    threads_without_memory_++;
    return false;
  }
  uint64_t cpu = slot.cpu_clock == 0 ? 0 : ClockNs(slot.cpu_clock);
  trail->seen_cpu_ns = cpu;
  trail->accounted_ns = settings_.wall ? MonotonicNs() : cpu;
  trails_[index].store(trail, std::memory_order_release);
  trail->busy.store(false, std::memory_order_release);
  return true;
}

void JNICALL ContextSampler::ThreadStart(jvmtiEnv*, JNIEnv* jni, jthread thread) {
  ContextSampler& self = Get();
  std::lock_guard lock(self.ledger_mutex_);
  self.watch_->OnStart(jni, thread, [&self](ThreadSlot& slot) {
    if (self.GiveTrail(slot)) self.timers_.Create(slot);
  });
}

void JNICALL ContextSampler::ThreadEnd(jvmtiEnv*, JNIEnv* jni, jthread) {
  ContextSampler& self = Get();
  std::lock_guard lock(self.ledger_mutex_);
  self.watch_->OnEnd(jni, [&self, jni](ThreadSlot& slot) {
    self.timers_.Delete(slot);
    ContextTrail* trail = self.TrailOf(slot);
    if (trail == nullptr) return;
    trail->busy.store(true);  // no sample until the slot has a new owner
    if (self.installed_) Watermark::Remove(Hooks().PollWord(self.watch_->CurrentJavaThread(jni)));
    self.ledger_->Drain(slot.number, *trail, true);
    self.ledger_->EndThread(slot.number);
  });
}

void ContextSampler::FindContinuation(JNIEnv* jni, jclass type) {
  char* signature = nullptr;
  if (jvmti_->GetClassSignature(type, &signature, nullptr) != JVMTI_ERROR_NONE) return;
  bool found = strcmp(signature, "Ljdk/internal/vm/Continuation;") == 0;
  jvmti_->Deallocate(reinterpret_cast<unsigned char*>(signature));
  if (found) recorder_.continuation_entry = interpreted_.MethodNamed("enterSpecial", jvmti_, jni, type);
}

void JNICALL ContextSampler::ClassPrepare(jvmtiEnv* jvmti, JNIEnv* jni, jthread, jclass type) {
  ContextSampler& self = Get();
  self.interpreted_.AddClass(jvmti, jni, type);
  if (self.recorder_.continuation_entry == 0) self.FindContinuation(jni, type);
}

}  // namespace assay::sampling
