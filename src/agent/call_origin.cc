#include "src/agent/call_origin.h"

#include "src/agent/exact_memory.h"
#include "src/base/hash.h"

namespace assay::agent {
namespace {

struct FrameMethod {
  std::string signature;  // of the class: Lpkg/Name; — with a '.' in it when hidden
  std::string name;
  std::string descriptor;
  bool native = false;
};

FrameMethod Describe(jvmtiEnv* jvmti, JNIEnv* jni, jmethodID method) {
  FrameMethod result;
  char* name = nullptr;
  char* descriptor = nullptr;
  char* signature = nullptr;
  jclass type = nullptr;
  jboolean native = JNI_FALSE;
  if (jvmti->GetMethodName(method, &name, &descriptor, nullptr) != JVMTI_ERROR_NONE) return result;
  result.name = name;
  result.descriptor = descriptor;
  if (jvmti->GetMethodDeclaringClass(method, &type) == JVMTI_ERROR_NONE) {
    if (jvmti->GetClassSignature(type, &signature, nullptr) == JVMTI_ERROR_NONE) {
      result.signature = signature;
      jvmti->Deallocate(reinterpret_cast<unsigned char*>(signature));
    }
    jni->DeleteLocalRef(type);
  }
  jvmti->IsMethodNative(method, &native);
  result.native = native == JNI_TRUE;
  jvmti->Deallocate(reinterpret_cast<unsigned char*>(name));
  jvmti->Deallocate(reinterpret_cast<unsigned char*>(descriptor));
  return result;
}

// Whether the site's own instruction entered the method, with no frame between them. invokedynamic names none, and for the signature polymorphic
// methods of MethodHandle and VarHandle (JVMS 2.9.3) others are entered: the VM links them to methods of java.lang.invoke that it
// calls for nothing else; linkTo... and invokeBasic enter whatever their handle leads to.
bool IsEnteredBy(const ExactRegistry::SiteInfo& site, const FrameMethod& callee) {
  if (callee.name == site.name && callee.descriptor == site.descriptor) return true;
  const bool is_handle = site.owner == "java/lang/invoke/MethodHandle";
  if (is_handle && (site.name.starts_with("linkTo") || site.name == "invokeBasic")) return true;
  if (!is_handle && site.owner != "java/lang/invoke/VarHandle" && !site.name.empty()) return false;
  return callee.signature.starts_with("Ljava/lang/invoke/") &&
         (callee.signature.ends_with("$Holder;") || callee.signature == "Ljava/lang/invoke/VarHandleGuards;");
}

}  // namespace

CallOrigin::CallOrigin(jvmtiEnv* jvmti, ExactRegistry& registry, std::string runtime_class)
    : jvmti_(jvmti),
      registry_(registry),
      runtime_signature_("L" + runtime_class + ";"),
      known_(new std::atomic<uint64_t>[kSlots]()) {}

uint32_t CallOrigin::Find(JNIEnv* jni, uint32_t site, uint32_t method) {
  const uint64_t key = static_cast<uint64_t>(site) << 32 | (method & 0x3fffffffu);
  const uint64_t hash = Mix64(key);
  std::atomic<uint64_t>* empty = nullptr;
  Kind kind = kUnknown;
  for (size_t probe = 0; probe < 8; ++probe) {
    std::atomic<uint64_t>& slot = known_[(hash + probe) % kSlots];
    uint64_t word = slot.load(std::memory_order_relaxed);
    if (word == 0) {
      empty = &slot;
      break;
    }
    // The low 30 bits are the method, the next two the kind, the high half the site.
    if ((word & ~(3ull << 30)) == key) {
      kind = static_cast<Kind>(word >> 30 & 3);
      break;
    }
  }
  if (kind == kUnknown) {
    kind = Look(jni, site);
    uint64_t expected = 0;
    if (empty != nullptr) empty->compare_exchange_strong(expected, key | kind << 30);
  }
  if (kind == kSite) return site;
  return kind == kNative ? ExactMemory::kFromNative : ExactMemory::kFromVm;
}

// From the top: the probe's own frames, the method entered, then whoever called it.
CallOrigin::Kind CallOrigin::Look(JNIEnv* jni, uint32_t site) {
  constexpr jint kDepth = 48;
  jvmtiFrameInfo frames[kDepth];
  jint count = 0;
  if (jvmti_->GetStackTrace(nullptr, 0, kDepth, frames, &count) != JVMTI_ERROR_NONE) return kVm;
  const ExactRegistry::SiteInfo info = registry_.site(site);
  const profile::Method caller = registry_.Describe(info.method);
  bool passed_others = false;
  FrameMethod entered;
  for (jint i = 0; i < count; ++i) {
    FrameMethod frame = Describe(jvmti_, jni, frames[i].method);
    if (frame.signature == runtime_signature_) continue;
    if (entered.name.empty()) {
      entered = frame;
      continue;
    }
    if (frame.native) return kNative;
    bool is_caller = frame.name == caller.name && frame.descriptor == caller.descriptor &&
                     SourceName(frame.signature) == ("L" + caller.class_name).append(";");
    const bool any_call = info.bci == profile::kNoBci;  // names no callee, so this may be one
    if (is_caller) return passed_others || any_call || IsEnteredBy(info, entered) ? kSite : kVm;
    passed_others = true;
  }
  return kVm;
}

}  // namespace assay::agent
