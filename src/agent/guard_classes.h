// The classes that rewritten call sites compare receivers with, in java.lang.AssayGuards. For
// callers of loaders that live as long as the VM (boot, platform and system loader) they are
// classes of such loaders, in CLASSES, at an index that a class name is given once and for all. The
// array holds classes strongly, so all others are left to loader_guards.h. Any Java thread in
// native code.
#pragma once

#include <jvmti.h>

#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "src/agent/loader_guards.h"
#include "src/base/result.h"
#include "src/instrument/devirtualize_pass.h"

namespace assay::agent {

class GuardClasses {
 public:
  static GuardClasses& Get();

  // The class will be asked for. Fails when there is no room left.
  Status Expect(const std::string& internal_name);
  // What callers of this loader (null is the boot loader) compare with. The class is expected.
  Result<instrument::Guarded> For(jvmtiEnv* jvmti, JNIEnv* jni, jobject caller_loader,
                                  const std::string& internal_name);
  // Defines AssayGuards, once.
  Status Define(JNIEnv* jni);
  // A class was prepared: becomes the guard of its name when it can be one.
  void Consider(jvmtiEnv* jvmti, JNIEnv* jni, jclass type, std::string_view internal_name);
  // One line per class asked for: "guard NAME what".
  std::string Report();

 private:
  struct Guard {
    uint32_t index;
    std::string state;
    bool set = false;
  };
  bool LivesAsLongAsTheVm(JNIEnv* jni, jobject loader) const;
  void SetStrong(JNIEnv* jni, Guard* guard, jclass type);

  std::mutex mutex_;
  std::map<std::string, Guard, std::less<>> guards_;
  jobjectArray classes_ = nullptr;
  std::vector<jobject> loaders_;
  LoaderGuards of_loaders_;
};

}  // namespace assay::agent
