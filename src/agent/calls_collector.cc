#include "src/agent/calls_collector.h"

#include <sched.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <string>

#include "src/agent/log.h"
#include "src/agent/probe_yieldpoint.h"
#include "src/agent/vm_info.h"
#include "src/bytecode/call_groups.h"
#include "src/estimate/accuracy.h"
#include "src/estimate/flow_table.h"
#include "src/sampling/hotspot/call_sampler.h"

namespace assay::agent {
namespace {

using sampling::CallSampler;
using sampling::SamplerSettings;

Result<SamplerSettings> SettingsOf(const Options& options) {
  SamplerSettings settings;
  if (uint64_t tick = options.Nanoseconds("tick")) settings.tick_ns = tick;
  if (settings.tick_ns < 20000) return Error{"tick: the shortest possible is 20us"};
  uint64_t samples = options.Count("samples");
  settings.exhaustive = samples == UINT64_MAX;
  if (samples != 0 && !settings.exhaustive) {
    if (samples > 1000000) return Error{"samples: at most 1000000 per burst, or all"};
    settings.samples = static_cast<uint32_t>(samples);
  }
  if (uint64_t stride = options.Count("stride")) {
    if (stride > 1000000) return Error{"stride: at most 1000000"};
    settings.stride = static_cast<uint32_t>(stride);
  }
  uint64_t depth = options.Count("depth");
  if (depth < 2 || depth > sampling::kMaxDepth) {
    return Error{"depth: from 2 (callee and caller) to " + std::to_string(sampling::kMaxDepth)};
  }
  settings.depth = static_cast<uint32_t>(depth);
  settings.seed = options.Count("seed");
  settings.keep_bodies = options.Flag("infer");
  settings.by_counter = options.Text("density") == "counter";
  std::string correct = options.Text("correct");
  settings.correction = correct == "off"       ? sampling::Correction::kOff
                        : correct == "density" ? sampling::Correction::kDensity
                                               : sampling::Correction::kFull;
  std::string via = options.Text("via");
  if (via == "entry") settings.via = sampling::Via::kEntry;
  if (via == "return") settings.via = sampling::Via::kReturn;
  if (via == "probe") settings.via = sampling::Via::kProbe;
  if (options.Text("ticker") == "cpu") settings.ticker = sampling::Ticker::kCpu;
  if (options.Text("ticker") == "remote") settings.ticker = sampling::Ticker::kRemote;
  return settings;
}

// On JVMs without the entry barrier calls are seen by returns, and returns of interpreted or native code cut bursts short unless
// marks are put back; correcting by bursts that were cut makes the profile worse (docs/05-estimation.md).
constexpr int kFirstWithEntryBarrier = 20;

// From here on, without haste, a session has as many bursts as it needs.
constexpr uint64_t kTimeForAll = 20'000'000'000;

class CallsCollector final : public Collector {
 public:
  ~CallsCollector() override { CallSampler::Get().Release(); }

  Status Prepare(JavaVM* vm, const Options& options) override {
    ASSAY_TRY(SettingsOf(options));
    if (options.Text("via") == "probe") ASSAY_TRY(PrepareProbes(vm));
    return CallSampler::Get().Prepare(vm);
  }

  Status Start(JavaVM* vm, JNIEnv* jni, const Options& options, Phase phase) override {
    vm_ = vm;
    options_ = options;
    may_relax_ = !options.IsSet("tick") && !options.IsSet("until-accuracy") && options.Count("samples") != UINT64_MAX;
    const uint64_t limit = options.Nanoseconds("for");
    const bool has_time = phase == Phase::kAttach && (limit == 0 || limit >= kTimeForAll);
    bursts_before_ = may_relax_ && has_time ? kOpeningBursts : 0;
    ASSAY_TRY(ChooseDefaults(FeatureRelease(vm)));
    ASSAY_TRY(CheckReach(options_, phase));
    ASSAY_ASSIGN(SamplerSettings settings, Settings(options_));
    return CallSampler::Get().Start(vm, jni, settings);
  }

  Status Reconfigure(const Options& changed) override {
    Options options = options_;
    options.Update(changed);
    ASSAY_TRY(CheckReach(options, Phase::kAttach));
    if (changed.IsSet("samples") || changed.IsSet("stride")) splits_ = false;
    ASSAY_ASSIGN(SamplerSettings settings, Settings(options));
    ASSAY_TRY(CallSampler::Get().Reconfigure(settings));
    options_ = options;
    if (changed.IsSet("tick")) {
      may_relax_ = false;
      ticks_ = options_.Text("tick");
    }
    return {};
  }

  uint64_t AttendEveryNs() const override { return CallSampler::Get().AttendEveryNs(); }
  void Attend() override {
    CallSampler::Get().Attend(Env());
    if (may_relax_) Relax();
  }
  void Snapshot(profile::Profile& profile) override {
    for (const char* name : {"correct", "samples", "stride"}) profile.metadata[name] = options_.Text(name);
    profile.metadata["tick"] = ticks_;
    CallSampler::Get().Snapshot(Env(), profile);
    if (stopped_ && options_.Flag("infer")) RecordFlow(profile);
  }
  void Stop(bool at_vm_death) override {
    CallSampler::Get().Stop(Env(), at_vm_death);
    stopped_ = true;
  }

 private:
  Result<SamplerSettings> Settings(const Options& options) {
    ASSAY_ASSIGN(SamplerSettings settings, SettingsOf(options));
    settings.split = splits_;
    settings.keep_marks = keeps_marks_;
    settings.make_probe = [this] { return MakeProbeYieldpoint(vm_, Env(), options_); };
    return settings;
  }

  // Whoever attaches would wait for ever; a program that starts is not to fail for it.
  static Status CheckReach(const Options& options, Phase phase) {
    if (!options.IsSet("until-accuracy")) return {};
    const double limit = estimate::AccuracyLimit(estimate::kSystematic);
    if (options.Percent("until-accuracy") < limit) return {};
    char percent[16];
    std::snprintf(percent, sizeof percent, "%.1f", limit);
    const std::string why = "until-accuracy: sampling has " + std::string(percent) + " % at most; --collect exact counts every call";
    if (phase == Phase::kAttach) return Error{why};
    Log(why + "; it goes on until more samples would change little");
    return {};
  }

  // The shortest period for which CPU timers suffice on most kernels; shorter ones need a thread that wakes up for every
  // tick. Long bursts where nothing cuts them short (docs/results.md).
  Status ChooseDefaults(int release) {
    const bool has_entry_barrier = release >= kFirstWithEntryBarrier;
    const std::string via = options_.Text("via");
    const bool sees_returns = via == "return" || (via == "auto" && !has_entry_barrier);
    const bool sees_entries = via == "entry" || (via == "auto" && has_entry_barrier);
    // By the thread that ticks, while the program runs on another processor (sampling/mark_keeper.h).
    keeps_marks_ = sees_returns && options_.Text("ticker") != "cpu" && Processors() > 1;
    if (keeps_marks_) ASSAY_TRY(options_.Set("ticker", "remote"));
    const bool bursts_stay_whole = sees_entries || keeps_marks_;
    auto set = [this](const char* name, const char* value) -> Status {
      return options_.IsSet(name) ? Status() : options_.Set(name, value);
    };
    if (sees_returns && !bursts_stay_whole) ASSAY_TRY(set("correct", "off"));
    splits_ = bursts_stay_whole && !options_.IsSet("samples") && !options_.IsSet("stride") && !options_.IsSet("tick");
    if (!options_.IsSet("tick")) ASSAY_TRY(set("samples", splits_ ? "192" : bursts_stay_whole ? "128" : "64"));
    // Where a burst ends with the first return of interpreted code, skipping some leaves fewer samples.
    if (sees_returns && !bursts_stay_whole) ASSAY_TRY(set("stride", "1"));
    // CPU timers, if they are wished for, are not that fast.
    hurries_ = may_relax_ && options_.Text("ticker") != "cpu";
    start_ = std::chrono::steady_clock::now();
    ASSAY_TRY(set("tick", NextTick(0)));
    ticks_ = options_.Text("tick");
    return {};
  }

  // Whoever profiles for minutes and hours pays a quarter, and has a profile like that of a short run after seconds.
  void Relax() {
    Options relaxed;
    // CPU timers find a thread whenever they tick, so from there is no way back.
    // A thread of ours wakes up for a program that does nothing, too.
    if (FindLittle(CallSampler::Get().ticks(), CallSampler::Get().ticks_in_java())) {
      hurries_ = false;
      if (keeps_marks_) bursts_before_ = kOpeningBursts;
    }
    const char* tick = NextTick(CallSampler::Get().bursts());
    if (options_.Text("tick") == tick || !relaxed.Set("tick", tick).ok()) return;
    const std::string before = ticks_;
    if (!Reconfigure(relaxed).ok()) return;
    may_relax_ = true;
    ticks_ = before + ", then " + tick;
  }

  const char* NextTick(uint64_t bursts) const {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start_;
    return TickAfter(bursts_before_ + bursts, hurries_ ? passed.count() : HUGE_VAL);
  }

  static int Processors() {
    cpu_set_t mine;
    return sched_getaffinity(0, sizeof mine, &mine) == 0 ? CPU_COUNT(&mine) : 1;
  }

  static int FeatureRelease(JavaVM* vm) {
    jvmtiEnv* jvmti = PlainEnvironment(vm);
    return jvmti == nullptr ? 0 : JavaFeatureRelease(jvmti);
  }

  JNIEnv* Env() const {
    JNIEnv* jni = nullptr;
    if (vm_->GetEnv(reinterpret_cast<void**>(&jni), JNI_VERSION_1_6) != JNI_OK) return nullptr;
    return jni;
  }

  // The groups of calls in the methods that appear as callers (estimate/flow_table.h).
  static void RecordFlow(profile::Profile& profile) {
    profile.metadata[estimate::kFlowLooked] = "yes";
    std::vector<bool> calls(profile.methods().size());
    for (const profile::Edge& edge : profile.edges()) calls[edge.caller] = true;
    CallSampler::Get().VisitBodies([&](profile::MethodId method, std::span<const uint8_t> body,
                                       const std::set<int32_t>& inlined) {
      if (method >= calls.size() || !calls[method]) return;
      for (bytecode::CallGroup& group : bytecode::FindCallGroups(body)) {
        // Where a call was inlined for a time, fewer are left to be seen than of its neighbours.
        std::erase_if(group.sites, [&](uint32_t bci) { return inlined.contains(static_cast<int32_t>(bci)); });
        if (group.sites.size() >= 2) estimate::AddFlowGroup(profile, {method, group.at_entry, group.sites});
      }
    });
  }

  JavaVM* vm_ = nullptr;
  Options options_;
  bool stopped_ = false;
  bool splits_ = false;     // bursts: nobody said what they should be
  bool may_relax_ = false;  // the tick is ours to choose, and no accuracy was asked for
  bool hurries_ = false;    // at first
  bool keeps_marks_ = false;
  uint64_t bursts_before_ = 0;  // ours, as if they had been: what runs already is not over in a second
  std::string ticks_;       // one after the other
  std::chrono::steady_clock::time_point start_;
};

}  // namespace

const char* TickAfter(uint64_t bursts, double seconds) {
  if (bursts < 1000 && seconds < 10) return "1ms";
  if (bursts < kOpeningBursts) return bursts < 1500 ? "4ms" : "8ms";
  return bursts < 2500 ? "16ms" : bursts < 3000 ? "32ms" : "64ms";
}

// Starting programs wait for classes and compilers too, and it is there that a short run needs its bursts: with a third in place of a twentieth Xalan lost
// 6 points of accuracy and H2 7 (compilation in the foreground).
bool FindLittle(uint64_t ticks, uint64_t in_java) { return ticks >= 500 && in_java < ticks / 20; }

std::unique_ptr<Collector> MakeCallsCollector() { return std::make_unique<CallsCollector>(); }

sampling::DoctorReport ExamineCalls(JavaVM* vm, JNIEnv* jni) {
  return CallSampler::Get().Examine(vm, jni);
}

}  // namespace assay::agent
