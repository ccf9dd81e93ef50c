#include "src/agent/probe_yieldpoint.h"

#include <mutex>
#include <unordered_map>

#include "src/agent/class_filter.h"
#include "src/agent/class_hook.h"
#include "src/agent/retransform.h"
#include "src/agent/runtime_class.h"
#include "src/agent/vm_info.h"
#include "src/base/hash.h"
#include "src/instrument/entry_probe.h"
#include "src/sampling/hotspot/call_sampler.h"

extern "C" const unsigned char assay_class_probe[];
extern "C" const unsigned char assay_class_probe_end[];

namespace assay::agent {
namespace {

using sampling::Hooks;
using sampling::ThreadSlot;
using sampling::WalkedFrame;

constexpr char kRuntimeClass[] = "java/lang/AssayProbe";
// Frames of the runtime on top of the method that was entered: hit and enter.
constexpr jint kOwnFrames = 2;
constexpr uint32_t kShortest = 7;

// What probes and the class hook may touch at any time; made once, never destroyed.
struct Engine {
  // How many threads are armed; what the probes test. Alone in its cache line: every core reads it.
  alignas(64) std::atomic<int32_t> armed{0};
  alignas(64) jvmtiEnv* jvmti = nullptr;
  JavaVM* vm = nullptr;
  jclass runtime = nullptr;
  FilterInUse filter;
  const char* check = "enter";
  std::mutex mutex;
  // By how much the code of a method moved, by a hash of its names. Classes of the same name in several
  // loaders share an entry; at worst a bytecode index of one of them is off by one.
  std::unordered_map<uint64_t, uint8_t> moved;
};

Engine& The() {
  static Engine* engine = new Engine;
  return *engine;
}

// The helper itself, and what runs while it is not settled which thread is the current one.
bool MustNotBeRewritten(std::string_view name) {
  return name == kRuntimeClass || name == "jdk/internal/misc/Unsafe" ||
         name.starts_with("java/lang/VirtualThread") || name.starts_with("jdk/internal/vm/");
}

// The class in the form of source or of class files.
uint64_t NameHash(std::string_view class_name, std::string_view method, std::string_view descriptor) {
  uint64_t hash = 0;
  for (char c : class_name) hash = HashCombine(hash, static_cast<uint8_t>(c == '/' ? '.' : c));
  for (std::string_view text : {method, descriptor}) {
    for (char c : text) hash = HashCombine(hash, static_cast<uint8_t>(c));
  }
  return hash;
}

void NoteMoved(const classfile::ClassFile& file, const classfile::Method& method, uint32_t shift) {
  uint64_t hash = NameHash(file.Name(), file.NameOf(method), file.DescriptorOf(method));
  std::lock_guard lock(The().mutex);
  The().moved[hash] = static_cast<uint8_t>(shift);
}

bool Arm(ThreadSlot& slot) {
  if (slot.probing.exchange(1) != 0) return false;
  The().armed.fetch_add(1);
  return true;
}

void Disarm(ThreadSlot& slot) {
  if (slot.probing.exchange(0) != 0) The().armed.fetch_sub(1);
}

uint32_t Walk(WalkedFrame* frames, uint32_t depth) {
  jvmtiFrameInfo raw[sampling::kMaxDepth];
  jint count = 0;
  if (The().jvmti->GetStackTrace(nullptr, kOwnFrames, static_cast<jint>(depth), raw, &count) !=
          JVMTI_ERROR_NONE ||
      count == 0) {
    return 0;
  }
  for (jint i = 0; i < count; i++) {
    // A native method calls through JNI: its bytecode index is -1, and the caller is native code.
    bool native = i > 0 && raw[i].location < 0;
    frames[i] = {native ? sampling::kNativeFrame : reinterpret_cast<uintptr_t>(raw[i].method),
                 static_cast<int32_t>(raw[i].location)};
  }
  if (count == 1) frames[count++] = {sampling::kNativeFrame, -1};
  return static_cast<uint32_t>(count);
}

jlong JNICALL Setup(JNIEnv*, jclass) { return reinterpret_cast<jlong>(&The().armed); }

void JNICALL Hit(JNIEnv* jni, jclass) {
  ThreadSlot* slot = sampling::CallSampler::Get().SlotOf(jni);
  if (slot == nullptr || slot->probing.load(std::memory_order_relaxed) == 0) return;
  if (!Hooks().active.load(std::memory_order_relaxed) || sampling::OnProbedCall(*slot, Walk)) {
    Disarm(*slot);
  }
}

void JNICALL OnClassFile(jvmtiEnv* jvmti, JNIEnv*, jclass, jobject, const char* given_name, jobject,
                         jint size, const unsigned char* data, jint* new_size,
                         unsigned char** new_data) {
  std::string_view name = given_name == nullptr ? "" : given_name;
  if (MustNotBeRewritten(name) || !The().filter.Wants(name)) return;
  auto rewritten = instrument::AddEntryProbes({data, static_cast<size_t>(size)},
                                              {kRuntimeClass, The().check, kShortest, NoteMoved});
  // A class that is damaged or too large stays as it is; its calls are not seen.
  if (rewritten.ok()) HandOver(rewritten->bytes, jvmti, new_size, new_data);
}

Status DefineRuntime(JavaVM* vm, JNIEnv* jni) {
  if (The().runtime != nullptr) return {};
  JNINativeMethod natives[] = {NativeMethod("setup", "()J", reinterpret_cast<void*>(Setup)),
                               NativeMethod("hit", "()V", reinterpret_cast<void*>(Hit))};
  ByteSpan bytes(assay_class_probe, static_cast<size_t>(assay_class_probe_end - assay_class_probe));
  ASSAY_ASSIGN(The().runtime, DefineRuntimeClass(vm, jni, kRuntimeClass, bytes, natives, "ready", "I"));
  return {};
}

// Gives the check's branch a profile before anything is compiled with it; see AssayProbe.java.
void WarmUp(JNIEnv* jni) {
  jmethodID check = jni->GetStaticMethodID(The().runtime, The().check, "()V");
  for (int i = 0; check != nullptr && i < 20000; i++) {
    if (i % 64 == 0) The().armed.fetch_add(1);
    jni->CallStaticVoidMethod(The().runtime, check);
    if (i % 64 == 0) The().armed.fetch_sub(1);
    if (jni->ExceptionCheck()) break;
  }
  if (jni->ExceptionCheck()) jni->ExceptionClear();
}

class ProbeYieldpoint final : public sampling::Yieldpoint {
 public:
  const char* name() const override { return "probe"; }

  Status Install() override {
    JNIEnv* jni = CurrentJni(The().vm);
    if (jni == nullptr) return Error{"probes can only be installed on a Java thread"};
    ASSAY_TRY(DefineRuntime(The().vm, jni));
    WarmUp(jni);
    LoadWhatTheHookNeeds(The().jvmti, jni);
    SetHook(JVMTI_ENABLE);
    RetransformLoadedClasses(The().jvmti, jni);
    return {};
  }

  bool Remove(bool vm_is_ending) override {
    SetHook(JVMTI_DISABLE);
    JNIEnv* jni = CurrentJni(The().vm);
    if (vm_is_ending || jni == nullptr) return false;
    // Without the hook every class gets its own code back.
    return RetransformLoadedClasses(The().jvmti, jni) == 0;
  }

  bool Arm(uintptr_t thread) override {
    ThreadSlot* slot = Hooks().threads.Find(thread);
    return slot != nullptr && agent::Arm(*slot);
  }
  void Disarm(uintptr_t thread) override {
    if (ThreadSlot* slot = Hooks().threads.Find(thread)) agent::Disarm(*slot);
  }
  bool IsArmed(uintptr_t thread) const override {
    ThreadSlot* slot = Hooks().threads.Find(thread);
    return slot != nullptr && slot->probing.load(std::memory_order_relaxed) != 0;
  }
  bool RestsOnCompiledCode() const override { return false; }
  uint32_t MovedBy(const std::string& class_name, const std::string& method,
                   const std::string& descriptor) const override {
    std::lock_guard lock(The().mutex);
    auto it = The().moved.find(NameHash(class_name, method, descriptor));
    return it == The().moved.end() ? 0 : it->second;
  }
  const char* Sees() const override {
    return "calls of methods of 7 bytes of code and more, inlined or not";
  }
  std::string Describe() const override { return "a check at the entry of every method"; }

 private:
  static void SetHook(jvmtiEventMode mode) {
    The().jvmti->SetEventNotificationMode(mode, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, nullptr);
  }
};

}  // namespace

Status PrepareProbes(JavaVM* vm) {
  Engine& engine = The();
  if (engine.jvmti != nullptr) return {};
  ASSAY_ASSIGN(engine.jvmti, MakeRewritingEnvironment(vm, OnClassFile));
  engine.vm = vm;
  return {};
}

Result<std::unique_ptr<sampling::Yieldpoint>> MakeProbeYieldpoint(JavaVM* vm, JNIEnv* jni,
                                                                  const Options& options) {
  ASSAY_TRY(PrepareProbes(vm));
  The().filter.Set(options);
  The().check = options.Text("probe-read") == "volatile" ? "enterVolatile" : "enter";
  return std::unique_ptr<sampling::Yieldpoint>(new ProbeYieldpoint);
}

}  // namespace assay::agent
