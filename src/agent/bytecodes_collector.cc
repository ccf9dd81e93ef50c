#include "src/agent/bytecodes_collector.h"

#include <cstdio>
#include <memory>
#include <string>

#include "src/agent/class_filter.h"
#include "src/agent/class_hook.h"
#include "src/agent/class_loaders.h"
#include "src/agent/context_store.h"
#include "src/agent/exact_registry.h"
#include "src/agent/java_agent.h"
#include "src/agent/runtime_class.h"
#include "src/agent/thread_field.h"
#include "src/agent/vm_info.h"
#include "src/base/hash.h"
#include "src/instrument/count_pass.h"
#include "src/instrument/count_scope.h"

extern "C" const unsigned char assay_class_count[];
extern "C" const unsigned char assay_class_count_end[];

namespace assay::agent {
namespace {

constexpr uint64_t kFewChecksFrom = 100;
constexpr char kRuntimeClass[] = "java/lang/AssayCounter";

class Numbers : public instrument::MethodNumbers {
 public:
  explicit Numbers(ExactRegistry& registry) : registry_(registry) {}
  uint32_t Method(std::string_view class_name, std::string_view name,
                  std::string_view descriptor) override {
    return registry_.Method(class_name, name, descriptor);
  }

 private:
  ExactRegistry& registry_;
};

// Everything that rewritten code and class hooks may still touch after a session ended; made once,
// never destroyed.
struct Engine {
  ContextStore contexts;
  ExactRegistry registry;
  Numbers numbers{registry};
  FilterInUse filter;
  instrument::CountOptions count;
  bool all_are_application = false;  // classes were chosen by --include
  uint32_t granularity = 0;
  uint32_t jitter = 0;
  uint32_t seed = 0;
  std::string weights_digest;        // "" without --weights
  std::unique_ptr<JavaAgent> agent;  // null: samples go to contexts
  jvmtiEnv* jvmti = nullptr;
  jclass runtime = nullptr;
  bool thread_field = false;  // Thread has a field for the counter
  jobject platform_loader = nullptr;
};

Engine* engine = nullptr;

jint JNICALL Setup(JNIEnv*, jclass, jint what) {
  const uint32_t values[] = {engine->granularity, engine->jitter, engine->seed,
                             engine->agent != nullptr ? 1u : 0u,
                             engine->thread_field ? 1u : 0u};
  return static_cast<jint>(values[what]);
}

jint JNICALL Record(JNIEnv* jni, jclass, jintArray stack, jint depth, jlong bytecodes) {
  if (engine->agent != nullptr) return engine->agent->Sample(jni, stack, depth, bytecodes);
  auto* entries = static_cast<int32_t*>(jni->GetPrimitiveArrayCritical(stack, nullptr));
  if (entries == nullptr) return 0;
  engine->contexts.Add(entries, depth, static_cast<uint64_t>(bytecodes));
  jni->ReleasePrimitiveArrayCritical(stack, entries, 0);
  return 0;
}

jint JNICALL Register(JNIEnv* jni, jclass, jobject thread) {
  return engine->agent == nullptr ? 0 : engine->agent->Register(jni, thread);
}

bool IsJdkLoader(JNIEnv* jni, jobject loader) {
  return loader == nullptr || jni->IsSameObject(loader, engine->platform_loader);
}

void JNICALL OnClassFile(jvmtiEnv* jvmti, JNIEnv* jni, jclass, jobject loader,
                         const char* given_name, jobject, jint size, const unsigned char* data,
                         jint* new_size, unsigned char** new_data) {
  HookedClass loaded(given_name, data, size);
  const std::string& name = loaded.name();
  if (instrument::IsNeverCounted(name) || !engine->filter.Wants(name)) return;
  if (loaded.file().ok()) engine->registry.AddClass(*loaded.file());
  bool jdk_class = !engine->all_are_application && IsJdkLoader(jni, loader);
  instrument::CountPass pass(engine->numbers, engine->count, jdk_class);
  loaded.Rewrite(pass, engine->registry, jvmti, new_size, new_data);
}

jobject PlatformLoader(JNIEnv* jni) {
  jobject loader = FindClassLoader(jni, ClassLoaderOf::kPlatform);
  return loader == nullptr ? nullptr : jni->NewGlobalRef(loader);
}

Status DefineRuntime(JavaVM* vm, JNIEnv* jni) {
  if (engine->runtime != nullptr) return {};
  JNINativeMethod natives[] = {
      NativeMethod("setup", "(I)I", reinterpret_cast<void*>(Setup)),
      NativeMethod("record", "([IIJ)I", reinterpret_cast<void*>(Record)),
      NativeMethod("register", "(Ljava/lang/Thread;)I", reinterpret_cast<void*>(Register)),
  };
  ByteSpan bytes(assay_class_count, static_cast<size_t>(assay_class_count_end - assay_class_count));
  ASSAY_ASSIGN(engine->runtime,
               DefineRuntimeClass(vm, jni, kRuntimeClass, bytes, natives, "granularity", "I"));
  return {};
}

void SetStatic(JNIEnv* jni, const char* name, uint32_t value) {
  if (jfieldID field = jni->GetStaticFieldID(engine->runtime, name, "I")) {
    jni->SetStaticIntField(engine->runtime, field, static_cast<jint>(value));
  } else {
    jni->ExceptionClear();
  }
}

uint64_t Unsampled(JNIEnv* jni) {
  jmethodID method = jni->GetStaticMethodID(engine->runtime, "unsampled", "()J");
  if (method == nullptr) {
    jni->ExceptionClear();
    return 0;
  }
  jlong value = jni->CallStaticLongMethod(engine->runtime, method);
  if (jni->ExceptionCheck()) jni->ExceptionClear();
  return value < 0 ? 0 : static_cast<uint64_t>(value);
}

Status TakeWeights(const std::string& path) {
  engine->count.weights = {};
  engine->weights_digest.clear();
  if (path.empty()) return {};
  FILE* in = std::fopen(path.c_str(), "re");
  if (in == nullptr) return Error{"cannot read the weights in " + path};
  char text[16384];
  const size_t size = std::fread(text, 1, sizeof text, in);
  std::fclose(in);
  auto weights = instrument::ParseWeights({text, size});
  if (!weights.ok()) return Error{path + ", " + weights.error().message};
  engine->count.weights = *weights;
  engine->weights_digest = std::to_string(HashBytes({text, size}));
  return {};
}

// Threads that an agent knows cannot be taken from it, so it stays for the life of the VM.
Status TakeAgent(JavaVM* vm, const Options& options) {
  const bool wanted = options.IsSet("agent");
  if (options.IsSet("agent-jar") && !wanted) return Error{"agent-jar needs agent, the class in it"};
  if (wanted && (options.IsSet("granularity") || options.IsSet("jitter"))) {
    return Error{"the agent chooses granularity and jitter; leave these options out"};
  }
  if (engine->runtime != nullptr && (wanted || engine->agent != nullptr)) {
    return Error{"a profiling agent in Java is there from the start of the program or not at all"};
  }
  if (!wanted || engine->agent != nullptr) return {};
  engine->agent = std::make_unique<JavaAgent>(
      vm, options.Text("agent"), options.Text("agent-jar"),
      JavaAgent::Source{[](uint32_t method) { return engine->registry.Describe(method); },
                        Unsampled});
  return {};
}

Status TakeOptions(const Options& options) {
  const uint64_t granularity = options.Count("granularity");
  const uint64_t jitter = options.IsSet("jitter") ? options.Count("jitter") : 100;
  // The counter is an int, and a sample may come late by a block.
  if (granularity < 1 || granularity + jitter > 500'000'000) {
    return Error{"granularity must be between 1 and 500M bytecodes, jitter included"};
  }
  engine->granularity = static_cast<uint32_t>(granularity);
  engine->jitter = static_cast<uint32_t>(jitter);
  engine->seed = static_cast<uint32_t>(options.Count("seed"));
  engine->count.max_path = static_cast<uint32_t>(options.Count("max-path"));
  engine->count.leaf_methods = options.Flag("leaf-methods");
  // Intervals as short as a block: what a sample is charged with should be its own.
  engine->count.fewer_checks = options.Flag("fewer-checks") && granularity >= kFewChecksFrom;
  ASSAY_TRY(TakeWeights(options.Text("weights")));
  engine->filter.Set(options);
  engine->all_are_application = options.IsSet("include");
  return {};
}

class BytecodesCollector : public Collector {
 public:
  Status Prepare(JavaVM* vm, const Options& options) override {
    if (engine == nullptr) engine = new Engine;
    ASSAY_TRY(TakeOptions(options));
    ASSAY_TRY(TakeAgent(vm, options));
    if (engine->jvmti != nullptr) return {};
    ASSAY_ASSIGN(engine->jvmti, MakeRewritingEnvironment(vm, OnClassFile));
    WantThreadField(vm, "L" + std::string(kRuntimeClass) + ";");
    return {};
  }

  Status Start(JavaVM* vm, JNIEnv* jni, const Options& options, Phase phase) override {
    if (phase == Phase::kAttach && options.IsSet("agent")) {
      return Error{
          "a profiling agent in Java needs assay run: it is there from the start or not at all"};
    }
    ASSAY_TRY(Prepare(vm, options));
    vm_ = vm;
    engine->contexts.Clear();
    if (engine->platform_loader == nullptr) engine->platform_loader = PlatformLoader(jni);
    engine->thread_field = SettleThreadField();
    ASSAY_TRY(DefineRuntime(vm, jni));
    SetStatic(jni, "granularity", engine->granularity);
    SetStatic(jni, "jitter", engine->jitter);
    StartRewriting(engine->jvmti, jni, engine->registry);
    return {};
  }

  void Snapshot(profile::Profile& profile) override {
    profile.self_unit = "bytecodes";
    if (!engine->weights_digest.empty()) {
      profile.self_unit = "cost";
      // The name of the file is not part of a deterministic profile; its content is.
      profile.metadata["weights"] = engine->weights_digest;
    }
    if (engine->agent != nullptr) {
      for (const char* unused : {"agent-jar", "granularity", "jitter"})
        profile.metadata.erase(unused);
    } else {
      profile.metadata["jitter"] = std::to_string(engine->jitter);
    }
    engine->contexts.Fill(
        profile, [&](uint32_t method) { return engine->registry.ProfileMethod(profile, method); });
    engine->registry.MoveNotes(profile);
    JNIEnv* jni = CurrentJni(vm_);
    if (jni == nullptr) return;
    if (engine->agent != nullptr) return;  // which knows how many there were
    profile.metadata["bytecodes"] = std::to_string(engine->contexts.bytecodes() + Unsampled(jni));
  }

  void Stop(bool at_vm_death) override {
    StopRewriting(engine->jvmti, at_vm_death ? nullptr : CurrentJni(vm_));
  }

  bool IsDeterministic() const override { return true; }

 private:
  JavaVM* vm_ = nullptr;
};

}  // namespace

std::unique_ptr<Collector> MakeBytecodesCollector() {
  return std::make_unique<BytecodesCollector>();
}

}  // namespace assay::agent
