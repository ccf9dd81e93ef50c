// What the sampler tells: profiles, and what it finds in this VM.
#include <algorithm>
#include <cstdio>

#include "src/base/clock.h"
#include "src/sampling/hotspot/call_sampler.h"

namespace assay::sampling {
namespace {

constexpr uint32_t kHurries = 500;

std::string Percent(double share) {
  char text[16];
  snprintf(text, sizeof text, "%.1f %%", 100 * share);
  return text;
}

}  // namespace

void CallSampler::Attend(JNIEnv* jni) {
  if (jni == nullptr || jni->PushLocalFrame(4096) != 0) return;
  if (ticks_by_ == Ticker::kCpu) Account(true);
  {
    std::lock_guard lock(ledger_mutex_);
    if (resolver_ != nullptr) {
      resolver_->NameNew();
      hurry_ = resolver_->nameless() > nameless_ ? kHurries : hurry_ - (hurry_ > 0);
      nameless_ = resolver_->nameless();
    }
  }
  jni->PopLocalFrame(nullptr);
}

// Each time costs a wake-up, for nothing where no tick came. More often while classes come and go so fast that some are missed.
uint64_t CallSampler::AttendEveryNs() const {
  constexpr uint64_t kHurried = 2'000'000, kOften = 20'000'000, kSeldom = 100'000'000;
  return hurry_ > 0 ? kHurried : std::clamp(settings_.tick_ns, kOften, kSeldom);
}

void CallSampler::Snapshot(JNIEnv* jni, profile::Profile& profile) {
  HookContext& hooks = Hooks();
  if (needs_probes_ && jni != nullptr) {
    std::lock_guard control(control_);
    if (needs_probes_ && running_) InstallProbes();
  }
  std::lock_guard lock(ledger_mutex_);
  if (resolver_ == nullptr) return;
  bool framed = jni != nullptr && jni->PushLocalFrame(4096) == 0;
  resolver_->Fill(profile, !running_);
  if (framed) jni->PopLocalFrame(nullptr);
  profile.threads = watch_->names();
  profile.ticks = ledger_.ticks();

  auto lost = [&](const char* reason, uint64_t count) {
    if (count > 0) profile.lost[reason] = count;
  };
  static const char* kReasons[kWalkReasons] = {
      "walk failed: no Java frames", "walk failed: class load events off", "walk failed: GC active",
      "walk failed: unknown frame outside Java", "walk failed: not walkable outside Java",
      "walk failed: unknown frame", "walk failed: not walkable", "walk failed: unknown thread state",
      "walk failed: thread exiting", "walk failed: deoptimization", "walk failed: safepoint",
      nullptr, nullptr, nullptr, "walk failed: no method", "walk failed: no stack left"};
  for (int i = 0; i < kWalkReasons; i++) {
    if (kReasons[i] != nullptr) lost(kReasons[i], hooks.walk_failures[i]);
  }
  for (const auto& [reason, count] : resolver_->unresolved()) profile.lost[reason] = count;
  lost("bursts dropped: queue full", hooks.recorder.dropped());
  lost("samples dropped: site table full", hooks.sites.full());
  lost("callee without an id", hooks.unknown_callees);
  lost("threads not followed", watch_->refused());
  lost("threads still followed from an earlier session", watch_->left_over());
  lost("bursts cut short by the VM", ledger_.cut());
  lost("ticks in Java without a call since the last", ticks_unanswered_);
  auto& metadata = profile.metadata;
  metadata["via"] = via_.empty() ? "none yet" : via_;
  if (!refusal_.empty()) metadata["gave-up"] = refusal_;
  if (!sees_.empty()) metadata["calls-seen"] = sees_;
  metadata["ticker"] = ticks_by_ == Ticker::kCpu ? "cpu" : "remote";
  metadata["ticks"] = std::to_string(ticks_);
  metadata["ticks-in-java"] = std::to_string(ticks_in_java_);
  metadata["bursts"] = std::to_string(ledger_.bursts());
  metadata["burst-samples"] = std::to_string(ledger_.samples());
  metadata["burst-events"] = std::to_string(ledger_.events());
  metadata["burst-passages"] = std::to_string(ledger_.passages());
  metadata["walks"] = std::to_string(hooks.walks);
  metadata["interpreted-callers"] = std::to_string(hooks.interpreted_callers);
  if (settings_.keep_bodies) inlined_ = std::to_string(methods_->InlinedCallSites());
  metadata["inlined-call-sites"] = inlined_;
  if (uint64_t looks = running_code_.looks(); looks > 0) {
    metadata["interpreted-time"] = Percent(running_code_.interpreted_share()) + " of " + std::to_string(looks) + " looks";
  }
  metadata["vm-passes"] = std::to_string(hooks.vm_passes);
  if (uint64_t restored = keeper_.restored(); restored > 0) metadata["marks-restored"] = std::to_string(restored);
  metadata["osr-entries"] = std::to_string(hooks.osr_entries);
  if (ledger_.KnowsTotal()) {
    metadata["calls-total-error"] = Percent(ledger_.TotalError());
  } else {
    metadata.erase("calls-total-error");
  }
  if (!counter_name_.empty()) {
    const BurstLedger::Comparison both = ledger_.CounterComparison();
    metadata["counter"] = counter_name_;
    metadata["counter-correlation"] = std::to_string(both.correlation);
    metadata["counter-over-bursts"] = std::to_string(both.ratio);
  }
  metadata["ns-per-call-in-burst"] = std::to_string(ledger_.call_ns());
  metadata["walk-ms"] = std::to_string(ledger_.walk_ns() / 1e6);
  metadata["hook-ms"] = std::to_string(ledger_.hook_ns() / 1e6);
}

// The VM works out what was inlined anew for everybody who asks, at some 40 us per compiled method. At the end of a
// session, and only where that is little beside what the program itself did.
void CallSampler::CountInlined() {
  constexpr uint64_t kNsPerBlob = 40000, kPart = 200;
  if (never_compiles_) {
    inlined_ = "0";
    return;
  }
  if (Hooks().code.Blobs() * kNsPerBlob > ClockNs(CLOCK_PROCESS_CPUTIME_ID) / kPart) {
    inlined_ = "not counted: the program ran too short";
    return;
  }
  only_inlined_ = true;
  jvmti_->SetEventNotificationMode(JVMTI_ENABLE, JVMTI_EVENT_COMPILED_METHOD_LOAD, nullptr);
  jvmti_->GenerateEvents(JVMTI_EVENT_COMPILED_METHOD_LOAD);
  jvmti_->SetEventNotificationMode(JVMTI_DISABLE, JVMTI_EVENT_COMPILED_METHOD_LOAD, nullptr);
  only_inlined_ = false;
  // JDK 26 and newer tell nobody who asks while the VM is ending.
  inlined_ = methods_->told_of_inlining() ? std::to_string(methods_->InlinedCallSites())
                                          : "not counted: this VM does not tell when it ends";
}

void CallSampler::VisitBodies(const SiteResolver::BodyVisitor& visit) {
  std::lock_guard lock(ledger_mutex_);
  if (resolver_ != nullptr) resolver_->VisitBodies(visit);
}

DoctorReport CallSampler::Examine(JavaVM* vm, JNIEnv* jni) {
  DoctorReport report;
  std::lock_guard control(control_);
  Status status = Open(vm);
  if (status.ok()) status = Load(jni);
  if (!status.ok()) {
    for (const char* name : {"entry", "return"}) report.push_back({name, false, status.error().message});
    return report;
  }
  if (!running_) {
    methods_->Restart();
    SetEvents(JVMTI_ENABLE);
    jvmti_->GenerateEvents(JVMTI_EVENT_DYNAMIC_CODE_GENERATED);
    jvmti_->GenerateEvents(JVMTI_EVENT_COMPILED_METHOD_LOAD);
    SetEvents(JVMTI_DISABLE);
  }
  YieldpointSources sources{methods_.get(), &structs_, RunAtSafepoint, this};
  bool undecided;
  for (auto* make : {MakeEntryYieldpoint, MakeReturnYieldpoint}) {
    auto made = make(sources, &undecided);
    report.push_back({make == MakeEntryYieldpoint ? "entry" : "return", made.ok(),
                      made.ok() ? (*made)->Describe() : made.error().message});
  }
  report.push_back({"ticker-remote", true, "thread state at thread+" + std::to_string(states_.offset) +
                                               "; armed by a thread of Assay's own"});
  Status timer = CpuTimers::Probe();
  report.push_back({"ticker-cpu", timer.ok(),
                    timer.ok() ? "CPU-time timer per thread, at best one tick per scheduler tick"
                               : timer.error().message});
  auto event = CallCounter::Probe();
  report.push_back({"counter", event.ok(),
                    event.ok() ? std::string("counts ") + event->name + " for --density counter"
                               : event.error().message + "; call density comes from the bursts themselves"});
  return report;
}

}  // namespace assay::sampling
