// A profiling agent in Java (assay.runtime.ProfilingAgent) that gets the samples of the bytecodes
// collector: loads it when the first thread of the program is about to count, and calls it. The
// classes of assay.runtime come from the program's class path, or else from assay-runtime.jar,
// which is then added to it. Called by threads of the program in native methods of the runtime
// class.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <cstdint>
#include <string>

#include "src/base/result.h"
#include "src/profile/profile.h"

namespace assay::agent {

class JavaAgent {
 public:
  // What the agent may ask for.
  struct Source {
    profile::Method (*describe)(uint32_t method);
    uint64_t (*unsampled)(JNIEnv* jni);
  };
  // `jar` may be "". There can be one, and it is never destroyed.
  JavaAgent(JavaVM* vm, std::string class_name, std::string jar, const Source& source);

  // Of the calling thread. Bytecodes to its first sample, 0: it is never sampled; kLater: another
  // thread is loading the agent, and waiting for it could be a deadlock.
  jint Register(JNIEnv* jni, jobject thread);
  // Bytecodes to the next sample, 0: this was the last.
  jint Sample(JNIEnv* jni, jintArray stack, jint depth, jlong bytecodes);

  static constexpr jint kLater = -1;  // AssayCounter.LATER

 private:
  enum State { kNotLoaded, kLoading, kLoaded, kUnusable };

  Status Load(JNIEnv* jni);
  Status Bind(JNIEnv* jni);
  jclass FindForm(JNIEnv* jni) const;
  Status AddToClassPath(const std::string& jar) const;

  JavaVM* const vm_;
  const std::string class_name_;
  const std::string jar_;
  std::atomic<State> state_{kNotLoaded};
  jclass form_ = nullptr;  // assay.runtime.NativeForm
  jmethodID start_ = nullptr;
  jmethodID register_ = nullptr;
  jmethodID sample_ = nullptr;
};

}  // namespace assay::agent
