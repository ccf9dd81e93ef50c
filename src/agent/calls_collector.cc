#include "src/agent/calls_collector.h"

#include <sched.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <tuple>

#include "src/agent/log.h"
#include "src/agent/probe_yieldpoint.h"
#include "src/agent/vm_info.h"
#include "src/base/clock.h"
#include "src/bytecode/call_groups.h"
#include "src/estimate/accuracy.h"
#include "src/estimate/flow_table.h"
#include "src/sampling/hotspot/call_sampler.h"
#include "src/sampling/tick_budget.h"

namespace assay::agent {
namespace {

using sampling::CallSampler;
using sampling::SamplerSettings;
using sampling::TickBudget;

Result<SamplerSettings> SettingsOf(const Options& options) {
  SamplerSettings settings;
  if (options.IsSet("tick")) settings.tick_ns = options.Nanoseconds("tick");
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
  return settings;
}

// On JVMs without the entry barrier calls are seen by returns, and returns of interpreted or native code cut bursts short unless
// marks are put back; correcting by bursts that were cut makes the profile worse (docs/05-estimation.md).
constexpr int kFirstWithEntryBarrier = 20;

// A session of such a length in a program that runs already is not over before it had its share.
constexpr uint64_t kTimeForAll = 20'000'000'000;

std::string Milliseconds(uint64_t ns) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3gms", static_cast<double>(ns) / 1e6);
  return text;
}

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
    ASSAY_TRY(CheckOverhead(options));
    const uint64_t limit = options.Nanoseconds("for");
    const bool has_time = phase == Phase::kAttach && (limit == 0 || limit >= kTimeForAll);
    ASSAY_TRY(ChooseDefaults(FeatureRelease(vm)));
    if (HasBudget(options)) OpenBudget(options_, has_time ? 0 : TickBudget::kCreditNs);
    ASSAY_TRY(CheckReach(options_, phase));
    ASSAY_ASSIGN(SamplerSettings settings, Settings(options_));
    ASSAY_TRY(CallSampler::Get().Start(vm, jni, settings));
    ticks_.begun = UsedByNow();  // what it took to start is the agent's, not of the sampling
    return {};
  }

  Status Reconfigure(const Options& changed) override {
    ASSAY_TRY(CheckOverhead(changed));
    Options options = options_;
    if (changed.IsSet("overhead")) options = options.Without("tick");
    options.Update(changed);
    ASSAY_TRY(CheckReach(options, Phase::kAttach));
    const auto before = std::pair(splits_, ticks_);
    if (changed.IsSet("samples") || changed.IsSet("stride")) splits_ = false;
    if (!HasBudget(options)) ticks_.budget.reset();
    if (HasBudget(options) && (!ticks_.budget || changed.IsSet("overhead"))) OpenBudget(options, 0);
    const Status status = Apply(options);
    if (status.ok()) {
      options_ = options;
    } else {
      std::tie(splits_, ticks_) = before;
    }
    return status;
  }

  uint64_t AttendEveryNs() const override { return CallSampler::Get().AttendEveryNs(); }
  void Attend() override {
    CallSampler::Get().Attend(Env());
    attended_ns_ = static_cast<double>(ClockNs(CLOCK_THREAD_CPUTIME_ID));  // a thread of this session alone
    if (ticks_.budget) FollowBudget();
  }
  void Snapshot(profile::Profile& profile) override {
    for (const char* name : {"correct", "samples", "stride"}) profile.metadata[name] = options_.Text(name);
    RecordTick(profile);
    CallSampler::Get().Snapshot(Env(), profile);
    if (stopped_ && options_.Flag("infer")) RecordFlow(profile);
  }
  void Stop(bool at_vm_death) override {
    CallSampler::Get().Stop(Env(), at_vm_death);
    stopped_ = true;
  }

 private:
  Status Apply(const Options& options) {
    ASSAY_ASSIGN(SamplerSettings settings, Settings(options));
    return CallSampler::Get().Reconfigure(settings);
  }

  Result<SamplerSettings> Settings(const Options& options) {
    ASSAY_ASSIGN(SamplerSettings settings, SettingsOf(options));
    if (ticks_.budget) settings.tick_ns = ticks_.budget->period_ns();
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

  // Long bursts where nothing cuts them short (docs/results.md).
  Status ChooseDefaults(int release) {
    const bool has_entry_barrier = release >= kFirstWithEntryBarrier;
    const std::string via = options_.Text("via");
    if (via == "entry" && !has_entry_barrier) {
      return Error{"via=entry: compiled code of JDK " + std::to_string(release) + " has no check at entry, that of JDK " +
                   std::to_string(kFirstWithEntryBarrier) + " and newer has; use via=return or auto"};
    }
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
    return {};
  }

  static constexpr double kLeastOverhead = 0.01;

  static Status CheckOverhead(const Options& options) {
    if (!options.IsSet("overhead")) return {};
    if (options.IsSet("tick")) return Error{"overhead: the tick follows from it; give one of the two"};
    const double percent = options.Percent("overhead");
    if (percent < kLeastOverhead || percent > 100) return Error{"overhead: from 0.01 % to 100 % of the program's CPU time"};
    return {};
  }

  static bool HasBudget(const Options& options) { return !options.IsSet("tick") && options.Count("samples") != UINT64_MAX; }

  void OpenBudget(const Options& options, double credit_ns) {
    const uint64_t shortest_ns = options.Text("ticker") == "cpu" ? sampling::CpuTimers::ShortestPeriodNs() : TickBudget::kShortestNs;
    ticks_.budget.emplace(options.Percent("overhead") / 100, credit_ns, shortest_ns);
    ticks_.first_ns = ticks_.budget->period_ns();
    ticks_.shortest_ns = UINT64_MAX;
    ticks_.longest_ns = 0;
    ticks_.begun = UsedByNow();
  }

  TickBudget::Usage UsedByNow() const {
    CallSampler& sampler = CallSampler::Get();
    TickBudget::Usage usage{.taken_ns = sampler.TakenNs() + attended_ns_, .bursts = sampler.bursts()};
    usage.program_ns = static_cast<double>(ClockNs(CLOCK_PROCESS_CPUTIME_ID)) - usage.taken_ns;
    return usage;
  }
  // Since the session began, or was given another budget.
  TickBudget::Usage Used() const {
    const TickBudget::Usage now = UsedByNow();
    return {now.program_ns - ticks_.begun.program_ns, now.taken_ns - ticks_.begun.taken_ns, now.bursts - ticks_.begun.bursts};
  }

  void RecordTick(profile::Profile& profile) {
    auto& metadata = profile.metadata;
    if (ticks_.budget) {
      metadata["tick"] = Milliseconds(ticks_.first_ns);
      if (ticks_.longest_ns > 0) metadata["tick"] += ", then " + Milliseconds(ticks_.shortest_ns);
      if (ticks_.longest_ns > ticks_.shortest_ns) metadata["tick"] += " to " + Milliseconds(ticks_.longest_ns);
    } else {
      metadata["tick"] = options_.Text("tick");
      metadata.erase("overhead");
    }
    const TickBudget::Usage used = Used();
    char text[64];
    std::snprintf(text, sizeof text, "%.2f %% of %.1f s", 100 * used.taken_ns / std::max(used.program_ns, 1.0), used.program_ns / 1e9);
    metadata["overhead-taken"] = text;
  }

  void FollowBudget() {
    if (!ticks_.budget->Follow(Used(), !options_.IsSet("until-accuracy")) || !Apply(options_).ok()) return;
    ticks_.shortest_ns = std::min(ticks_.shortest_ns, ticks_.budget->period_ns());
    ticks_.longest_ns = std::max(ticks_.longest_ns, ticks_.budget->period_ns());
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
  bool keeps_marks_ = false;
  struct Ticks {
    std::optional<TickBudget> budget;  // unless somebody chose a tick
    TickBudget::Usage begun;           // when the budget was opened, or the session began
    uint64_t first_ns = 0;
    uint64_t shortest_ns = UINT64_MAX, longest_ns = 0;  // after the first
  } ticks_;
  double attended_ns_ = 0;
};

}  // namespace

std::unique_ptr<Collector> MakeCallsCollector() { return std::make_unique<CallsCollector>(); }

sampling::DoctorReport ExamineCalls(JavaVM* vm, JNIEnv* jni) {
  return CallSampler::Get().Examine(vm, jni);
}

}  // namespace assay::agent
