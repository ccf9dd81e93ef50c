#include "src/agent/contexts_collector.h"

#include "src/sampling/hotspot/context_sampler.h"

namespace assay::agent {
namespace {

using sampling::ContextSampler;
using sampling::ContextSettings;

Result<ContextSettings> SettingsOf(const Options& options) {
  ContextSettings settings;
  if (options.IsSet("tick")) settings.tick_ns = options.Nanoseconds("tick");
  if (settings.tick_ns < 50000) return Error{"tick: the shortest possible is 50us"};
  settings.wall = options.Text("clock") == "wall";
  if (options.Text("ticker") == "cpu") {
    if (settings.wall) return Error{"ticker=cpu: CPU timers do not tick for threads that wait; clock=wall goes with ticker=remote"};
    settings.ticker = sampling::Ticker::kCpu;
  }
  uint64_t frames = options.Count("max-frames");
  if (frames < 1 || frames >= sampling::ContextTrail::kFrames) {
    return Error{"max-frames: from 1 to " + std::to_string(sampling::ContextTrail::kFrames - 1)};
  }
  settings.max_frames = static_cast<uint32_t>(frames);
  settings.half_life_ns = options.Nanoseconds("half-life");
  if (options.IsSet("max-contexts")) settings.max_contexts = options.Count("max-contexts");
  if (settings.max_contexts < 1000) return Error{"max-contexts: at least 1000"};
  settings.watermark = options.Flag("watermark");
  settings.verify = options.Flag("verify-walks");
  settings.seed = options.Count("seed");
  return settings;
}

class ContextsCollector final : public Collector {
 public:
  Status Prepare(JavaVM* vm, const Options& options) override {
    ASSAY_TRY(SettingsOf(options));
    return ContextSampler::Get().Prepare(vm);
  }

  Status Start(JavaVM* vm, JNIEnv* jni, const Options& options, Phase phase) override {
    vm_ = vm;
    options_ = options;
    ASSAY_ASSIGN(ContextSettings settings, SettingsOf(options));
    tick_ns_ = settings.tick_ns;
    return ContextSampler::Get().Start(vm, jni, settings);
  }

  Status Reconfigure(const Options& changed) override {
    Options options = options_;
    options.Update(changed);
    ASSAY_ASSIGN(ContextSettings settings, SettingsOf(options));
    ASSAY_TRY(ContextSampler::Get().Reconfigure(settings));
    options_ = options;
    tick_ns_ = settings.tick_ns;
    return {};
  }

  void Snapshot(profile::Profile& profile) override {
    profile.metadata["tick"] = std::to_string(tick_ns_ / 1000) + "us";
    if (!options_.IsSet("max-contexts")) profile.metadata.erase("max-contexts");
    JNIEnv* jni = nullptr;
    if (vm_->GetEnv(reinterpret_cast<void**>(&jni), JNI_VERSION_1_6) != JNI_OK) jni = nullptr;
    ContextSampler::Get().Snapshot(jni, profile);
  }
  bool BeginSegment() override {
    ContextSampler::Get().BeginSegment();
    return true;
  }
  void Stop(bool at_vm_death) override { ContextSampler::Get().Stop(); }

 private:
  JavaVM* vm_ = nullptr;
  Options options_;
  uint64_t tick_ns_ = 0;
};

}  // namespace

std::unique_ptr<Collector> MakeContextsCollector() { return std::make_unique<ContextsCollector>(); }

sampling::Mechanism ExamineContexts(JavaVM* vm, JNIEnv* jni) {
  return ContextSampler::Get().Examine(vm, jni);
}

}  // namespace assay::agent
