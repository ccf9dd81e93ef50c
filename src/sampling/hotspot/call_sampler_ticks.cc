// How the sampler arms threads: on its own thread, or in the signal handlers of CPU-time timers.
#include <x86intrin.h>

#include <algorithm>
#include <utility>

#include "src/base/clock.h"
#include "src/sampling/hotspot/call_sampler.h"

namespace assay::sampling {
namespace {

constexpr uint64_t kAccountEveryNs = 20000000;
constexpr uint64_t kExhaustiveTickNs = 20000;
constexpr uint64_t kExhaustiveKeepCycles = 1'000'000;  // new threads, ending ones and the accounting wait so long

}  // namespace

// The time in Java since the thread was last armed: as the ticks saw it, but not more than it ran.
uint64_t CallSampler::ClaimInterval(ThreadSlot& slot) {
  uint64_t seen = std::exchange(slot.seen_ns, 0);
  const uint64_t cpu = slot.cpu_clock == 0 ? 0 : ClockNs(slot.cpu_clock);
  if (cpu == 0) return seen;
  uint64_t before = slot.tick_cpu_ns.exchange(cpu, std::memory_order_relaxed);
  return before == 0 ? seen : std::min(seen, cpu - before);
}

void CallSampler::OnTick(void* self, uint64_t elapsed_ns) {
  static_cast<CallSampler*>(self)->Tick(elapsed_ns);
}

void CallSampler::Tick(uint64_t elapsed_ns) {
  const bool by_thread = ticks_by_ == Ticker::kRemote;
  if (by_thread) {
    ticking_ = true;  // before the look at installed_: see GiveUp
    if (Yieldpoint* yieldpoint = installed_) TickThreads(*yieldpoint, elapsed_ns);
    ticking_ = false;
  }
  if (by_thread && running_code_.IsDue(elapsed_ns)) LookAtNext();
  since_account_ns_ += elapsed_ns;
  if (since_account_ns_ >= kAccountEveryNs) {
    since_account_ns_ = 0;
    Account(false);
  }
}

void CallSampler::TickThreads(Yieldpoint& yieldpoint, uint64_t elapsed_ns) {
  ThreadTable& threads = Hooks().threads;
  const bool exhaustive = Hooks().parameters.exhaustive.load(std::memory_order_relaxed);
  ticks_.fetch_add(1, std::memory_order_relaxed);
  const uint32_t end = threads.high_water();
  for (uint32_t i = 0; i < end; i++) {
    ThreadSlot& slot = threads.slot(i);
    if (slot.thread.load(std::memory_order_relaxed) == 0) continue;
    SlotPin pin(slot);
    const uintptr_t thread = pin.thread();
    if (thread == 0) continue;
    if (exhaustive) {
      yieldpoint.Arm(thread);
    } else if (states_.IsInJava(thread)) {
      TickThreadInJava(yieldpoint, slot, thread, elapsed_ns);
    }
  }
  if (keeps_marks_ && yieldpoint.VmTakesMarks()) KeepMarks(yieldpoint);
}

void CallSampler::KeepMarks(Yieldpoint& yieldpoint) {
  HookContext& hooks = Hooks();
  if (hooks.parameters.exhaustive.load(std::memory_order_relaxed)) {
    keeper_.KeepAll(hooks.threads, yieldpoint, kExhaustiveKeepCycles);
  } else {
    keeper_.KeepBursts(hooks.threads, yieldpoint);
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
    if (!states_.IsInJava(pin.thread())) continue;
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
  CallCounter::Collect(slot);
  slot.java_ns.fetch_add(ClaimInterval(slot), std::memory_order_relaxed);
  slot.tick_tsc.store(__rdtsc(), std::memory_order_relaxed);
  slot.tick_number.fetch_add(1, std::memory_order_release);
  yieldpoint.Arm(thread);
}

// In a signal handler on the slot's thread.
void CallSampler::OnCpuTick(ThreadSlot& slot, uint64_t elapsed_ns, void* context) {
  CallSampler& self = *instance_;
  Yieldpoint* yieldpoint = self.installed_.load(std::memory_order_acquire);
  uintptr_t thread = slot.thread.load(std::memory_order_relaxed);
  if (yieldpoint == nullptr || thread == 0 || !Hooks().active.load(std::memory_order_relaxed)) return;
  self.ticks_.fetch_add(1, std::memory_order_relaxed);
  self.signals_.fetch_add(1, std::memory_order_relaxed);
  if (self.states_.IsInJava(thread)) {
    self.running_code_.See(context);
    self.TickThreadInJava(*yieldpoint, slot, thread, elapsed_ns);
  }
}

// Not by the thread that attends to it: that knows best itself.
double CallSampler::TakenNs() {
  constexpr double kSignalNs = 4000;
  const double by_ticks = static_cast<double>(signals_.load(std::memory_order_relaxed)) * kSignalNs + static_cast<double>(ticker_.cpu_ns());
  std::lock_guard lock(ledger_mutex_);
  return ledger_.taken_ns() + by_ticks;
}

// Not under ledger_mutex_: the tick thread may be waiting for it.
Status CallSampler::UseTicker() {
  ThreadTable& threads = Hooks().threads;
  Ticker ticker = settings_.exhaustive ? Ticker::kRemote : settings_.ticker;
  if (ticker == Ticker::kCpu && !timers_.Start(threads, OnCpuTick, settings_.tick_ns).ok()) ticker = Ticker::kRemote;
  ticks_by_ = ticker;
  if (ticker == Ticker::kCpu) {
    ticker_.Stop();
    return {};
  }
  timers_.Stop(threads);
  const uint64_t period = settings_.exhaustive ? kExhaustiveTickNs : settings_.tick_ns;
  ticker_.SetPeriod(period);
  return ticker_.running() ? Status() : ticker_.Start(OnTick, this, period, settings_.seed);
}

}  // namespace assay::sampling
