// Keeps the thread table in step with the VM's threads. A JavaThread is in the table only between
// a moment at which it certainly lives and its ThreadEnd event, which the VM posts before it frees it.
//
// Events that the VM had begun to post when they were switched off still arrive, at any time later: nobody is added outside of a
// session, because nobody would hear of his end, and what a session before may have left is forgotten when one begins.
#pragma once

#include <jvmti.h>

#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "src/base/result.h"
#include "src/sampling/hotspot/vm_structs.h"
#include "src/sampling/thread_table.h"

namespace assay::sampling {

class ThreadWatch {
 public:
  static Result<std::unique_ptr<ThreadWatch>> Make(jvmtiEnv* jvmti, JNIEnv* jni,
                                                   const VmStructs& structs, ThreadTable* table);

  // What to do with the slot of a thread that begins or ends, while nobody gives it to another one. Called with the watch's lock held.
  using Function = std::function<void(ThreadSlot& slot)>;

  // Before the events are switched on: from here on it is remembered who ends.
  void Begin();
  // All platform threads that run now. The events have been on since some safepoint: a thread on its way to its end that was not asked
  // to post it has passed it.
  void AddAll(JNIEnv* jni);
  void OnStart(JNIEnv* jni, jthread thread, const Function& fill);
  // The slot of the calling thread.
  ThreadSlot* Current(JNIEnv* jni);
  // On the ending thread, whether it has a slot or not. `empty` disarms it, cuts its burst and so on.
  void OnEnd(JNIEnv* jni, const Function& empty);
  // Of the calling thread.
  uintptr_t CurrentJavaThread(JNIEnv* jni) const { return reinterpret_cast<uintptr_t>(jni) - static_cast<uintptr_t>(env_offset_); }
  void RemoveAll();

  std::vector<std::string> names() const;
  uint64_t refused() const { return refused_; }
  // Threads that were still followed when this session began. There should be none.
  uint64_t left_over() const { return left_over_; }
  // JavaThread* of a java.lang.Thread, 0 when it has none.
  uintptr_t JavaThreadOf(JNIEnv* jni, jthread thread) const;

 private:
  ThreadWatch(jvmtiEnv* jvmti, ThreadTable* table) : jvmti_(jvmti), table_(table) {}
  ThreadSlot* AddLocked(JNIEnv* jni, jthread thread, uintptr_t java_thread);
  uint64_t RemoveAllLocked();

  jvmtiEnv* jvmti_;
  ThreadTable* table_;
  jfieldID eetop_ = nullptr;
  ptrdiff_t env_offset_ = 0;
  uint64_t stack_base_ = 0, stack_size_ = 0;
  uint64_t os_thread_ = 0, thread_id_ = 0;  // 0: the thread's CPU clock is not used
  int32_t ThreadId(uintptr_t java_thread) const;
  mutable std::mutex mutex_;
  bool following_ = false;     // from AddAll to RemoveAll
  bool remembering_ = false;   // from Begin until AddAll is done
  std::set<uintptr_t> ended_;  // meanwhile
  std::vector<std::string> names_;
  uint64_t refused_ = 0, left_over_ = 0;
};

}  // namespace assay::sampling
