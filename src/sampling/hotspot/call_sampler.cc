#include "src/sampling/hotspot/call_sampler.h"

#include <time.h>
#include <x86intrin.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "src/sampling/hotspot/at_safepoint.h"
#include "src/sampling/hotspot/sampling_environment.h"

namespace assay::sampling {
namespace {

// JavaThreadState::_thread_in_Java and its transition (globalDefinitions.hpp).
constexpr int32_t kInJava = 8;
constexpr uint64_t kAccountEveryNs = 20000000;
constexpr uint64_t kExhaustiveTickNs = 20000;

// For signal handlers, where the guard of a local static has no place.
CallSampler* g_sampler = nullptr;

// With -Xint there will never be compiled code to prove a yieldpoint by.
bool NeverCompiles(jvmtiEnv* jvmti) {
  char* info = nullptr;
  if (jvmti->GetSystemProperty("java.vm.info", &info) != JVMTI_ERROR_NONE) return false;
  bool never = strstr(info, "interpreted mode") != nullptr;
  jvmti->Deallocate(reinterpret_cast<unsigned char*>(info));
  return never;
}

void SleepMs(int ms) {
  timespec time = {0, ms * 1000000};
  nanosleep(&time, nullptr);
}

}  // namespace

CallSampler& CallSampler::Get() {
  static CallSampler* sampler = g_sampler = new CallSampler;  // callbacks outlive everything
  return *sampler;
}

Status CallSampler::Open(JavaVM* vm) {
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
  methods_ = std::make_unique<CompiledMethods>(jvmti_);
  never_compiles_ = NeverCompiles(jvmti_);
  return {};
}

Status CallSampler::Prepare(JavaVM* vm) { return Open(vm); }

Status CallSampler::Load(JNIEnv* jni) {
  HookContext& hooks = Hooks();
  if (!hooks.threads.Init() || !hooks.sites.Init() || !hooks.queue.Init()) {
    return Error{"not enough address space"};
  }
  if (!loaded_) {
    ASSAY_ASSIGN(structs_, DescribeVmToHooks(jni));
    ASSAY_ASSIGN(state_offset_, structs_.Offset("JavaThread::_thread_state"));
    ASSAY_ASSIGN(watch_, ThreadWatch::Make(jvmti_, jni, structs_, &hooks.threads));
    loaded_ = true;
  }
  return {};
}

void CallSampler::SetEvents(jvmtiEventMode mode) {
  SetSamplingEvents(jvmti_, mode);
}

void CallSampler::ApplyParameters() {
  BurstParameters& parameters = Hooks().parameters;
  parameters.samples = std::max(settings_.samples, 1u);
  parameters.stride = std::max(settings_.stride, 1u);
  parameters.depth = std::clamp(settings_.depth, 2u, kMaxDepth);
  parameters.seed = settings_.seed;
  parameters.exhaustive = settings_.exhaustive;
  ledger_.set_correction(settings_.correction);
  if (resolver_) resolver_->set_depth(parameters.depth);
}

Status CallSampler::Start(JavaVM* vm, JNIEnv* jni, const SamplerSettings& settings) {
  std::lock_guard control(control_);
  if (running_) return Error{"calls are already being sampled in this JVM"};
  ASSAY_TRY(Open(vm));
  ASSAY_TRY(Load(jni));
  HookContext& hooks = Hooks();
  settings_ = settings;
  {
    std::lock_guard lock(ledger_mutex_);
    hooks.sites.RetireAll();
    BurstBlock stale;
    while (hooks.queue.Pop(&stale)) {
    }
    ledger_ = BurstLedger();
    methods_->set_keep_bytecodes(settings_.keep_bodies);
    methods_->Restart();
    resolver_ = std::make_unique<SiteResolver>(&hooks, methods_.get(), &ledger_);
    start_ns_ = MonotonicNs();
    start_tsc_ = __rdtsc();
    since_account_ns_ = 0;
    ApplyParameters();
  }
  if (settings_.ticker == Ticker::kCpu) ASSAY_TRY(timers_.Open(OnCpuTick, settings_.tick_ns));
  running_ = true;
  SetEvents(JVMTI_ENABLE);
  jvmti_->GenerateEvents(JVMTI_EVENT_DYNAMIC_CODE_GENERATED);
  jvmti_->GenerateEvents(JVMTI_EVENT_COMPILED_METHOD_LOAD);
  auto interpreter = methods_->interpreter();
  hooks.interpreter_begin = interpreter.begin;
  hooks.interpreter_end = interpreter.end;
  running_code_.Open(interpreter, hooks.code);
  PrepareMethodIds(jni);
  watch_->AddAll(jni);
  hooks.active = true;
  pending_ = true;
  needs_probes_ = false;
  refusal_.clear();
  via_.clear();
  sees_.clear();
  TryInstall(Where::kJavaThread);
  if (!pending_ && installed_ == nullptr) {
    std::string why = refusal_;
    running_ = false;
    hooks.active = false;
    SetEvents(JVMTI_DISABLE);
    watch_->RemoveAll();
    timers_.Close();
    running_code_.Close();
    return Error{why};
  }
  if (settings_.ticker == Ticker::kCpu) {
    for (uint32_t i = 0; i < hooks.threads.high_water(); i++) {
      if (hooks.threads.slot(i).thread != 0) timers_.Create(hooks.threads.slot(i));
    }
  }
  return ticker_.Start(OnTick, this, ThreadPeriod(), settings_.seed);
}

Result<std::unique_ptr<Yieldpoint>> CallSampler::Choose(bool* undecided) {
  YieldpointSources sources{methods_.get(), &structs_, RunAtSafepoint, this};
  if (settings_.via == Via::kReturn) return MakeReturnYieldpoint(sources, undecided);
  auto entry = MakeEntryYieldpoint(sources, undecided);
  if (entry.ok() || settings_.via == Via::kEntry || *undecided) return entry;
  auto by_return = MakeReturnYieldpoint(sources, undecided);
  if (by_return.ok()) return by_return;
  return Error{entry.error().message + "; " + by_return.error().message};
}

void CallSampler::TryInstall(Where where) {
  if (!pending_) return;
  if (settings_.via == Via::kProbe) return InstallProbes();
  bool undecided = false;
  auto chosen = Choose(&undecided);
  if (!chosen.ok() && undecided && !never_compiles_) return;
  pending_ = false;
  Status status = chosen.ok() ? (*chosen)->Install() : Status(chosen.error());
  if (status.ok()) return Use(std::move(*chosen));
  refusal_ = status.error().message;
  if (settings_.via != Via::kAuto || !settings_.make_probe) return;
  needs_probes_ = true;
  if (where == Where::kJavaThread) InstallProbes();
}

// On a Java thread in native code.
void CallSampler::InstallProbes() {
  needs_probes_ = false;
  pending_ = false;
  auto probe = settings_.make_probe();
  if (probe.ok()) {
    methods_->Restart([yieldpoint = probe->get()](const MethodName& method) {
      return yieldpoint->MovedBy(method.class_name, method.name, method.descriptor);
    });
  }
  Status status = probe.ok() ? (*probe)->Install() : Status(probe.error());
  if (status.ok()) return Use(std::move(*probe));
  methods_->Restart();
  refusal_ += (refusal_.empty() ? "" : "; ") + status.error().message;
}

void CallSampler::Use(std::unique_ptr<Yieldpoint> yieldpoint) {
  // The one before is not freed: a ThreadEnd callback may still hold it.
  static_cast<void>(yieldpoint_.release());
  yieldpoint_ = std::move(yieldpoint);
  via_ = yieldpoint_->name();
  sees_ = yieldpoint_->Sees();
  installed_ = yieldpoint_.get();
}

bool CallSampler::RunAtSafepoint(void* self, void (*function)(void*), void* argument) {
  auto* sampler = static_cast<CallSampler*>(self);
  return sampling::RunAtSafepoint(sampler->vm_, sampler->jvmti_, function, argument);
}

void CallSampler::PrepareMethodIds(JNIEnv* jni) {
  jint count = 0;
  jclass* classes = nullptr;
  if (jvmti_->GetLoadedClasses(&count, &classes) != JVMTI_ERROR_NONE) return;
  for (jint i = 0; i < count; i++) {
    ClassPrepare(jvmti_, jni, nullptr, classes[i]);
    jni->DeleteLocalRef(classes[i]);
  }
  jvmti_->Deallocate(reinterpret_cast<unsigned char*>(classes));
}

Status CallSampler::Reconfigure(const SamplerSettings& settings) {
  std::lock_guard control(control_);
  if (!running_) return Error{"not running"};
  if (settings.via != settings_.via) return Error{"via cannot be changed while running"};
  if (settings.ticker != settings_.ticker) return Error{"ticker cannot be changed while running"};
  std::lock_guard lock(ledger_mutex_);
  settings_ = settings;
  ApplyParameters();
  ticker_.set_period(ThreadPeriod());
  for (uint32_t i = 0; i < Hooks().threads.high_water(); i++) {
    timers_.SetPeriod(Hooks().threads.slot(i), settings_.tick_ns);
  }
  return {};
}

// The time in Java since the thread was last armed: as the ticks saw it, but not more than it ran.
uint64_t CallSampler::ClaimInterval(ThreadSlot& slot) {
  uint64_t seen = std::exchange(slot.seen_ns, 0);
  timespec time;
  if (slot.cpu_clock == 0 || clock_gettime(slot.cpu_clock, &time) != 0) return seen;
  uint64_t cpu = time.tv_sec * 1000000000ull + time.tv_nsec;
  uint64_t before = slot.tick_cpu_ns.exchange(cpu, std::memory_order_relaxed);
  return before == 0 ? seen : std::min(seen, cpu - before);
}

void CallSampler::OnTick(void* self, uint64_t elapsed_ns) {
  static_cast<CallSampler*>(self)->Tick(elapsed_ns);
}

void CallSampler::Tick(uint64_t elapsed_ns) {
  HookContext& hooks = Hooks();
  Yieldpoint* yieldpoint = installed_.load(std::memory_order_acquire);
  bool by_thread = settings_.ticker == Ticker::kRemote || hooks.parameters.exhaustive;
  if (yieldpoint != nullptr && by_thread) {
    bool exhaustive = hooks.parameters.exhaustive.load(std::memory_order_relaxed);
    ticks_.fetch_add(1, std::memory_order_relaxed);
    uint32_t end = hooks.threads.high_water();
    for (uint32_t i = 0; i < end; i++) {
      ThreadSlot& slot = hooks.threads.slot(i);
      if (slot.thread.load(std::memory_order_relaxed) == 0) continue;
      SlotPin pin(slot);
      uintptr_t thread = pin.thread();
      if (thread == 0) continue;
      if (exhaustive) {
        yieldpoint->Arm(thread);
      } else if (*reinterpret_cast<volatile int32_t*>(thread + state_offset_) == kInJava) {
        TickThreadInJava(*yieldpoint, slot, thread, elapsed_ns);
      }
    }
  }
  if (running_code_.IsDue(elapsed_ns)) LookAtNext();
  since_account_ns_ += elapsed_ns;
  if (since_account_ns_ >= kAccountEveryNs) {
    since_account_ns_ = 0;
    Account();
  }
}

// The next thread after the last one looked at that is in Java now.
void CallSampler::LookAtNext() {
  ThreadTable& threads = Hooks().threads;
  const uint32_t end = threads.high_water();
  for (uint32_t i = 0; i < end; i++) {
    ThreadSlot& slot = threads.slot(next_look_++ % end);
    if (slot.thread.load(std::memory_order_relaxed) == 0) continue;
    SlotPin pin(slot);
    if (pin.thread() == 0) continue;
    if (*reinterpret_cast<volatile int32_t*>(pin.thread() + state_offset_) != kInJava) continue;
    return running_code_.LookAt(slot);
  }
}

// With the slot pinned, or on the thread itself.
void CallSampler::TickThreadInJava(Yieldpoint& yieldpoint, ThreadSlot& slot, uintptr_t thread,
                                   uint64_t elapsed_ns) {
  ticks_in_java_.fetch_add(1, std::memory_order_relaxed);
  slot.seen_ns += elapsed_ns;
  if (yieldpoint.IsArmed(thread)) {
    ticks_unanswered_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  slot.java_ns.fetch_add(ClaimInterval(slot), std::memory_order_relaxed);
  slot.tick_tsc.store(__rdtsc(), std::memory_order_relaxed);
  slot.tick_number.fetch_add(1, std::memory_order_release);
  if (yieldpoint.Arm(thread)) arms_.fetch_add(1, std::memory_order_relaxed);
}

// In a signal handler on the slot's thread.
void CallSampler::OnCpuTick(ThreadSlot& slot, uint64_t elapsed_ns) {
  CallSampler& self = *g_sampler;
  Yieldpoint* yieldpoint = self.installed_.load(std::memory_order_acquire);
  uintptr_t thread = slot.thread.load(std::memory_order_relaxed);
  if (yieldpoint == nullptr || thread == 0 || !Hooks().active.load(std::memory_order_relaxed)) return;
  self.ticks_.fetch_add(1, std::memory_order_relaxed);
  if (*reinterpret_cast<volatile int32_t*>(thread + self.state_offset_) == kInJava) {
    self.TickThreadInJava(*yieldpoint, slot, thread, elapsed_ns);
  }
}

void CallSampler::DeleteTimers() {
  for (uint32_t i = 0; i < Hooks().threads.high_water(); i++) timers_.Delete(Hooks().threads.slot(i));
}

// How often the tick thread runs: with CPU timers it only does the accounting.
uint64_t CallSampler::ThreadPeriod() const {
  if (settings_.exhaustive) return kExhaustiveTickNs;
  return settings_.ticker == Ticker::kCpu ? kAccountEveryNs : settings_.tick_ns;
}

void CallSampler::Account() {
  std::lock_guard lock(ledger_mutex_);
  uint64_t now_ns = MonotonicNs();
  uint64_t now_tsc = __rdtsc();
  if (now_tsc > start_tsc_ && now_ns > start_ns_) {
    ledger_.SetClock(static_cast<double>(now_ns - start_ns_) / (now_tsc - start_tsc_), start_tsc_);
  }
  BurstBlock block;
  while (Hooks().queue.Pop(&block)) ledger_.Add(block);
  resolver_->RetireUnloaded();
}

void CallSampler::DisarmAll() {
  HookContext& hooks = Hooks();
  if (yieldpoint_ == nullptr) return;
  for (uint32_t i = 0; i < hooks.threads.high_water(); i++) {
    SlotPin pin(hooks.threads.slot(i));
    if (pin.thread() != 0) yieldpoint_->Disarm(pin.thread());
  }
}

// What was proven turned out wrong: out of the VM at once. The profile so far stays.
void CallSampler::GiveUp(const char* why) {
  if (installed_.exchange(nullptr) == nullptr) return;
  Hooks().active = false;
  refusal_ = why;
  DisarmAll();
  SleepMs(2);
  DisarmAll();
  yieldpoint_->Remove(false);
}

void CallSampler::Stop(JNIEnv* jni, bool vm_is_ending) {
  std::lock_guard control(control_);
  if (!running_) return;
  HookContext& hooks = Hooks();
  hooks.active = false;
  pending_ = false;
  DeleteTimers();
  timers_.Close();
  ticker_.Stop();
  running_code_.Close();
  if (yieldpoint_ != nullptr) {
    DisarmAll();
    SleepMs(2);  // a thread in the hook may still have armed itself
    DisarmAll();
    yieldpoint_->Remove(vm_is_ending);
    SleepMs(2);
  }
  installed_ = nullptr;
  SetEvents(JVMTI_DISABLE);
  watch_->RemoveAll();
  Account();
  running_ = false;
}

void CallSampler::Release() {
  std::lock_guard control(control_);
  if (running_ || methods_ == nullptr) return;
  std::lock_guard lock(ledger_mutex_);
  resolver_.reset();
  ledger_ = BurstLedger();
  methods_->Restart();
}

void JNICALL CallSampler::CompiledMethodLoad(jvmtiEnv*, jmethodID method, jint size, const void* code,
                                             jint, const jvmtiAddrLocationMap*, const void* info) {
  CallSampler& self = Get();
  self.methods_->OnLoad(method, code, static_cast<uint32_t>(size), info);
  Yieldpoint* installed = self.installed_;
  bool doubtful = installed != nullptr && installed->RestsOnCompiledCode() && self.methods_->dissent();
  if ((self.pending_ || doubtful) && self.control_.try_lock()) {
    self.TryInstall(Where::kCallback);
    if (doubtful) self.GiveUp("a method compiled later contradicts what the others showed");
    self.control_.unlock();
  }
}

void JNICALL CallSampler::CompiledMethodUnload(jvmtiEnv*, jmethodID, const void* code) {
  Get().methods_->OnUnload(code);
}

void JNICALL CallSampler::DynamicCode(jvmtiEnv*, const char* name, const void* code, jint size) {
  Get().methods_->OnDynamicCode(name, code, static_cast<uint32_t>(size));
}

void JNICALL CallSampler::ThreadStart(jvmtiEnv*, JNIEnv* jni, jthread thread) {
  CallSampler& self = Get();
  ThreadSlot* slot = self.watch_->OnStart(jni, thread);
  if (slot != nullptr && self.timers_.open()) self.timers_.Create(*slot);
}

void JNICALL CallSampler::ThreadEnd(jvmtiEnv*, JNIEnv* jni, jthread) {
  CallSampler& self = Get();
  ThreadSlot* slot = self.watch_->Current(jni);
  if (slot == nullptr) return;
  self.timers_.Delete(*slot);
  if (Yieldpoint* yieldpoint = self.installed_) yieldpoint->Disarm(slot->thread.load());
  Hooks().recorder.Cut(*slot);
  self.watch_->OnEnd(jni);
}

// AsyncGetCallTrace names a method only if its jmethodID exists already.
void JNICALL CallSampler::ClassPrepare(jvmtiEnv* jvmti, JNIEnv*, jthread, jclass type) {
  jint count = 0;
  jmethodID* methods = nullptr;
  if (jvmti->GetClassMethods(type, &count, &methods) == JVMTI_ERROR_NONE) {
    jvmti->Deallocate(reinterpret_cast<unsigned char*>(methods));
  }
}

}  // namespace assay::sampling
