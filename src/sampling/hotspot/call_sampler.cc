#include "src/sampling/hotspot/call_sampler.h"

#include <sched.h>
#include <x86intrin.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "src/sampling/hotspot/at_safepoint.h"
#include "src/sampling/hotspot/sampling_environment.h"

namespace assay::sampling {
namespace {

// With -Xint there will never be compiled code to prove a yieldpoint by.
bool NeverCompiles(jvmtiEnv* jvmti) {
  char* info = nullptr;
  if (jvmti->GetSystemProperty("java.vm.info", &info) != JVMTI_ERROR_NONE) return false;
  bool never = strstr(info, "interpreted mode") != nullptr;
  jvmti->Deallocate(reinterpret_cast<unsigned char*>(info));
  return never;
}

// Ids that were on their way while their code was unloaded.
void DropRetired(const SiteTable& sites, BurstBlock& block) {
  uint32_t* end = block.ids + std::min<uint32_t>(block.count, BurstBlock::kIds);
  uint32_t* kept = std::remove_if(block.ids, end, [&](uint32_t id) { return !sites.Holds(id); });
  block.failed += static_cast<uint32_t>(end - kept);
  block.count = static_cast<uint16_t>(kept - block.ids);
}

}  // namespace

CallSampler& CallSampler::Get() {
  static CallSampler* sampler = instance_ = new CallSampler;  // callbacks outlive everything
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
    ASSAY_ASSIGN(states_, structs_.StatesOfThreads());
    keeper_.set_states(states_);
    ClassMethods classes;
    described_ = classes.Load(structs_, jvmti_, jni);
    if (described_.ok()) described_ = hooks.method_ids.Load(structs_, classes.known());
    if (described_.ok()) described_ = hooks.frames.Load(structs_, &hooks.code, nullptr, hooks.call_stub_return);
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
  parameters.split = settings_.split;
  parameters.depth = std::clamp(settings_.depth, 2u, kMaxDepth);
  parameters.seed = settings_.seed;
  parameters.exhaustive = settings_.exhaustive;
  if (settings_.exhaustive) {  // a burst under way is to pass no more calls by
    ThreadTable& threads = Hooks().threads;
    for (uint32_t i = 0; i < threads.high_water(); i++) threads.slot(i).tick_number.fetch_add(1);
  }
  keeps_marks_ = settings_.keep_marks;
  parameters.period_us = static_cast<uint32_t>(std::min<uint64_t>(settings_.tick_ns / 1000, UINT32_MAX));
  // One every millisecond at most. A passage of a probe costs so much that hundreds more would be felt.
  constexpr uint64_t kTailNs = 1'000'000;
  const bool cheap = yieldpoint_ == nullptr || yieldpoint_->RestsOnCompiledCode();
  parameters.tail_every = cheap ? static_cast<uint32_t>(std::max<uint64_t>(1, kTailNs / settings_.tick_ns)) : 0;
  ledger_.set_correction(settings_.correction);
  ledger_.set_by_counter(settings_.by_counter);
  if (resolver_) resolver_->set_depth(parameters.depth);
}

Status CallSampler::Start(JavaVM* vm, JNIEnv* jni, const SamplerSettings& settings) {
  std::lock_guard control(control_);
  if (running_) return Error{"calls are already being sampled in this JVM"};
  ASSAY_TRY(Open(vm));
  ASSAY_TRY(Load(jni));
  if (settings.ticker == Ticker::kCpu) ASSAY_TRY(CpuTimers::Probe());
  std::optional<CounterEvent> event;
  if (settings.by_counter) {
    auto probed = CallCounter::Probe();
    if (!probed.ok()) return Error{"density=counter: " + probed.error().message + "; density=bursts needs none"};
    event = *probed;
  }
  counter_name_ = event ? event->name : "";
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
    {
      std::lock_guard unload_lock(unloaded_mutex_);
      unloaded_.clear();
    }
    start_ns_ = MonotonicNs();
    start_tsc_ = __rdtsc();
    since_account_ns_ = 0;
    nameless_ = hurry_ = 0;
    ticks_ = ticks_in_java_ = ticks_unanswered_ = signals_ = 0;
    ticker_.ResetCpu();
    hooks.ResetCounts();
    keeper_.ResetCounts();
    ApplyParameters();
  }
  running_ = true;
  watch_->Begin();
  SetEvents(JVMTI_ENABLE);
  jvmti_->GenerateEvents(JVMTI_EVENT_DYNAMIC_CODE_GENERATED);
  jvmti_->GenerateEvents(JVMTI_EVENT_COMPILED_METHOD_LOAD);
  auto interpreter = methods_->interpreter();
  hooks.interpreter_begin = interpreter.begin;
  hooks.interpreter_end = interpreter.end;
  hooks.frames.SetInterpreter(interpreter.begin, interpreter.end);
  running_code_.Open(interpreter, hooks.code);
  ForEachLoadedClass(jvmti_, jni, [&](jclass type) { ClassPrepare(jvmti_, jni, nullptr, type); });
  WaitForHooks(vm_, jvmti_);  // a safepoint: see AddAll
  watch_->AddAll(jni);
  if (event) counter_.Start(hooks.threads, *event);
  hooks.active = true;
  pending_ = true;
  needs_probes_ = false;
  {
    std::lock_guard lock(ledger_mutex_);
    refusal_.clear();
    via_.clear();
    sees_.clear();
  }
  TryInstall(Where::kJavaThread);
  if (!pending_ && installed_ == nullptr) {
    std::string why = refusal_;
    running_ = false;
    hooks.active = false;
    SetEvents(JVMTI_DISABLE);
    running_code_.Close(hooks.threads);
    counter_.Stop(hooks.threads);
    watch_->RemoveAll();
    return Error{why};
  }
  Status status = UseTicker();
  if (!status.ok()) StopLocked(jni, false);
  return status;
}

Result<std::unique_ptr<Yieldpoint>> CallSampler::Choose(bool* undecided) {
  if (!described_.ok()) return described_.error();
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
  SetRefusal(status.error().message);
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
  SetRefusal(refusal_ + (refusal_.empty() ? "" : "; ") + status.error().message);
}

void CallSampler::Use(std::unique_ptr<Yieldpoint> yieldpoint) {
  // The one before is not freed: a ThreadEnd callback may still hold it.
  static_cast<void>(yieldpoint_.release());
  yieldpoint_ = std::move(yieldpoint);
  {
    std::lock_guard lock(ledger_mutex_);
    via_ = yieldpoint_->name();
    sees_ = yieldpoint_->Sees();
    ledger_.set_hook_cycles(yieldpoint_->HookCycles());
    ApplyParameters();
  }
  installed_ = yieldpoint_.get();
}

// Who tells of it has ledger_mutex_, who changes it control_ too.
void CallSampler::SetRefusal(std::string why) {
  std::lock_guard lock(ledger_mutex_);
  refusal_ = std::move(why);
}

bool CallSampler::RunAtSafepoint(void* self, void (*function)(void*), void* argument) {
  auto* sampler = static_cast<CallSampler*>(self);
  return sampling::RunAtSafepoint(sampler->vm_, sampler->jvmti_, function, argument);
}

Status CallSampler::Reconfigure(const SamplerSettings& settings) {
  std::lock_guard control(control_);
  if (!running_) return Error{"not running"};
  if (settings.by_counter != settings_.by_counter) return Error{"density cannot be changed while running"};
  if (settings.via != settings_.via) return Error{"via cannot be changed while running"};
  if (settings.ticker == Ticker::kCpu && !timers_.open()) ASSAY_TRY(CpuTimers::Probe());
  {
    std::lock_guard lock(ledger_mutex_);
    ledger_.PeriodChanged(static_cast<double>(settings.tick_ns) / static_cast<double>(settings_.tick_ns));
    settings_ = settings;
    ApplyParameters();
  }
  return UseTicker();
}

void CallSampler::Account(bool may_ask) {
  std::lock_guard lock(ledger_mutex_);
  uint64_t now_ns = MonotonicNs();
  uint64_t now_tsc = __rdtsc();
  if (now_tsc > start_tsc_ && now_ns > start_ns_) {
    ledger_.SetClock(static_cast<double>(now_ns - start_ns_) / (now_tsc - start_tsc_), start_tsc_);
  }
  BurstBlock block;
  while (Hooks().queue.Pop(&block)) {
    DropRetired(Hooks().sites, block);
    ledger_.Add(block);
  }
  ledger_.set_restored(keeper_.restored());
  std::vector<uintptr_t> unloaded;
  {
    std::lock_guard unload_lock(unloaded_mutex_);
    unloaded.swap(unloaded_);
  }
  resolver_->Retire(unloaded, may_ask);
  methods_->Forget(methods_->Unloaded());
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
  SetRefusal(why);
  while (ticking_) sched_yield();  // the tick under way may arm what it found installed
  TakeOut(false);
}

// Handlers and hooks that had begun may still arm their threads; those that begin now do not.
void CallSampler::TakeOut(bool vm_is_ending) {
  Hooks().threads.WaitForHandlers();
  WaitForHooks(vm_, jvmti_);
  DisarmAll();
  yieldpoint_->Remove(vm_is_ending);
  WaitForHooks(vm_, jvmti_);  // no thread is on its way through the stub with what it held before
}

void CallSampler::Stop(JNIEnv* jni, bool vm_is_ending) {
  std::lock_guard control(control_);
  if (running_) StopLocked(jni, vm_is_ending);
}

void CallSampler::StopLocked(JNIEnv* jni, bool vm_is_ending) {
  Hooks().active = false;
  pending_ = false;
  timers_.Stop(Hooks().threads);
  ticker_.Stop();
  running_code_.Close(Hooks().threads);
  if (yieldpoint_ != nullptr) TakeOut(vm_is_ending);
  installed_ = nullptr;
  if (!settings_.keep_bodies) CountInlined();
  SetEvents(JVMTI_DISABLE);
  counter_.Stop(Hooks().threads);
  watch_->RemoveAll();
  Account(jni != nullptr);
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

}  // namespace assay::sampling
