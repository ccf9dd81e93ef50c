// What the context sampler tells: profiles, segments, and whether it can work in this VM.
#include <x86intrin.h>

#include <algorithm>

#include "src/sampling/hotspot/context_sampler.h"

namespace assay::sampling {

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
  ReportLosses(profile);
  ReportCosts(profile);
}

void ContextSampler::ReportLosses(profile::Profile& profile) const {
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
  lost("threads still followed from an earlier session", watch_->left_over());
  lost("methods not known to the interpreter's table", interpreted_.refused());
}

void ContextSampler::ReportCosts(profile::Profile& profile) const {
  const ContextRecorder::Counters& counters = recorder_.counters;
  auto& metadata = profile.metadata;
  metadata["watermark"] = !refusal_.empty() ? "none: " + refusal_
                          : via_.empty()    ? "none yet"
                                            : via_;
  metadata["calls-seen"] = "activations newly seen by samples";
  metadata["ticker"] = by_timers_ ? "cpu" : "remote";
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

}  // namespace assay::sampling
