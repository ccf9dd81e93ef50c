#include "src/agent/guard_classes.h"

#include "src/instrument/devirtualize_pass.h"

extern "C" const unsigned char assay_class_guards[];
extern "C" const unsigned char assay_class_guards_end[];

namespace assay::agent {
namespace {

constexpr uint32_t kRoom = 2048;  // AssayGuards.SIZE
constexpr char kNotLoaded[] = "not loaded";
constexpr jint kInterfaceOrAbstract = 0x0600;

jobject LoaderFrom(JNIEnv* jni, const char* getter) {
  jclass type = jni->FindClass("java/lang/ClassLoader");
  jmethodID method =
      type == nullptr ? nullptr : jni->GetStaticMethodID(type, getter, "()Ljava/lang/ClassLoader;");
  jobject loader = method == nullptr ? nullptr : jni->CallStaticObjectMethod(type, method);
  if (jni->ExceptionCheck()) {
    jni->ExceptionClear();
    return nullptr;
  }
  return loader == nullptr ? nullptr : jni->NewGlobalRef(loader);
}

}  // namespace

GuardClasses& GuardClasses::Get() {
  static GuardClasses* guards = new GuardClasses;
  return *guards;
}

Result<uint32_t> GuardClasses::IndexOf(const std::string& internal_name) {
  std::lock_guard lock(mutex_);
  auto it = guards_.find(internal_name);
  if (it == guards_.end()) {
    if (guards_.size() == kRoom) return Error{"the plan has more than 2,048 guard classes"};
    uint32_t index = static_cast<uint32_t>(guards_.size());
    it = guards_.emplace(internal_name, Guard{index, kNotLoaded}).first;
  }
  return it->second.index;
}

Status GuardClasses::Define(JNIEnv* jni) {
  if (classes_ != nullptr) return {};
  jclass type = jni->DefineClass(instrument::kGuardsClass, nullptr,
                                 reinterpret_cast<const jbyte*>(assay_class_guards),
                                 static_cast<jsize>(assay_class_guards_end - assay_class_guards));
  jfieldID field =
      type == nullptr ? nullptr : jni->GetStaticFieldID(type, "CLASSES", "[Ljava/lang/Class;");
  jobject array = field == nullptr ? nullptr : jni->GetStaticObjectField(type, field);
  if (array == nullptr) {
    if (jni->ExceptionCheck()) jni->ExceptionClear();
    return Error{"this JVM does not accept the runtime class java.lang.AssayGuards"};
  }
  for (const char* getter : {"getPlatformClassLoader", "getSystemClassLoader"}) {
    if (jobject loader = LoaderFrom(jni, getter)) loaders_.push_back(loader);
  }
  classes_ = static_cast<jobjectArray>(jni->NewGlobalRef(array));
  return {};
}

bool GuardClasses::LivesAsLongAsTheVm(JNIEnv* jni, jobject loader) const {
  if (loader == nullptr) return true;
  for (jobject each : loaders_) {
    if (jni->IsSameObject(each, loader)) return true;
  }
  return false;
}

void GuardClasses::Consider(jvmtiEnv* jvmti, JNIEnv* jni, jclass type,
                            std::string_view internal_name) {
  std::lock_guard lock(mutex_);
  auto it = guards_.find(internal_name);
  if (it == guards_.end() || it->second.set || classes_ == nullptr) return;
  Guard& guard = it->second;
  jint modifiers = 0;
  jobject loader = nullptr;
  if (jvmti->GetClassModifiers(type, &modifiers) != JVMTI_ERROR_NONE ||
      jvmti->GetClassLoader(type, &loader) != JVMTI_ERROR_NONE) {
    return;
  }
  if (!LivesAsLongAsTheVm(jni, loader)) {
    if (guard.state == kNotLoaded) guard.state = "its class loader might be unloaded";
  } else if ((modifiers & kInterfaceOrAbstract) != 0) {
    guard.state = "abstract: no object has this class";
  } else {
    jni->SetObjectArrayElement(classes_, static_cast<jsize>(guard.index), type);
    guard.set = !jni->ExceptionCheck();
    if (!guard.set) jni->ExceptionClear();
    guard.state = "in use";
  }
  if (loader != nullptr) jni->DeleteLocalRef(loader);
}

std::string GuardClasses::Report() {
  std::lock_guard lock(mutex_);
  std::string text;
  for (const auto& [name, guard] : guards_) {
    std::string dotted = name;
    for (char& c : dotted) c = c == '/' ? '.' : c;
    text += "guard\t" + dotted + "\t" + guard.state + "\n";
  }
  return text;
}

}  // namespace assay::agent
