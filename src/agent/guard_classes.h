// The classes that rewritten call sites compare receivers with, in java.lang.AssayGuards.CLASSES.
// An index is given to a class name once and for all. The array holds classes strongly, so only
// classes of loaders that live as long as the VM are put there: boot, platform and system loader.
// Guards for all others never hold. Any Java thread in native code.
#pragma once

#include <jvmti.h>

#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/result.h"

namespace assay::agent {

class GuardClasses {
 public:
  static GuardClasses& Get();

  // Fails when there is no room left.
  Result<uint32_t> IndexOf(const std::string& internal_name);
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

  std::mutex mutex_;
  std::map<std::string, Guard, std::less<>> guards_;
  jobjectArray classes_ = nullptr;
  std::vector<jobject> loaders_;
};

}  // namespace assay::agent
