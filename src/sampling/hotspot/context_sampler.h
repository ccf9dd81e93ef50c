// The whole of context sampling (P4) on one HotSpot VM: proves the frame walker and the return
// poll, follows threads, classes and compiled code, ticks, and keeps the tree. One per process;
// starts and stops any number of times; Stop leaves the VM as it was.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "src/profile/profile.h"
#include "src/sampling/cpu_timers.h"
#include "src/sampling/doctor_report.h"
#include "src/sampling/hotspot/compiled_methods.h"
#include "src/sampling/hotspot/context_ledger.h"
#include "src/sampling/hotspot/context_recorder.h"
#include "src/sampling/hotspot/thread_watch.h"
#include "src/sampling/hotspot/yieldpoints.h"
#include "src/sampling/thread_signals.h"
#include "src/sampling/tick_thread.h"

namespace assay::sampling {

struct ContextSettings {
  uint64_t tick_ns = 4000000;
  bool wall = false;
  Ticker ticker = Ticker::kRemote;
  uint32_t max_frames = 10000;
  uint64_t half_life_ns = 0;
  size_t max_contexts = 500000;
  bool watermark = true;
  bool verify = false;
  uint64_t seed = 1;
};

class ContextSampler {
 public:
  static ContextSampler& Get();

  Status Prepare(JavaVM* vm) { return Open(vm); }
  // On a Java thread in native code, live phase.
  Status Start(JavaVM* vm, JNIEnv* jni, const ContextSettings& settings);
  Status Reconfigure(const ContextSettings& settings);
  void Stop();
  void Snapshot(JNIEnv* jni, profile::Profile& profile);
  // What was seen so far is done with: the next snapshot begins at zero, for another profile.
  void BeginSegment();

  // Whether stacks can be walked here, and why not.
  Mechanism Examine(JavaVM* vm, JNIEnv* jni);

 private:
  ContextSampler() = default;
  Status Open(JavaVM* vm);
  Status Load(JNIEnv* jni);
  void Apply();
  void SetEvents(jvmtiEventMode mode);
  void TryInstall();
  void Uninstall();
  void GiveUp(const char* why);
  ContextTrail* TrailOf(const ThreadSlot& slot) const;
  bool GiveTrail(ThreadSlot& slot);
  void Found(const char* via, std::string refusal);
  void FindContinuation(JNIEnv* jni, jclass type);

  Status UseTicks();
  static void OnTick(void* self, uint64_t elapsed_ns);
  static void OnCpuTick(ThreadSlot& slot, uint64_t elapsed_ns, void* context);
  void Tick(uint64_t elapsed_ns);
  void Interrupt();
  void TickOne(ThreadSlot& slot, ContextTrail& trail, uintptr_t thread);
  void Account();
  void ReportLosses(profile::Profile& profile) const;
  void ReportCosts(profile::Profile& profile) const;
  static void OnSignal(ThreadSlot& slot, void* context);
  static int OnReturn(uintptr_t* return_slot, uintptr_t thread, uintptr_t caller_fp);

  static void JNICALL CompiledMethodLoad(jvmtiEnv*, jmethodID, jint, const void*, jint,
                                         const jvmtiAddrLocationMap*, const void*);
  static void JNICALL CompiledMethodUnload(jvmtiEnv*, jmethodID, const void*);
  static void JNICALL DynamicCode(jvmtiEnv*, const char*, const void*, jint);
  static void JNICALL ThreadStart(jvmtiEnv*, JNIEnv*, jthread);
  static void JNICALL ThreadEnd(jvmtiEnv*, JNIEnv*, jthread);
  static void JNICALL ClassLoad(jvmtiEnv*, JNIEnv*, jthread, jclass) {}
  static void JNICALL ClassPrepare(jvmtiEnv*, JNIEnv*, jthread, jclass);

  // For signal handlers and hooks, where the guard of a local static has no place.
  static ContextSampler* instance_;

  JavaVM* vm_ = nullptr;
  jvmtiEnv* jvmti_ = nullptr;
  bool loaded_ = false;
  VmStructs structs_;
  InterpretedMethods interpreted_;
  std::unique_ptr<CompiledMethods> compiled_;
  std::unique_ptr<ThreadWatch> watch_;
  ContextRecorder recorder_;
  std::atomic<ContextTrail*> trails_[ThreadTable::kSlots] = {};

  std::mutex control_;  // start, stop, reconfigure, install
  ContextSettings settings_;
  bool running_ = false;
  std::unique_ptr<Yieldpoint> yieldpoint_;
  std::atomic<bool> installed_{false};
  std::atomic<bool> pending_{false};
  std::string refusal_;
  std::string via_;  // what was installed
  TickThread ticker_;
  CpuTimers timers_;
  std::atomic<bool> by_timers_{false};
  ThreadSignals signals_;

  std::mutex ledger_mutex_;
  std::unique_ptr<ContextLedger> ledger_;
  uint64_t start_ns_ = 0, start_tsc_ = 0, since_account_ns_ = 0;
  std::atomic<uint64_t> ticks_{0};
  uint64_t signals_sent_ = 0;
  std::atomic<uint64_t> own_cpu_ns_{0};  // of the tick thread
  uint64_t threads_without_memory_ = 0;
};

}  // namespace assay::sampling
