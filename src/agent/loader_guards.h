// Guard classes for callers of class loaders that may be unloaded: elements of
// java.lang.AssayGuards.OF_LOADERS, one per loader and class name. They are weak references, and an
// element is used again when its loader is gone. A class that the caller's own loader defines, or
// has already resolved the name to, is the one its calls mean; until there is one, a class of the
// name from a loader that stays may stand in: at worst its guard never holds. Not synchronized;
// any Java thread in native code.
#pragma once

#include <jvmti.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/result.h"

namespace assay::agent {

class LoaderGuards {
 public:
  // Takes the array out of AssayGuards.
  Status Start(JNIEnv* jni, jclass guards_class);
  // The element for callers of this loader. `stays` is a class of that name in a loader that is
  // never unloaded, or null.
  Result<uint32_t> IndexOf(jvmtiEnv* jvmti, JNIEnv* jni, jobject loader, const std::string& name,
                           jobject stays);
  // A class was prepared: by its own loader, or (`loader` null) one for all who have none.
  void Fill(JNIEnv* jni, jclass type, jobject loader, std::string_view name);
  // How many loaders have a class of this name as a guard.
  size_t CountOf(std::string_view name) const;

 private:
  enum class State { kEmpty, kStandIn, kOwn };
  struct Element {
    uint32_t index;
    State state = State::kEmpty;
  };
  struct OfLoader {
    jweak loader;
    std::map<std::string, Element, std::less<>> elements;
  };
  OfLoader* Find(JNIEnv* jni, jobject loader);
  void ForgetUnloaded(JNIEnv* jni);
  void Set(JNIEnv* jni, Element* element, jobject type, State state);
  void Resolved(jvmtiEnv* jvmti, JNIEnv* jni, jobject loader, const std::string& name,
                Element* element);

  jobjectArray references_ = nullptr;
  jclass reference_class_ = nullptr;
  jmethodID make_reference_ = nullptr;
  std::vector<OfLoader> loaders_;
  std::vector<uint32_t> free_;
  uint32_t used_ = 0;
};

}  // namespace assay::agent
