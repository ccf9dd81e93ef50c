#include "src/agent/exact_collector.h"

#include <chrono>
#include <string>
#include <unordered_map>
#include <vector>

#include "src/agent/call_origin.h"
#include "src/agent/class_filter.h"
#include "src/agent/class_hook.h"
#include "src/agent/exact_memory.h"
#include "src/agent/exact_registry.h"
#include "src/agent/exact_snapshot.h"
#include "src/agent/runtime_class.h"
#include "src/agent/vm_info.h"
#include "src/instrument/exact_pass.h"

extern "C" const unsigned char assay_class_exact[];
extern "C" const unsigned char assay_class_exact_end[];

namespace assay::agent {
namespace {

constexpr char kRuntimeClass[] = "java/lang/AssayExact";

// Classes that change which thread is the current one in the middle of a method, so that entry and
// exit would be counted on different threads, and the probes themselves.
bool MustNotBeRewritten(std::string_view name) {
  return name == kRuntimeClass || name.starts_with("java/lang/VirtualThread") ||
         name.starts_with("jdk/internal/vm/");
}

// Everything that probes and class hooks may still touch after a session ended; made once, never
// destroyed. A later session reuses it, because the probes hold its addresses.
struct Engine {
  explicit Engine(uint64_t max_contexts) : memory(max_contexts) {}
  ExactMemory memory;
  ExactRegistry registry;
  FilterInUse filter;
  std::unique_ptr<CallOrigin> origin;
  jvmtiEnv* jvmti = nullptr;
  bool runtime_ready = false;
};

Engine* engine = nullptr;

jlong JNICALL Setup(JNIEnv*, jclass) { return reinterpret_cast<jlong>(engine->memory.shared()); }

jlong JNICALL OpenThread(JNIEnv*, jclass, jlong tid) {
  return reinterpret_cast<jlong>(engine->memory.OpenThread(static_cast<uint64_t>(tid)));
}

void JNICALL CloseThread(JNIEnv*, jclass, jlong state) {
  engine->memory.CloseThread(reinterpret_cast<ExactState*>(state));
}

jlong JNICALL GrowStack(JNIEnv*, jclass, jlong state) {
  return reinterpret_cast<jlong>(engine->memory.GrowStack(reinterpret_cast<ExactState*>(state)));
}

jlong JNICALL NewChild(JNIEnv*, jclass, jlong node, jlong key) {
  return reinterpret_cast<jlong>(
      engine->memory.Child(reinterpret_cast<ExactNode*>(node), static_cast<uint64_t>(key)));
}

jint JNICALL FindSite(JNIEnv* jni, jclass, jint site, jint method) {
  return static_cast<jint>(
      engine->origin->Find(jni, static_cast<uint32_t>(site), static_cast<uint32_t>(method)));
}

void JNICALL OnClassFile(jvmtiEnv* jvmti, JNIEnv*, jclass, jobject, const char* given_name, jobject,
                         jint size, const unsigned char* data, jint* new_size,
                         unsigned char** new_data) {
  HookedClass loaded(given_name, data, size);
  if (MustNotBeRewritten(loaded.name()) || !engine->filter.Wants(loaded.name())) return;
  if (loaded.file().ok()) engine->registry.AddClass(*loaded.file());
  instrument::ExactPass pass(engine->registry);
  loaded.Rewrite(pass, engine->registry, jvmti, new_size, new_data);
}

Status DefineRuntime(JavaVM* vm, JNIEnv* jni) {
  if (engine->runtime_ready) return {};
  JNINativeMethod natives[] = {
      NativeMethod("setup", "()J", reinterpret_cast<void*>(Setup)),
      NativeMethod("openThread", "(J)J", reinterpret_cast<void*>(OpenThread)),
      NativeMethod("closeThread", "(J)V", reinterpret_cast<void*>(CloseThread)),
      NativeMethod("growStack", "(J)J", reinterpret_cast<void*>(GrowStack)),
      NativeMethod("newChild", "(JJ)J", reinterpret_cast<void*>(NewChild)),
      NativeMethod("findSite", "(II)I", reinterpret_cast<void*>(FindSite)),
  };
  ByteSpan bytes(assay_class_exact, static_cast<size_t>(assay_class_exact_end - assay_class_exact));
  // The initializer runs while no class is rewritten yet.
  ASSAY_TRY(DefineRuntimeClass(vm, jni, kRuntimeClass, bytes, natives, "TREE", "J"));
  engine->runtime_ready = true;
  return {};
}

class ExactCollector : public Collector {
 public:
  Status Prepare(JavaVM* vm, const Options& options) override {
    if (engine == nullptr) engine = new Engine(options.Count("max-contexts"));
    if (engine->jvmti != nullptr) return {};
    ASSAY_ASSIGN(engine->jvmti, MakeRewritingEnvironment(vm, OnClassFile));
    return {};
  }

  Status Start(JavaVM* vm, JNIEnv* jni, const Options& options, Phase) override {
    ASSAY_TRY(Prepare(vm, options));
    vm_ = vm;
    ResetCounts(engine->memory);
    engine->filter.Set(options);
    // Made once: a probe of the session before may still be inside.
    if (engine->origin == nullptr) {
      engine->origin =
          std::make_unique<CallOrigin>(engine->jvmti, engine->registry, kRuntimeClass);
    }
    ASSAY_TRY(DefineRuntime(vm, jni));
    StartRewriting(engine->jvmti, jni, engine->registry);
    return {};
  }

  void Snapshot(profile::Profile& profile) override {
    using Clock = std::chrono::steady_clock;
    // A tree of millions of contexts takes longer to copy than a second allows: stay under a tenth
    // of the time.
    auto begin = Clock::now();
    if (!stopped_ && begin - last_snapshot_ < 10 * snapshot_cost_) return;
    FillProfile(engine->memory, engine->registry, stopped_, profile);
    last_snapshot_ = Clock::now();
    snapshot_cost_ = last_snapshot_ - begin;
  }

  void Stop(bool at_vm_death) override {
    stopped_ = true;
    StopRewriting(engine->jvmti, at_vm_death ? nullptr : CurrentJni(vm_));
  }

 private:
  JavaVM* vm_ = nullptr;
  bool stopped_ = false;
  std::chrono::steady_clock::time_point last_snapshot_;
  std::chrono::steady_clock::duration snapshot_cost_{};
};

}  // namespace

std::unique_ptr<Collector> MakeExactCollector() { return std::make_unique<ExactCollector>(); }

}  // namespace assay::agent
