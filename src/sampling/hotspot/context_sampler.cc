#include "src/sampling/hotspot/context_sampler.h"

#include <x86intrin.h>

#include <algorithm>

#include "src/sampling/hotspot/at_safepoint.h"
#include "src/sampling/hotspot/sampling_environment.h"
#include "src/sampling/watermark.h"

namespace assay::sampling {

ContextSampler* ContextSampler::instance_ = nullptr;

ContextSampler& ContextSampler::Get() {
  static ContextSampler* sampler = instance_ = new ContextSampler;  // callbacks outlive everything
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

void ContextSampler::SetEvents(jvmtiEventMode mode) { SetSamplingEvents(jvmti_, mode); }

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
  if (settings.ticker == Ticker::kCpu) ASSAY_TRY(CpuTimers::Probe());
  HookContext& hooks = Hooks();
  settings_ = settings;
  {
    std::lock_guard lock(ledger_mutex_);
    compiled_->Restart();
    ledger_ = std::make_unique<ContextLedger>(compiled_.get(), &interpreted_);
    start_ns_ = MonotonicNs();
    start_tsc_ = __rdtsc();
    ledger_->SetHalfLife(settings_.half_life_ns, start_ns_);
    since_account_ns_ = signals_sent_ = threads_without_memory_ = 0;
    ticks_ = 0;
  }
  recorder_.ResetCounters();
  Apply();
  ASSAY_TRY(signals_.Open(OnSignal));
  running_ = true;
  watch_->Begin();
  SetEvents(JVMTI_ENABLE);
  jvmti_->GenerateEvents(JVMTI_EVENT_DYNAMIC_CODE_GENERATED);
  jvmti_->GenerateEvents(JVMTI_EVENT_COMPILED_METHOD_LOAD);
  auto interpreter = compiled_->interpreter();
  recorder_.walker.SetInterpreter(interpreter.begin, interpreter.end);
  hooks.interpreter_begin = interpreter.begin;
  hooks.interpreter_end = interpreter.end;
  ForEachLoadedClass(jvmti_, jni, [&](jclass type) { ClassPrepare(jvmti_, jni, nullptr, type); });
  WaitForHooks(vm_, jvmti_);  // a safepoint: see AddAll
  watch_->AddAll(jni);
  {
    std::lock_guard lock(ledger_mutex_);
    for (uint32_t i = 0; i < hooks.threads.high_water(); i++) {
      if (hooks.threads.slot(i).thread != 0) GiveTrail(hooks.threads.slot(i));
    }
  }
  hooks.TakeReturns(OnReturn);
  hooks.active = true;
  pending_ = settings_.watermark;
  Found("", settings_.watermark ? "" : "not wanted");
  TryInstall();
  Status status = UseTicks();
  if (!status.ok()) {
    hooks.active = false;
    pending_ = false;
    timers_.Stop(hooks.threads);
    Uninstall();
    signals_.Close(hooks.threads);
    SetEvents(JVMTI_DISABLE);
    watch_->RemoveAll();
    running_ = false;
  }
  return status;
}

// Who tells of it has ledger_mutex_, who changes it control_ too.
void ContextSampler::Found(const char* via, std::string refusal) {
  std::lock_guard lock(ledger_mutex_);
  via_ = via;
  refusal_ = std::move(refusal);
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
  if (!made.ok()) return Found("", made.error().message);
  if (Status status = (*made)->Install(); !status.ok()) return Found("", status.error().message);
  yieldpoint_ = std::move(*made);
  Found(yieldpoint_->name(), "");
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
  // Handlers and hooks that had begun may still mark their threads; those that begin now do not.
  hooks.threads.WaitForHandlers();
  WaitForHooks(vm_, jvmti_);
  disarm_all();
  yieldpoint_->Remove(false);
  WaitForHooks(vm_, jvmti_);  // no thread is on its way through the stub with what it held before
}

void ContextSampler::GiveUp(const char* why) {
  Found(yieldpoint_->name(), why);
  Uninstall();
}

Status ContextSampler::Reconfigure(const ContextSettings& settings) {
  std::lock_guard control(control_);
  if (!running_) return Error{"not running"};
  if (settings.wall != settings_.wall) return Error{"clock cannot be changed while running"};
  if (settings.watermark != settings_.watermark)
    return Error{"watermark cannot be changed while running"};
  if (settings.ticker == Ticker::kCpu && !timers_.open()) ASSAY_TRY(CpuTimers::Probe());
  {
    std::lock_guard lock(ledger_mutex_);
    if (settings.half_life_ns != settings_.half_life_ns) {
      ledger_->SetHalfLife(settings.half_life_ns, MonotonicNs());
    }
    settings_ = settings;
    Apply();
  }
  return UseTicks();
}

void ContextSampler::Stop() {
  std::lock_guard control(control_);
  if (!running_) return;
  HookContext& hooks = Hooks();
  hooks.active = false;
  pending_ = false;
  timers_.Stop(hooks.threads);
  ticker_.Stop();
  signals_.Close(hooks.threads);
  Uninstall();
  hooks.TakeReturns(nullptr);
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

}  // namespace assay::sampling
