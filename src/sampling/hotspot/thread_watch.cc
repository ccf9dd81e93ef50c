#include "src/sampling/hotspot/thread_watch.h"

#include <unistd.h>

#include <memory>

namespace assay::sampling {
namespace {

constexpr size_t kMaxNames = 20000;
// Guard zones and what a walk may need; compiled code keeps more than this free below itself
// (StackShadowPages), so the limit is a belt to the VM's braces.
constexpr uintptr_t kStackReserve = 48 * 1024;

}  // namespace

Result<std::unique_ptr<ThreadWatch>> ThreadWatch::Make(jvmtiEnv* jvmti, JNIEnv* jni,
                                                       const VmStructs& structs, ThreadTable* table) {
  std::unique_ptr<ThreadWatch> watch(new ThreadWatch(jvmti, table));
  jclass thread_class = jni->FindClass("java/lang/Thread");
  if (thread_class != nullptr) watch->eetop_ = jni->GetFieldID(thread_class, "eetop", "J");
  if (watch->eetop_ == nullptr) {
    jni->ExceptionClear();
    return Error{"java.lang.Thread has no field eetop"};
  }
  jthread current;
  if (jvmti->GetCurrentThread(&current) != JVMTI_ERROR_NONE) return Error{"no current thread"};
  uintptr_t java_thread = watch->JavaThreadOf(jni, current);
  watch->env_offset_ = reinterpret_cast<uintptr_t>(jni) - java_thread;
  if (java_thread == 0 || watch->env_offset_ <= 0 || watch->env_offset_ > 8192) {
    return Error{"a thread's JNI environment is not where it is expected"};
  }
  ASSAY_ASSIGN(watch->stack_base_, structs.Offset("JavaThread::_stack_base"));
  ASSAY_ASSIGN(watch->stack_size_, structs.Offset("JavaThread::_stack_size"));
  uintptr_t here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  uintptr_t base = *reinterpret_cast<uintptr_t*>(java_thread + watch->stack_base_);
  uintptr_t size = *reinterpret_cast<uintptr_t*>(java_thread + watch->stack_size_);
  if (here >= base || here < base - size) return Error{"a thread's stack is not where it is expected"};
  // 17 has the field in JavaThread, later releases in Thread.
  auto os_thread = structs.Offset("Thread::_osthread");
  if (!os_thread.ok()) os_thread = structs.Offset("JavaThread::_osthread");
  auto thread_id = structs.Offset("OSThread::_thread_id");
  if (os_thread.ok() && thread_id.ok()) {
    watch->os_thread_ = *os_thread;
    watch->thread_id_ = *thread_id;
    if (watch->ThreadId(java_thread) != gettid()) watch->os_thread_ = 0;
  }
  return watch;
}

int32_t ThreadWatch::ThreadId(uintptr_t java_thread) const {
  if (os_thread_ == 0) return 0;
  uintptr_t os_thread = *reinterpret_cast<uintptr_t*>(java_thread + os_thread_);
  return os_thread == 0 ? 0 : *reinterpret_cast<int32_t*>(os_thread + thread_id_);
}

uintptr_t ThreadWatch::JavaThreadOf(JNIEnv* jni, jthread thread) const {
  return static_cast<uintptr_t>(jni->GetLongField(thread, eetop_));
}

ThreadSlot* ThreadWatch::AddLocked(JNIEnv* jni, jthread thread, uintptr_t java_thread) {
  ThreadSlot* slot = table_->Add(java_thread);
  if (slot == nullptr) {
    refused_++;
    return nullptr;
  }
  uintptr_t base = *reinterpret_cast<uintptr_t*>(java_thread + stack_base_);
  uintptr_t size = *reinterpret_cast<uintptr_t*>(java_thread + stack_size_);
  slot->stack_limit = base - size + kStackReserve;
  slot->env = reinterpret_cast<void*>(java_thread + env_offset_);
  // The kernel's encoding of a thread's CPU clock (posix-timers_types.h: CPUCLOCK_SCHED per thread).
  if (int32_t id = ThreadId(java_thread)) slot->cpu_clock = (~id << 3) | 6;
  if (slot->number < kMaxNames) {
    if (names_.size() <= slot->number) names_.resize(slot->number + 1);
    jvmtiThreadInfo info{};
    if (jvmti_->GetThreadInfo(thread, &info) == JVMTI_ERROR_NONE) {
      names_[slot->number] = info.name;
      jvmti_->Deallocate(reinterpret_cast<unsigned char*>(info.name));
      if (info.thread_group != nullptr) jni->DeleteLocalRef(info.thread_group);
      if (info.context_class_loader != nullptr) jni->DeleteLocalRef(info.context_class_loader);
    }
  }
  return slot;
}

void ThreadWatch::Begin() {
  std::lock_guard lock(mutex_);
  left_over_ = RemoveAllLocked();
  table_->RestartNumbers();
  names_.clear();
  ended_.clear();
  refused_ = 0;
  remembering_ = true;
}

void ThreadWatch::AddAll(JNIEnv* jni) {
  {
    std::lock_guard lock(mutex_);
    following_ = true;
  }
  jint count = 0;
  jthread* threads = nullptr;
  if (jvmti_->GetAllThreads(&count, &threads) == JVMTI_ERROR_NONE) {
    for (jint i = 0; i < count; i++) {
      // A thread that ends now either is in ended_ before we look, or finds its slot when it ends.
      std::lock_guard lock(mutex_);
      uintptr_t java_thread = JavaThreadOf(jni, threads[i]);
      if (java_thread != 0 && !ended_.contains(java_thread)) AddLocked(jni, threads[i], java_thread);
      jni->DeleteLocalRef(threads[i]);
    }
    jvmti_->Deallocate(reinterpret_cast<unsigned char*>(threads));
  }
  std::lock_guard lock(mutex_);
  remembering_ = false;
  ended_.clear();
}

// One that starts before AddAll is found there.
void ThreadWatch::OnStart(JNIEnv* jni, jthread thread, const Function& fill) {
  std::lock_guard lock(mutex_);
  const uintptr_t java_thread = JavaThreadOf(jni, thread);
  ended_.erase(java_thread);
  if (!following_) return;
  if (java_thread == 0 || java_thread != CurrentJavaThread(jni)) {
    refused_++;
    return;
  }
  if (ThreadSlot* slot = AddLocked(jni, thread, java_thread)) fill(*slot);
}

ThreadSlot* ThreadWatch::Current(JNIEnv* jni) { return table_->Find(CurrentJavaThread(jni)); }

void ThreadWatch::OnEnd(JNIEnv* jni, const Function& empty) {
  std::lock_guard lock(mutex_);
  const uintptr_t java_thread = CurrentJavaThread(jni);
  if (remembering_) ended_.insert(java_thread);
  if (ThreadSlot* slot = table_->Find(java_thread)) empty(*slot);
  table_->Remove(java_thread);
}

void ThreadWatch::RemoveAll() {
  std::lock_guard lock(mutex_);
  following_ = remembering_ = false;
  RemoveAllLocked();
}

uint64_t ThreadWatch::RemoveAllLocked() {
  uint64_t removed = 0;
  for (uint32_t i = 0; i < table_->high_water(); i++) {
    const uintptr_t thread = table_->slot(i).thread.load();
    if (thread == 0) continue;
    table_->Remove(thread);
    removed++;
  }
  return removed;
}

std::vector<std::string> ThreadWatch::names() const {
  std::lock_guard lock(mutex_);
  return names_;
}

}  // namespace assay::sampling
