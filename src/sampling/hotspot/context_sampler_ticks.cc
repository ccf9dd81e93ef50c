// Ticks of the context sampler: who is interrupted, and what becomes of the samples. Tick() and
// what it calls run on the tick thread; OnSignal and OnReturn on the sampled one, where nothing
// locks.
#include "src/sampling/hotspot/context_sampler.h"
#include "src/sampling/watermark.h"

namespace assay::sampling {
namespace {

constexpr uint64_t kAccountEveryNs = 20000000;
// Threads that seem to wait are looked at in one of so many ticks.
constexpr uint64_t kWaitingStride = 8;

}  // namespace

ContextTrail* ContextSampler::TrailOf(const ThreadSlot& slot) const {
  auto index = static_cast<size_t>(&slot - &Hooks().threads.slot(0));
  return index < ThreadTable::kSlots ? trails_[index].load(std::memory_order_acquire) : nullptr;
}

void ContextSampler::OnTick(void* self, uint64_t elapsed_ns) {
  static_cast<ContextSampler*>(self)->Tick(elapsed_ns);
}

// With the slot pinned. A thread is interrupted when it has run since its last sample; one that seems to wait, when it has run for a
// tick. By the wall clock, one that has not run at all since stands where it stood.
void ContextSampler::TickOne(ThreadSlot& slot, ContextTrail& trail, uintptr_t thread) {
  const ThreadStates::Kind state = recorder_.walker.states().KindOf(thread);
  bool runs = state == ThreadStates::Kind::kJava || state == ThreadStates::Kind::kVm;
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
  if (!settings_.wall && cpu - seen < (runs ? 1 : settings_.tick_ns)) return;
  if (trail.signalled.exchange(true, std::memory_order_relaxed)) return;
  if (signals_.Send(slot)) {
    signals_sent_++;
  } else {
    trail.signalled.store(false, std::memory_order_relaxed);
  }
}

// With timers the tick thread only does the accounts.
Status ContextSampler::UseTicks() {
  by_timers_ = settings_.ticker == Ticker::kCpu && timers_.Start(Hooks().threads, OnCpuTick, settings_.tick_ns).ok();
  if (!by_timers_) timers_.Stop(Hooks().threads);
  const uint64_t period = by_timers_ ? kAccountEveryNs : settings_.tick_ns;
  ticker_.SetPeriod(period);
  return ticker_.running() ? Status() : ticker_.Start(OnTick, this, period, settings_.seed);
}

void ContextSampler::OnCpuTick(ThreadSlot& slot, uint64_t, void* context) {
  instance_->ticks_.fetch_add(1, std::memory_order_relaxed);
  OnSignal(slot, context);
}

void ContextSampler::Interrupt() {
  HookContext& hooks = Hooks();
  ticks_.fetch_add(1, std::memory_order_relaxed);
  for (uint32_t i = 0; i < hooks.threads.high_water(); i++) {
    ThreadSlot& slot = hooks.threads.slot(i);
    if (slot.thread.load(std::memory_order_relaxed) == 0) continue;
    SlotPin pin(slot);
    ContextTrail* trail = TrailOf(slot);
    if (pin.thread() != 0 && trail != nullptr) TickOne(slot, *trail, pin.thread());
  }
}

void ContextSampler::Tick(uint64_t elapsed_ns) {
  if (!by_timers_) Interrupt();
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
  if (ContextTrail* trail = instance_->TrailOf(slot))
    instance_->recorder_.OnTick(slot, *trail, context);
}

int ContextSampler::OnReturn(uintptr_t* return_slot, uintptr_t thread, uintptr_t caller_fp) {
  HookContext& hooks = Hooks();
  ThreadSlot* slot = hooks.threads.Find(thread);
  ContextTrail* trail = slot == nullptr ? nullptr : instance_->TrailOf(*slot);
  if (trail == nullptr) {
    Watermark::Remove(hooks.PollWord(thread));
    return 0;
  }
  return instance_->recorder_.OnReturn(*slot, *trail, thread, return_slot, caller_fp);
}

}  // namespace assay::sampling
