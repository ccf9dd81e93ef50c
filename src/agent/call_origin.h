// Tells where a method was entered from when the call site under way does not name it: native code
// calling back, the VM calling up (class loading, static initializers, linkage), or a call that
// went through classes nobody can rewrite (lambda proxies, method handle adapters) and belongs to
// the site after all. The first time for a (site, method) the stack is looked at; then it is known.
//
// Runs on Java threads inside a probe, any number at once.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <memory>
#include <string>

#include "src/agent/exact_registry.h"

namespace assay::agent {

class CallOrigin {
 public:
  CallOrigin(jvmtiEnv* jvmti, ExactRegistry& registry, std::string runtime_class);

  // `site` itself, or ExactMemory::kFromNative / kFromVm.
  uint32_t Find(JNIEnv* jni, uint32_t site, uint32_t method);

 private:
  enum Kind : uint64_t { kUnknown, kSite, kNative, kVm };
  Kind Look(JNIEnv* jni, uint32_t site);

  static constexpr size_t kSlots = size_t{1} << 18;
  jvmtiEnv* jvmti_;
  ExactRegistry& registry_;
  std::string runtime_signature_;
  std::unique_ptr<std::atomic<uint64_t>[]> known_;  // site, method and kind packed into a word
};

}  // namespace assay::agent
