// The whole of counter-based sampling on one HotSpot VM: proves and installs a yieldpoint, follows
// threads and compiled code, ticks, and accounts for what the hooks report. One per process; starts
// and stops any number of times; Stop leaves the VM as it was.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "src/profile/profile.h"
#include "src/sampling/burst_ledger.h"
#include "src/sampling/call_counter.h"
#include "src/sampling/cpu_timers.h"
#include "src/sampling/doctor_report.h"
#include "src/sampling/hotspot/compiled_methods.h"
#include "src/sampling/hotspot/hooks.h"
#include "src/sampling/hotspot/running_code.h"
#include "src/sampling/hotspot/site_resolver.h"
#include "src/sampling/hotspot/thread_watch.h"
#include "src/sampling/hotspot/yieldpoints.h"
#include "src/sampling/mark_keeper.h"
#include "src/sampling/tick_thread.h"

namespace assay::sampling {

enum class Via { kAuto, kEntry, kReturn, kProbe };

struct SamplerSettings {
  uint64_t tick_ns = 500000;
  uint32_t samples = 16;
  uint32_t stride = 3;
  bool split = false;  // see BurstParameters
  uint32_t depth = 2;
  bool exhaustive = false;
  Correction correction = Correction::kFull;
  Via via = Via::kAuto;
  Ticker ticker = Ticker::kRemote;
  bool keep_marks = false;  // where the VM takes them and the remote ticker ticks: see MarkKeeper
  uint64_t seed = 1;
  // Makes the yieldpoint for kProbe, and for kAuto where no other proves itself.
  std::function<Result<std::unique_ptr<Yieldpoint>>()> make_probe;
  bool keep_bodies = false;  // of methods, for VisitBodies
  bool by_counter = false;   // density from the processor's counter of calls
};

class CallSampler {
 public:
  static CallSampler& Get();

  // Takes the capabilities that have to be taken early. Optional.
  Status Prepare(JavaVM* vm);
  // On a Java thread in native code, live phase.
  Status Start(JavaVM* vm, JNIEnv* jni, const SamplerSettings& settings);
  Status Reconfigure(const SamplerSettings& settings);
  void Stop(JNIEnv* jni, bool vm_is_ending);
  // On a thread that the VM knows: accounts for what CPU timers brought, and names new methods. To be called so often.
  void Attend(JNIEnv* jni);
  uint64_t AttendEveryNs() const;
  void Snapshot(JNIEnv* jni, profile::Profile& profile);
  // After the last Snapshot: gives back the memory that the session needed.
  void Release();

  // The slot of the calling thread; null when it is not followed. While running.
  ThreadSlot* SlotOf(JNIEnv* jni) { return watch_->Current(jni); }

  uint64_t bursts() {
    std::lock_guard lock(ledger_mutex_);
    return ledger_.bursts();
  }
  // CPU time that sampling took in this session: from the program's threads, as far as can be told, and in the thread that ticks.
  double TakenNs();
  // After a snapshot.
  void VisitBodies(const SiteResolver::BodyVisitor& visit);

  DoctorReport Examine(JavaVM* vm, JNIEnv* jni);

 private:
  CallSampler() = default;
  Status Open(JavaVM* vm);
  Status Load(JNIEnv* jni);
  void ApplyParameters();
  void SetEvents(jvmtiEventMode mode);
  void StopLocked(JNIEnv* jni, bool vm_is_ending);
  // Installs what the settings ask for, if the VM's code already proves it. In the event callbacks
  // classes cannot be rewritten: there probes are only noted as what is needed.
  enum class Where { kJavaThread, kCallback };
  void TryInstall(Where where);
  void InstallProbes();
  void Use(std::unique_ptr<Yieldpoint> yieldpoint);
  Result<std::unique_ptr<Yieldpoint>> Choose(bool* undecided);
  static bool RunAtSafepoint(void* self, void (*function)(void*), void* argument);

  static void OnTick(void* self, uint64_t elapsed_ns);
  void Tick(uint64_t elapsed_ns);
  void LookAtNext();
  void TickThreads(Yieldpoint& yieldpoint, uint64_t elapsed_ns);
  void KeepMarks(Yieldpoint& yieldpoint);
  static void OnCpuTick(ThreadSlot& slot, uint64_t elapsed_ns, void* context);
  void TickThreadInJava(Yieldpoint& yieldpoint, ThreadSlot& slot, uintptr_t thread, uint64_t elapsed_ns);
  // CPU timers where they are asked for and to be had.
  Status UseTicker();
  static uint64_t ClaimInterval(ThreadSlot& slot);
  void Account(bool may_ask);
  void DisarmAll();
  void TakeOut(bool vm_is_ending);
  void GiveUp(const char* why);
  void SetRefusal(std::string why);
  void CountInlined();

  static void JNICALL CompiledMethodLoad(jvmtiEnv*, jmethodID, jint, const void*, jint,
                                         const jvmtiAddrLocationMap*, const void*);
  static void JNICALL CompiledMethodUnload(jvmtiEnv*, jmethodID, const void*);
  static void JNICALL DynamicCode(jvmtiEnv*, const char*, const void*, jint);
  static void JNICALL ThreadStart(jvmtiEnv*, JNIEnv*, jthread);
  static void JNICALL ThreadEnd(jvmtiEnv*, JNIEnv*, jthread);
  static void JNICALL ClassLoad(jvmtiEnv*, JNIEnv*, jthread, jclass) {}
  static void JNICALL ClassPrepare(jvmtiEnv*, JNIEnv*, jthread, jclass);

  JavaVM* vm_ = nullptr;
  jvmtiEnv* jvmti_ = nullptr;
  bool loaded_ = false;
  bool never_compiles_ = false;
  // For signal handlers, where the guard of a local static has no place.
  static inline CallSampler* instance_ = nullptr;
  VmStructs structs_;
  Status described_;  // whether the VM is laid out as it says, as far as entry and return need it
  ThreadStates states_;
  std::unique_ptr<CompiledMethods> methods_;
  std::unique_ptr<ThreadWatch> watch_;
  std::unique_ptr<SiteResolver> resolver_;

  std::mutex control_;  // start, stop, reconfigure, install
  SamplerSettings settings_;
  std::atomic<Yieldpoint*> installed_{nullptr};
  std::atomic<bool> ticking_{false};  // the tick thread may be arming
  std::unique_ptr<Yieldpoint> yieldpoint_;
  std::atomic<bool> pending_{false};
  std::atomic<bool> needs_probes_{false};
  std::string refusal_;
  std::string via_;  // what was installed
  std::string sees_;
  bool running_ = false;
  std::atomic<Ticker> ticks_by_{Ticker::kRemote};
  TickThread ticker_;
  CpuTimers timers_;
  CallCounter counter_;
  std::string counter_name_;  // empty: not used
  RunningCode running_code_;
  MarkKeeper keeper_;
  std::atomic<bool> keeps_marks_{false};
  uint32_t next_look_ = 0;  // slot to look at next

  std::mutex unloaded_mutex_;
  std::vector<uintptr_t> unloaded_;  // compiled code, since the last accounting
  std::atomic<bool> only_inlined_{false};
  std::string inlined_;  // what is known about inlined calls

  std::mutex ledger_mutex_;  // accounting and snapshots
  BurstLedger ledger_;
  uint64_t start_ns_ = 0, start_tsc_ = 0;
  uint64_t since_account_ns_ = 0;
  uint64_t nameless_ = 0;  // samples whose class went before it was named, at the last Attend()
  uint32_t hurry_ = 0;     // calls of Attend() that are to come soon
  std::atomic<uint64_t> ticks_{0}, ticks_in_java_{0}, ticks_unanswered_{0};
  std::atomic<uint64_t> signals_{0};  // ticks by CPU timers
};

}  // namespace assay::sampling
