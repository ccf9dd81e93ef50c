#include "src/agent/exact_collector.h"

#include <chrono>
#include <cstring>
#include <string>
#include <unordered_map>
#include <vector>

#include "src/agent/call_origin.h"
#include "src/agent/class_filter.h"
#include "src/agent/exact_memory.h"
#include "src/agent/exact_registry.h"
#include "src/agent/exact_snapshot.h"
#include "src/agent/quiet_natives.h"
#include "src/agent/retransform.h"
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
  ClassFilter filter;
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
  ByteSpan bytes(data, static_cast<size_t>(size));
  auto file = classfile::ParseClass(bytes);
  std::string name = given_name != nullptr ? given_name
                     : file.ok()           ? std::string(file->Name())
                                           : "";
  if (MustNotBeRewritten(name) || !engine->filter.Wants(name)) return;
  if (!file.ok()) {
    // The VM will say the same with its own words; nothing of ours is in the way.
    engine->registry.AddSkipped(SourceName(name), file.error().ToString());
    return;
  }
  engine->registry.AddClass(*file);
  instrument::ExactPass pass(engine->registry);
  instrument::Pass* passes[] = {&pass};
  auto rewritten = instrument::RewriteClass(bytes, passes);
  if (!rewritten.ok()) {
    engine->registry.AddSkipped(SourceName(name), rewritten.error().ToString());
    return;
  }
  for (const auto& skipped : rewritten->skipped) {
    engine->registry.AddSkipped(SourceName(name) + "." + skipped.method, skipped.reason);
  }
  if (rewritten->bytes.empty()) return;
  unsigned char* copy = nullptr;
  if (jvmti->Allocate(static_cast<jlong>(rewritten->bytes.size()), &copy) != JVMTI_ERROR_NONE) {
    return;
  }
  std::memcpy(copy, rewritten->bytes.data(), rewritten->bytes.size());
  *new_data = copy;
  *new_size = static_cast<jint>(rewritten->bytes.size());
}

Status DefineRuntime(JavaVM* vm, JNIEnv* jni) {
  if (engine->runtime_ready) return {};
  jclass type =
      jni->DefineClass(kRuntimeClass, nullptr, reinterpret_cast<const jbyte*>(assay_class_exact),
                       static_cast<jsize>(assay_class_exact_end - assay_class_exact));
  if (type == nullptr) {
    jni->ExceptionClear();
    return Error{"this JVM does not accept the runtime class " + std::string(kRuntimeClass)};
  }
  auto entry = [](const char* name, const char* signature, void* function) {
    return JNINativeMethod{const_cast<char*>(name), const_cast<char*>(signature), function};
  };
  JNINativeMethod natives[] = {
      entry("setup", "()J", reinterpret_cast<void*>(Setup)),
      entry("openThread", "(J)J", reinterpret_cast<void*>(OpenThread)),
      entry("closeThread", "(J)V", reinterpret_cast<void*>(CloseThread)),
      entry("growStack", "(J)J", reinterpret_cast<void*>(GrowStack)),
      entry("newChild", "(JJ)J", reinterpret_cast<void*>(NewChild)),
      entry("findSite", "(II)I", reinterpret_cast<void*>(FindSite)),
  };
  ASSAY_TRY(RegisterNativesQuietly(vm, jni, type, natives));
  // Asking for a static field runs the initializer, while no class is rewritten yet.
  if (jni->GetStaticFieldID(type, "TREE", "J") == nullptr) {
    jni->ExceptionClear();
    return Error{"the runtime class " + std::string(kRuntimeClass) + " cannot be initialized here"};
  }
  engine->runtime_ready = true;
  return {};
}

class ExactCollector : public Collector {
 public:
  Status Prepare(JavaVM* vm, const Options& options) override {
    if (engine == nullptr) engine = new Engine(options.Count("max-contexts"));
    if (engine->jvmti != nullptr) return {};
    jvmtiEnv* jvmti = nullptr;
    if (vm->GetEnv(reinterpret_cast<void**>(&jvmti), JVMTI_VERSION_11) != JNI_OK) {
      return Error{"this JVM has no JVMTI"};
    }
    jvmtiCapabilities capabilities = {};
    capabilities.can_generate_all_class_hook_events = 1;
    capabilities.can_retransform_classes = 1;
    if (jvmti->AddCapabilities(&capabilities) != JVMTI_ERROR_NONE) {
      return Error{"this JVM cannot rewrite classes"};
    }
    jvmtiEventCallbacks callbacks = {};
    callbacks.ClassFileLoadHook = OnClassFile;
    jvmti->SetEventCallbacks(&callbacks, sizeof callbacks);
    engine->jvmti = jvmti;
    return {};
  }

  Status Start(JavaVM* vm, JNIEnv* jni, const Options& options, Phase) override {
    ASSAY_TRY(Prepare(vm, options));
    vm_ = vm;
    ResetCounts(engine->memory);
    engine->registry.BeginProfile();
    engine->filter = ClassFilter(options);
    engine->origin = std::make_unique<CallOrigin>(engine->jvmti, engine->registry, kRuntimeClass);
    ASSAY_TRY(DefineRuntime(vm, jni));
    engine->jvmti->SetEventNotificationMode(JVMTI_ENABLE, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK,
                                            nullptr);
    uint64_t refused = RetransformLoadedClasses(engine->jvmti, jni);
    if (refused != 0)
      engine->registry.AddLost("classes loaded before that could not be changed", refused);
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
    engine->jvmti->SetEventNotificationMode(JVMTI_DISABLE, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK,
                                            nullptr);
    if (at_vm_death) return;
    // Without the hook, retransformation gives every class its own code back.
    JNIEnv* jni = CurrentJni(vm_);
    if (jni != nullptr) RetransformLoadedClasses(engine->jvmti, jni);
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
