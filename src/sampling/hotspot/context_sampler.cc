#include "src/sampling/hotspot/context_sampler.h"

#include <time.h>
#include <x86intrin.h>

#include <algorithm>
#include <cstring>

#include "src/sampling/hotspot/at_safepoint.h"
#include "src/sampling/watermark.h"
#include "src/sampling/hotspot/sampling_environment.h"

namespace assay::sampling {
namespace {

constexpr uint64_t kAccountEveryNs = 20000000;
// Threads that seem to wait are looked at in one of so many ticks.
constexpr uint64_t kWaitingStride = 8;
constexpr int32_t kInVm = 6, kInJava = 8;

// For signal handlers and hooks, where the guard of a local static has no place.
ContextSampler* g_sampler = nullptr;

void SleepMs(int ms) {
  timespec time = {0, ms * 1000000};
  nanosleep(&time, nullptr);
}

uint64_t ClockNs(clockid_t clock) {
  timespec time;
  if (clock_gettime(clock, &time) != 0) return 0;
  return time.tv_sec * 1000000000ull + time.tv_nsec;
}

}  // namespace

ContextSampler& ContextSampler::Get() {
  static ContextSampler* sampler = g_sampler = new ContextSampler;  // callbacks outlive everything
  return *sampler;
}

Status ContextSampler::Open(JavaVM* vm) {
  if (jvmti_ != nullptr) return {};
  jvmtiEventCallbacks callbacks{};
  callbacks.CompiledMethodLoad = CompiledMethodLoad;
  callbacks.CompiledMethodUnload = CompiledMethodUnload;
  callbacks.DynamicCodeGenerated = DynamicCode;
  callbacks.ThreadStart = ThreadStart;
  callbacks.ThreadEnd = ThreadEnd;
  callbacks.ClassLoad = ClassLoad;
  callbacks.ClassPrepare = ClassPrepare;
  ASSAY_ASSIGN(jvmti_, OpenSamplingEnvironment(vm, callbacks));
  vm_ = vm;
  compiled_ = std::make_unique<CompiledMethods>(jvmti_);
  return {};
}

Status ContextSampler::Load(JNIEnv* jni) {
  HookContext& hooks = Hooks();
  if (!hooks.threads.Init()) return Error{"not enough address space"};
  if (loaded_) return {};
  ASSAY_ASSIGN(structs_, DescribeVmToHooks(jni));
  ASSAY_TRY(interpreted_.Load(structs_, jvmti_, jni));
  ASSAY_TRY(recorder_.walker.Load(structs_, &hooks.code, &interpreted_, hooks.call_stub_return));
  ASSAY_ASSIGN(watch_, ThreadWatch::Make(jvmti_, jni, structs_, &hooks.threads));
  loaded_ = true;
  return {};
}

void ContextSampler::SetEvents(jvmtiEventMode mode) {
  SetSamplingEvents(jvmti_, mode);
}

void ContextSampler::Apply() {
  recorder_.max_frames = std::clamp(settings_.max_frames, 1u, ContextTrail::kFrames - 1);
  recorder_.wall = settings_.wall;
  recorder_.verify = settings_.verify && Hooks().walker != nullptr;
}

Status ContextSampler::Start(JavaVM* vm, JNIEnv* jni, const ContextSettings& settings) {
  std::lock_guard control(control_);
  if (running_) return Error{"contexts are already being sampled in this JVM"};
  ASSAY_TRY(Open(vm));
  ASSAY_TRY(Load(jni));
  HookContext& hooks = Hooks();
  settings_ = settings;
  {
    std::lock_guard lock(ledger_mutex_);
    compiled_->Restart();
    ledger_ = std::make_unique<ContextLedger>(compiled_.get(), &interpreted_);
    start_ns_ = MonotonicNs();
    start_tsc_ = __rdtsc();
    ledger_->SetHalfLife(settings_.half_life_ns, start_ns_);
    since_account_ns_ = ticks_ = signals_sent_ = threads_without_memory_ = 0;
  }
  recorder_.ResetCounters();
  Apply();
  ASSAY_TRY(signals_.Open(OnSignal));
  running_ = true;
  SetEvents(JVMTI_ENABLE);
  jvmti_->GenerateEvents(JVMTI_EVENT_DYNAMIC_CODE_GENERATED);
  jvmti_->GenerateEvents(JVMTI_EVENT_COMPILED_METHOD_LOAD);
  auto interpreter = compiled_->interpreter();
  recorder_.walker.SetInterpreter(interpreter.begin, interpreter.end);
  hooks.interpreter_begin = interpreter.begin;
  hooks.interpreter_end = interpreter.end;
  AddLoadedClasses(jni);
  watch_->AddAll(jni);
  for (uint32_t i = 0; i < hooks.threads.high_water(); i++) {
    if (hooks.threads.slot(i).thread != 0) GiveTrail(hooks.threads.slot(i));
  }
  hooks.on_return = OnReturn;
  hooks.active = true;
  refusal_.clear();
  via_.clear();
  pending_ = settings_.watermark;
  if (!settings_.watermark) refusal_ = "not wanted";
  TryInstall();
  Status status = ticker_.Start(OnTick, this, settings_.tick_ns, settings_.seed);
  if (!status.ok()) {
    hooks.active = false;
    pending_ = false;
    Uninstall();
    signals_.Close();
    SetEvents(JVMTI_DISABLE);
    watch_->RemoveAll();
    running_ = false;
  }
  return status;
}

// Without the watermark every walk is a whole one: slower, and activations are told by looks.
void ContextSampler::TryInstall() {
  if (!pending_) return;
  auto at_safepoint = [](void* self, void (*function)(void*), void* argument) {
    auto* sampler = static_cast<ContextSampler*>(self);
    return RunAtSafepoint(sampler->vm_, sampler->jvmti_, function, argument);
  };
  YieldpointSources sources{compiled_.get(), &structs_, at_safepoint, this};
  bool undecided = false;
  auto made = MakeReturnYieldpoint(sources, &undecided);
  if (!made.ok() && undecided) return;
  pending_ = false;
  if (!made.ok()) {
    refusal_ = made.error().message;
    return;
  }
  if (Status status = (*made)->Install(); !status.ok()) {
    refusal_ = status.error().message;
    return;
  }
  yieldpoint_ = std::move(*made);
  via_ = yieldpoint_->name();
  installed_ = true;
  recorder_.marks = true;
}

void ContextSampler::Uninstall() {
  recorder_.marks = false;
  if (!installed_.exchange(false)) return;
  HookContext& hooks = Hooks();
  auto disarm_all = [&] {
    for (uint32_t i = 0; i < hooks.threads.high_water(); i++) {
      SlotPin pin(hooks.threads.slot(i));
      if (pin.thread() != 0) Watermark::Remove(hooks.PollWord(pin.thread()));
    }
  };
  disarm_all();
  SleepMs(2);  // a thread in a hook or handler may still have marked itself
  disarm_all();
  yieldpoint_->Remove(false);
  SleepMs(2);
}

void ContextSampler::GiveUp(const char* why) {
  refusal_ = why;
  Uninstall();
}

Status ContextSampler::Reconfigure(const ContextSettings& settings) {
  std::lock_guard control(control_);
  if (!running_) return Error{"not running"};
  if (settings.wall != settings_.wall) return Error{"clock cannot be changed while running"};
  if (settings.watermark != settings_.watermark)
    return Error{"watermark cannot be changed while running"};
  std::lock_guard lock(ledger_mutex_);
  if (settings.half_life_ns != settings_.half_life_ns) {
    ledger_->SetHalfLife(settings.half_life_ns, MonotonicNs());
  }
  settings_ = settings;
  Apply();
  ticker_.set_period(settings_.tick_ns);
  return {};
}

ContextTrail* ContextSampler::TrailOf(const ThreadSlot& slot) const {
  auto index = static_cast<size_t>(&slot - &Hooks().threads.slot(0));
  return index < ThreadTable::kSlots ? trails_[index].load(std::memory_order_acquire) : nullptr;
}

bool ContextSampler::GiveTrail(ThreadSlot& slot) {
  auto index = static_cast<size_t>(&slot - &Hooks().threads.slot(0));
  ContextTrail* trail = trails_[index].load();
  std::lock_guard lock(ledger_mutex_);
  if (trail == nullptr) {
    trail = ContextTrail::Map();
  } else {
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

void ContextSampler::OnTick(void* self, uint64_t elapsed_ns) {
  static_cast<ContextSampler*>(self)->Tick(elapsed_ns);
}

// With the slot pinned. A thread is interrupted when it has run for a tick since its last sample.
// By the wall clock, one that has not run at all since stands where it stood.
void ContextSampler::TickOne(ThreadSlot& slot, ContextTrail& trail, uintptr_t thread) {
  int32_t state = recorder_.walker.State(thread) & ~1;
  bool runs = state == kInJava || state == kInVm;
  if (!runs && !settings_.wall && (ticks_ + slot.number) % kWaitingStride != 0) return;
  if (slot.cpu_clock == 0) return;
  uint64_t cpu = ClockNs(slot.cpu_clock);
  if (cpu == 0) return;
  uint64_t seen = trail.seen_cpu_ns.load(std::memory_order_relaxed);
  if (settings_.wall && cpu == seen) {
    uint64_t now = MonotonicNs();
    uint64_t before = trail.accounted_ns.exchange(now, std::memory_order_relaxed);
    if (now > before) trail.idle_ns.fetch_add(now - before, std::memory_order_relaxed);
    return;
  }
  if (!settings_.wall && cpu - seen < settings_.tick_ns) return;
  if (trail.signalled.exchange(true, std::memory_order_relaxed)) return;
  if (signals_.Send(slot)) {
    signals_sent_++;
  } else {
    trail.signalled.store(false, std::memory_order_relaxed);
  }
}

void ContextSampler::Tick(uint64_t elapsed_ns) {
  HookContext& hooks = Hooks();
  ticks_++;
  for (uint32_t i = 0; i < hooks.threads.high_water(); i++) {
    ThreadSlot& slot = hooks.threads.slot(i);
    if (slot.thread.load(std::memory_order_relaxed) == 0) continue;
    SlotPin pin(slot);
    ContextTrail* trail = TrailOf(slot);
    if (pin.thread() != 0 && trail != nullptr) TickOne(slot, *trail, pin.thread());
  }
  own_cpu_ns_.store(ClockNs(CLOCK_THREAD_CPUTIME_ID), std::memory_order_relaxed);
  since_account_ns_ += elapsed_ns;
  if (since_account_ns_ >= kAccountEveryNs) {
    since_account_ns_ = 0;
    Account();
  }
}

void ContextSampler::Account() {
  std::lock_guard lock(ledger_mutex_);
  ledger_->Advance(MonotonicNs());
  HookContext& hooks = Hooks();
  for (uint32_t i = 0; i < hooks.threads.high_water(); i++) {
    ThreadSlot& slot = hooks.threads.slot(i);
    ContextTrail* trail = TrailOf(slot);
    if (slot.thread.load() != 0 && trail != nullptr) ledger_->Drain(slot.number, *trail, false);
  }
  ledger_->Tidy(settings_.max_contexts);
}

void ContextSampler::OnSignal(ThreadSlot& slot, void* context) {
  if (ContextTrail* trail = g_sampler->TrailOf(slot))
    g_sampler->recorder_.OnTick(slot, *trail, context);
}

int ContextSampler::OnReturn(uintptr_t* return_slot, uintptr_t thread, uintptr_t caller_fp) {
  HookContext& hooks = Hooks();
  ThreadSlot* slot = hooks.threads.Find(thread);
  ContextTrail* trail = slot == nullptr ? nullptr : g_sampler->TrailOf(*slot);
  if (trail == nullptr) {
    Watermark::Remove(hooks.PollWord(thread));
    return 0;
  }
  return g_sampler->recorder_.OnReturn(*slot, *trail, return_slot, caller_fp);
}

void ContextSampler::Stop() {
  std::lock_guard control(control_);
  if (!running_) return;
  HookContext& hooks = Hooks();
  hooks.active = false;
  pending_ = false;
  ticker_.Stop();
  signals_.Close();
  Uninstall();
  hooks.on_return = nullptr;
  SetEvents(JVMTI_DISABLE);
  {
    std::lock_guard lock(ledger_mutex_);
    for (uint32_t i = 0; i < hooks.threads.high_water(); i++) {
      ThreadSlot& slot = hooks.threads.slot(i);
      ContextTrail* trail = TrailOf(slot);
      if (slot.thread.load() != 0 && trail != nullptr) ledger_->Drain(slot.number, *trail, true);
    }
  }
  watch_->RemoveAll();
  running_ = false;
}

void ContextSampler::BeginSegment() {
  std::lock_guard lock(ledger_mutex_);
  if (ledger_ == nullptr) return;
  ledger_->BeginSegment();
  recorder_.ResetCounters();
}

void ContextSampler::Snapshot(JNIEnv* jni, profile::Profile& profile) {
  std::lock_guard lock(ledger_mutex_);
  if (ledger_ == nullptr) return;
  bool framed = jni != nullptr && jni->PushLocalFrame(4096) == 0;
  ledger_->Fill(profile);
  if (framed) jni->PopLocalFrame(nullptr);
  profile.threads = watch_->names();
  const ContextRecorder::Counters& counters = recorder_.counters;
  auto lost = [&](const char* reason, uint64_t count) {
    if (count > 0) profile.lost[reason] = count;
  };
  lost("ticks whose frames were not clear and that met no return",
       counters.deferred - std::min(counters.deferred.load(), counters.deferred_taken.load()));
  lost("ticks while Assay itself ran", counters.busy);
  lost("ticks without room for the sample", counters.no_room);
  lost("ticks in threads without Java frames", counters.no_frames);
  lost("walks that broke off", counters.broken);
  lost("stacks deeper than max-frames, kept detached", counters.detached_depth);
  lost("stacks with frames outside, kept detached", counters.detached_outside);
  lost("threads not followed", watch_->refused() + threads_without_memory_);
  lost("methods not known to the interpreter's table", interpreted_.refused());
  auto& metadata = profile.metadata;
  metadata["watermark"] = !refusal_.empty() ? "none: " + refusal_
                          : via_.empty()    ? "none yet"
                                            : via_;
  metadata["calls-seen"] = "activations newly seen by samples";
  metadata["ticks"] = std::to_string(ticks_);
  metadata["signals"] = std::to_string(signals_sent_);
  metadata["walks-to-the-mark"] = std::to_string(counters.trusted_walks);
  metadata["walks-whole"] = std::to_string(counters.whole_walks);
  metadata["frames-walked"] = std::to_string(counters.frames_walked);
  metadata["marks-lost"] = std::to_string(counters.marks_lost);
  metadata["marks-passed"] = std::to_string(counters.returns);
  metadata["samples-at-return"] = std::to_string(counters.deferred_taken);
  uint64_t ns = MonotonicNs() - start_ns_, cycles = __rdtsc() - start_tsc_;
  double scale = cycles == 0 ? 0 : static_cast<double>(ns) / static_cast<double>(cycles);
  if (counters.oracle_walks > 0) {
    metadata["oracle-median-ns"] = std::to_string(counters.oracle_by_cycles.Median() * scale);
    metadata["oracle-walks"] = std::to_string(counters.oracle_walks);
    metadata["oracle-ms"] =
        std::to_string(static_cast<double>(counters.oracle_cycles) * scale / 1e6);
  }
  metadata["walk-median-ns"] = std::to_string(counters.samples_by_cycles.Median() * scale);
  metadata["walk-ms"] = std::to_string(static_cast<double>(counters.walk_cycles) * scale / 1e6);
  metadata["assay-cpu-ms"] = std::to_string(static_cast<double>(own_cpu_ns_.load()) / 1e6);
  metadata["hook-ms"] = std::to_string(static_cast<double>(counters.hook_cycles) * scale / 1e6);
}

Mechanism ContextSampler::Examine(JavaVM* vm, JNIEnv* jni) {
  std::lock_guard control(control_);
  Status status = Open(vm);
  if (status.ok()) status = Load(jni);
  if (!status.ok()) return {"walker", false, status.error().message};
  return {
      "walker", true,
      "frames of compiled and interpreted code; walks end at the watermark where \"return\" works"};
}

void JNICALL ContextSampler::CompiledMethodLoad(jvmtiEnv*, jmethodID method, jint size,
                                                const void* code, jint, const jvmtiAddrLocationMap*,
                                                const void* info) {
  ContextSampler& self = Get();
  self.compiled_->OnLoad(method, code, static_cast<uint32_t>(size), info);
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

void JNICALL ContextSampler::ThreadStart(jvmtiEnv*, JNIEnv* jni, jthread thread) {
  ContextSampler& self = Get();
  if (ThreadSlot* slot = self.watch_->OnStart(jni, thread)) self.GiveTrail(*slot);
}

void JNICALL ContextSampler::ThreadEnd(jvmtiEnv*, JNIEnv* jni, jthread) {
  ContextSampler& self = Get();
  ThreadSlot* slot = self.watch_->Current(jni);
  if (slot == nullptr) return;
  ContextTrail* trail = self.TrailOf(*slot);
  if (trail != nullptr) {
    trail->busy.store(true);  // no sample until the slot has a new owner
    if (self.installed_) Watermark::Remove(Hooks().PollWord(slot->thread.load()));
    std::lock_guard lock(self.ledger_mutex_);
    self.ledger_->Drain(slot->number, *trail, true);
    self.ledger_->EndThread(slot->number);
  }
  self.watch_->OnEnd(jni);
}

void ContextSampler::AddLoadedClasses(JNIEnv* jni) {
  jint count = 0;
  jclass* classes = nullptr;
  if (jvmti_->GetLoadedClasses(&count, &classes) != JVMTI_ERROR_NONE) return;
  for (jint i = 0; i < count; i++) {
    ClassPrepare(jvmti_, jni, nullptr, classes[i]);
    jni->DeleteLocalRef(classes[i]);
  }
  jvmti_->Deallocate(reinterpret_cast<unsigned char*>(classes));
}

void ContextSampler::FindContinuation(jclass type) {
  char* signature = nullptr;
  if (jvmti_->GetClassSignature(type, &signature, nullptr) != JVMTI_ERROR_NONE) return;
  bool found = strcmp(signature, "Ljdk/internal/vm/Continuation;") == 0;
  jvmti_->Deallocate(reinterpret_cast<unsigned char*>(signature));
  jint count = 0;
  jmethodID* methods = nullptr;
  if (!found || jvmti_->GetClassMethods(type, &count, &methods) != JVMTI_ERROR_NONE) return;
  for (jint i = 0; i < count; i++) {
    char* name = nullptr;
    if (jvmti_->GetMethodName(methods[i], &name, nullptr, nullptr) != JVMTI_ERROR_NONE) continue;
    if (strcmp(name, "enterSpecial") == 0) {
      recorder_.continuation_entry = *reinterpret_cast<uintptr_t*>(methods[i]);
    }
    jvmti_->Deallocate(reinterpret_cast<unsigned char*>(name));
  }
  jvmti_->Deallocate(reinterpret_cast<unsigned char*>(methods));
}

void JNICALL ContextSampler::ClassPrepare(jvmtiEnv* jvmti, JNIEnv*, jthread, jclass type) {
  ContextSampler& self = Get();
  self.interpreted_.AddClass(jvmti, type);
  if (self.recorder_.continuation_entry == 0) self.FindContinuation(type);
}

}  // namespace assay::sampling
