// Keeps the thread table in step with the VM's threads. A JavaThread is in the table only between
// a moment at which it certainly lives and its ThreadEnd event, which the VM posts before it frees it.
#pragma once

#include <jvmti.h>

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

  // All platform threads that run now; their events must be enabled already.
  void AddAll(JNIEnv* jni);
  ThreadSlot* OnStart(JNIEnv* jni, jthread thread);
  // The slot of the calling thread.
  ThreadSlot* Current(JNIEnv* jni);
  // On the ending thread; its slot has been emptied (disarmed, burst cut).
  void OnEnd(JNIEnv* jni);
  void RemoveAll();

  std::vector<std::string> names() const;
  uint64_t refused() const { return refused_; }
  // JavaThread* of a java.lang.Thread, 0 when it has none.
  uintptr_t JavaThreadOf(JNIEnv* jni, jthread thread) const;

 private:
  ThreadWatch(jvmtiEnv* jvmti, ThreadTable* table) : jvmti_(jvmti), table_(table) {}
  ThreadSlot* AddLocked(JNIEnv* jni, jthread thread, uintptr_t java_thread);

  jvmtiEnv* jvmti_;
  ThreadTable* table_;
  jfieldID eetop_ = nullptr;
  ptrdiff_t env_offset_ = 0;
  uint64_t stack_base_ = 0, stack_size_ = 0;
  uint64_t os_thread_ = 0, thread_id_ = 0;  // 0: the thread's CPU clock is not used
  int32_t ThreadId(uintptr_t java_thread) const;
  mutable std::mutex mutex_;
  bool enumerating_ = false;
  std::set<uintptr_t> ended_;  // while enumerating
  std::vector<std::string> names_;
  uint64_t refused_ = 0;
};

}  // namespace assay::sampling
