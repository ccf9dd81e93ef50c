#include "src/agent/guard_classes.h"

#include "src/agent/class_loaders.h"

extern "C" const unsigned char assay_class_guards[];
extern "C" const unsigned char assay_class_guards_end[];

namespace assay::agent {
namespace {

constexpr uint32_t kRoom = 2048;  // AssayGuards.SIZE
constexpr char kNotLoaded[] = "not loaded";
constexpr jint kInterfaceOrAbstract = 0x0600;

jobject KeptLoader(JNIEnv* jni, ClassLoaderOf which) {
  jobject loader = FindClassLoader(jni, which);
  return loader == nullptr ? nullptr : jni->NewGlobalRef(loader);
}

}  // namespace

GuardClasses& GuardClasses::Get() {
  static GuardClasses* guards = new GuardClasses;
  return *guards;
}

Status GuardClasses::Expect(const std::string& internal_name) {
  std::lock_guard lock(mutex_);
  if (guards_.contains(internal_name)) return {};
  if (guards_.size() == kRoom) return Error{"the plan has more than 2,048 guard classes"};
  uint32_t index = static_cast<uint32_t>(guards_.size());
  guards_.emplace(internal_name, Guard{index, kNotLoaded});
  return {};
}

Result<instrument::Guarded> GuardClasses::For(jvmtiEnv* jvmti, JNIEnv* jni, jobject caller_loader,
                                              const std::string& internal_name) {
  std::lock_guard lock(mutex_);
  const Guard& guard = guards_.find(internal_name)->second;
  // Nobody but the boot and the platform loader may define java.*.
  if (LivesAsLongAsTheVm(jni, caller_loader) || internal_name.starts_with("java/")) {
    return instrument::Guarded{guard.index, false};
  }
  jobject stays =
      guard.set ? jni->GetObjectArrayElement(classes_, static_cast<jsize>(guard.index)) : nullptr;
  auto index = of_loaders_.IndexOf(jvmti, jni, caller_loader, internal_name, stays);
  if (stays != nullptr) jni->DeleteLocalRef(stays);
  if (!index.ok()) return index.error();
  return instrument::Guarded{*index, true};
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
  ASSAY_TRY(of_loaders_.Start(jni, type));
  for (ClassLoaderOf which : {ClassLoaderOf::kPlatform, ClassLoaderOf::kSystem}) {
    if (jobject loader = KeptLoader(jni, which)) loaders_.push_back(loader);
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

void GuardClasses::SetStrong(JNIEnv* jni, Guard* guard, jclass type) {
  jni->SetObjectArrayElement(classes_, static_cast<jsize>(guard->index), type);
  guard->set = !jni->ExceptionCheck();
  if (!guard->set) jni->ExceptionClear();
  guard->state = "in use";
}

void GuardClasses::Consider(jvmtiEnv* jvmti, JNIEnv* jni, jclass type,
                            std::string_view internal_name) {
  std::lock_guard lock(mutex_);
  auto it = guards_.find(internal_name);
  if (it == guards_.end() || classes_ == nullptr) return;
  Guard& guard = it->second;
  jint modifiers = 0;
  jobject loader = nullptr;
  if (jvmti->GetClassModifiers(type, &modifiers) != JVMTI_ERROR_NONE ||
      jvmti->GetClassLoader(type, &loader) != JVMTI_ERROR_NONE) {
    return;
  }
  bool stays = LivesAsLongAsTheVm(jni, loader);
  if ((modifiers & kInterfaceOrAbstract) != 0) {
    if (!guard.set) guard.state = "abstract: no object has this class";
  } else {
    of_loaders_.Fill(jni, type, stays ? nullptr : loader, internal_name);
    if (stays && !guard.set) SetStrong(jni, &guard, type);
    if (!stays && guard.state == kNotLoaded) {
      guard.state = "its class loader might be unloaded, and is not the one of the callers";
    }
  }
  if (loader != nullptr) jni->DeleteLocalRef(loader);
}

std::string GuardClasses::Report() {
  std::lock_guard lock(mutex_);
  std::string text;
  for (const auto& [name, guard] : guards_) {
    std::string dotted = name;
    for (char& c : dotted) c = c == '/' ? '.' : c;
    size_t loaders = of_loaders_.CountOf(name);
    bool weak_only = loaders != 0 && !guard.set;
    text += "guard\t" + dotted + "\t" + (weak_only ? "in use" : guard.state) + "\n";
  }
  return text;
}

}  // namespace assay::agent
