#include "src/agent/sampled_collector.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>

#include "src/agent/class_filter.h"
#include "src/agent/class_hook.h"
#include "src/agent/runtime_class.h"
#include "src/agent/sampled_memory.h"
#include "src/agent/sampled_results.h"
#include "src/agent/sampled_timer.h"
#include "src/agent/vm_info.h"
#include "src/instrument/duplicate.h"
#include "src/profile/names.h"

extern "C" const unsigned char assay_class_sampled[];
extern "C" const unsigned char assay_class_sampled_end[];

namespace assay::agent {
namespace {

constexpr char kRuntimeClass[] = "java/lang/AssaySampled";

// Continuations freeze and thaw frames between their instructions; the probes stay out of there.
bool MustNotBeRewritten(std::string_view name) {
  return name == kRuntimeClass || name.starts_with("jdk/internal/vm/");
}

using Plugins = std::vector<std::unique_ptr<instrument::Instrumentation>>;

// What classes are rewritten with. A class hook on another thread may still be using the one of the
// session before, so it is replaced as a whole and the old one is not freed.
struct Rewriting {
  instrument::DuplicateOptions duplicate;
  std::vector<const instrument::Instrumentation*> plugins;
};

// Everything that rewritten code and class hooks may still touch after a session ended; made once,
// never destroyed. Counters refer to instrumentations, so those of all sessions stay.
struct Engine {
  SampledMemory memory;
  SampledResults results{memory};
  FilterInUse filter;
  std::atomic<const Rewriting*> rewriting{nullptr};
  Plugins known;
  jvmtiEnv* jvmti = nullptr;
  jclass runtime = nullptr;
};

Engine* engine = nullptr;

std::string ValueText(jlong value, jint kind) {
  char text[40];
  switch (kind) {
    case 3: {
      float number;
      int32_t bits = static_cast<int32_t>(value);
      std::memcpy(&number, &bits, sizeof number);
      std::snprintf(text, sizeof text, "%.9g", static_cast<double>(number));
      return text;
    }
    case 4: {
      double number;
      std::memcpy(&number, &value, sizeof number);
      std::snprintf(text, sizeof text, "%.17g", number);
      return text;
    }
    default:
      return std::to_string(value);
  }
}

std::string ClassText(jclass type) {
  char* signature = nullptr;
  if (type == nullptr) return "null";
  if (engine->jvmti->GetClassSignature(type, &signature, nullptr) != JVMTI_ERROR_NONE) return "?";
  std::string name(signature);
  engine->jvmti->Deallocate(reinterpret_cast<unsigned char*>(signature));
  if (name.starts_with('L')) name = name.substr(1, name.size() - 2);
  return profile::StableClassName(std::move(name));
}

jlong JNICALL Setup(JNIEnv*, jclass) { return reinterpret_cast<jlong>(engine->memory.shared()); }

jlong JNICALL NewKey(JNIEnv*, jclass, jlong key, jobject type, jlong value, jint kind) {
  std::string text = kind == 0 ? ClassText(static_cast<jclass>(type)) : ValueText(value, kind);
  return reinterpret_cast<jlong>(engine->memory.NewKey(key, kind != 0, std::move(text)));
}

void JNICALL OnClassFile(jvmtiEnv* jvmti, JNIEnv*, jclass, jobject, const char* given_name, jobject,
                         jint size, const unsigned char* data, jint* new_size,
                         unsigned char** new_data) {
  HookedClass loaded(given_name, data, size);
  // Filtered classes count too when a call's target is looked for.
  if (loaded.file().ok()) engine->results.AddClass(*loaded.file());
  if (MustNotBeRewritten(loaded.name()) || !engine->filter.Wants(loaded.name())) return;
  const Rewriting& how = *engine->rewriting.load();
  instrument::DuplicatePass pass(how.duplicate, how.plugins, engine->results);
  loaded.Rewrite(pass, engine->results.registry(), jvmti, new_size, new_data);
}

Status DefineRuntime(JavaVM* vm, JNIEnv* jni) {
  if (engine->runtime != nullptr) return {};
  if (!engine->memory.Reserve()) return Error{"no address space for the counters"};
  JNINativeMethod natives[] = {
      NativeMethod("setup", "()J", reinterpret_cast<void*>(Setup)),
      NativeMethod("newKey", "(JLjava/lang/Object;JI)J", reinterpret_cast<void*>(NewKey)),
  };
  ByteSpan bytes(assay_class_sampled,
                 static_cast<size_t>(assay_class_sampled_end - assay_class_sampled));
  // The initializer runs while no class is rewritten yet.
  ASSAY_ASSIGN(engine->runtime,
               DefineRuntimeClass(vm, jni, kRuntimeClass, bytes, natives, "SHARED", "J"));
  return {};
}

Result<std::vector<const instrument::Instrumentation*>> ChoosePlugins(
    const std::vector<std::string>& names) {
  std::vector<const instrument::Instrumentation*> plugins;
  for (const std::string& name : names) {
    auto is_it = [&name](const auto& plugin) { return plugin->name() == name; };
    auto it = std::find_if(engine->known.begin(), engine->known.end(), is_it);
    if (it == engine->known.end()) {
      auto plugin = instrument::MakeInstrumentation(name);
      if (plugin == nullptr) {
        std::string all;
        for (std::string_view each : instrument::AllInstrumentations())
          all += " " + std::string(each);
        return Error{"option instrument: there is no '" + name + "'; known:" + all};
      }
      it = engine->known.insert(engine->known.end(), std::move(plugin));
    }
    plugins.push_back(it->get());
  }
  if (plugins.empty()) return Error{"option instrument: nothing to count"};
  return plugins;
}

instrument::Duplication ToDuplication(const std::string& text) {
  if (text == "partial") return instrument::Duplication::kPartial;
  if (text == "none") return instrument::Duplication::kNone;
  if (text == "auto") return instrument::Duplication::kAutomatic;
  return instrument::Duplication::kFull;
}

// What cannot be changed without rewriting everything again.
constexpr std::string_view kFixed[] = {"instrument",   "duplication", "trigger",      "iterations",
                                       "include",      "exclude",     "count-checks", "checks-only",
                                       "huge-methods", "seed",        "output",       "by-calls"};

class SampledCollector : public Collector {
 public:
  Status Prepare(JavaVM* vm, const Options& options) override {
    if (engine == nullptr) engine = new Engine;
    ASSAY_TRY(Configure(options));
    if (engine->jvmti != nullptr) return {};
    ASSAY_ASSIGN(engine->jvmti, MakeRewritingEnvironment(vm, OnClassFile));
    return {};
  }

  Status Start(JavaVM* vm, JNIEnv* jni, const Options& options, Phase) override {
    ASSAY_TRY(Prepare(vm, options));
    vm_ = vm;
    options_ = options;
    ASSAY_TRY(DefineRuntime(vm, jni));
    engine->results.Restart();
    engine->memory.shared()->seed = static_cast<int64_t>(options.Count("seed"));
    // First: a thread that meets a check while the interval is 0 asks again 16,384 checks later.
    SetTrigger(jni);
    StartRewriting(engine->jvmti, jni, engine->results.registry());
    return {};
  }

  Status Reconfigure(const Options& changed) override {
    for (std::string_view name : kFixed) {
      if (changed.IsSet(name) && changed.Text(name) != options_.Text(name)) {
        return Error{"option " + std::string(name) +
                     " cannot be changed while running; detach and attach again"};
      }
    }
    engine->results.Accumulate(weight_);
    options_.Update(changed);
    SetTrigger(CurrentJni(vm_));
    return {};
  }

  void Snapshot(profile::Profile& profile) override {
    engine->results.Accumulate(weight_);
    engine->results.Fill(profile);
    if (!engine->rewriting.load()->duplicate.count_checks) return;
    auto& table = profile.tables["checks"];
    table.columns = {"executed"};
    table.rows.clear();
    constexpr const char* kNames[] = {"entries", "back edges", "checks"};
    for (int i = 0; i < 3; ++i) {
      int64_t count = engine->memory.shared()->notes[i].count;
      table.rows.push_back({{kNames[i]}, static_cast<uint64_t>(count), static_cast<double>(count)});
    }
  }

  void Stop(bool at_vm_death) override {
    timer_.Stop();
    engine->memory.shared()->interval = 0;
    StopRewriting(engine->jvmti, at_vm_death ? nullptr : CurrentJni(vm_));
  }

 private:
  static Status Configure(const Options& options) {
    ASSAY_ASSIGN(auto plugins, ChoosePlugins(options.List("instrument")));
    engine->filter.Set(options);
    auto* rewriting = new Rewriting{.plugins = std::move(plugins)};
    auto& duplicate = rewriting->duplicate;
    duplicate.duplication = ToDuplication(options.Text("duplication"));
    std::string trigger = options.Text("trigger");
    duplicate.check = trigger == "thread" ? "thread" : trigger == "timer" ? "timer" : "counter";
    duplicate.iterations =
        static_cast<uint32_t>(std::clamp<uint64_t>(options.Count("iterations"), 1, 1'000'000));
    duplicate.max_bytes = options.Flag("huge-methods") ? 65535 : 8000;
    duplicate.count_checks = options.Flag("count-checks");
    std::string checks = options.Text("checks-only");
    duplicate.checks_only = checks != "no";
    duplicate.entry_checks = checks != "back-edges";
    duplicate.back_edge_checks = checks != "entries";
    duplicate.by_calls = ByCalls(options);
    engine->rewriting.store(rewriting);
    return {};
  }

  // Calls by classes that are left out would be missing.
  static bool ByCalls(const Options& options) {
    auto names = options.List("instrument");
    return options.Flag("by-calls") && !options.IsSet("include") && !options.IsSet("exclude") &&
           std::find(names.begin(), names.end(), "call-edge") != names.end();
  }

  void SetTrigger(JNIEnv* jni) {
    uint64_t interval = options_.Count("interval");
    bool by_time = engine->rewriting.load()->duplicate.check == "timer";
    // How many executions a timer's samples stand for is not known.
    weight_ = by_time ? 1 : static_cast<double>(interval);
    uint64_t most = interval == 0 ? 0 : interval - 1;
    auto* shared = engine->memory.shared();
    shared->jitter = static_cast<int64_t>(std::min(options_.Count("jitter"), most));
    shared->interval = static_cast<int64_t>(interval);
    if (by_time && interval != 0) {
      timer_.Start(shared->tick, options_.Nanoseconds("tick"));
    } else {
      timer_.Stop();
    }
    if (jni == nullptr) return;
    jmethodID restart = jni->GetStaticMethodID(engine->runtime, "restart", "()V");
    if (restart != nullptr) jni->CallStaticVoidMethod(engine->runtime, restart);
    if (jni->ExceptionCheck()) jni->ExceptionClear();
  }

  JavaVM* vm_ = nullptr;
  Options options_;
  SampledTimer timer_;
  double weight_ = 1;
};

}  // namespace

std::unique_ptr<Collector> MakeSampledCollector() { return std::make_unique<SampledCollector>(); }

}  // namespace assay::agent
