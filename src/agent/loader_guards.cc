#include "src/agent/loader_guards.h"

#include "src/agent/class_name.h"

namespace assay::agent {
namespace {

constexpr uint32_t kRoom = 2048;  // AssayGuards.SIZE

}  // namespace

Status LoaderGuards::Start(JNIEnv* jni, jclass guards_class) {
  if (references_ != nullptr) return {};
  jfieldID field =
      jni->GetStaticFieldID(guards_class, "OF_LOADERS", "[Ljava/lang/ref/WeakReference;");
  jobject array = field == nullptr ? nullptr : jni->GetStaticObjectField(guards_class, field);
  jclass type = array == nullptr ? nullptr : jni->FindClass("java/lang/ref/WeakReference");
  if (type != nullptr) make_reference_ = jni->GetMethodID(type, "<init>", "(Ljava/lang/Object;)V");
  if (make_reference_ == nullptr) {
    if (jni->ExceptionCheck()) jni->ExceptionClear();
    return Error{"this JVM does not accept weak guards"};
  }
  reference_class_ = static_cast<jclass>(jni->NewGlobalRef(type));
  references_ = static_cast<jobjectArray>(jni->NewGlobalRef(array));
  return {};
}

LoaderGuards::OfLoader* LoaderGuards::Find(JNIEnv* jni, jobject loader) {
  for (OfLoader& each : loaders_) {
    if (jni->IsSameObject(each.loader, loader)) return &each;
  }
  return nullptr;
}

// No code of a loader that is gone can read its elements any more.
void LoaderGuards::ForgetUnloaded(JNIEnv* jni) {
  std::erase_if(loaders_, [this, jni](OfLoader& each) {
    if (!jni->IsSameObject(each.loader, nullptr)) return false;
    for (const auto& [name, element] : each.elements) free_.push_back(element.index);
    jni->DeleteWeakGlobalRef(each.loader);
    return true;
  });
}

void LoaderGuards::Set(JNIEnv* jni, Element* element, jobject type, State state) {
  jobject reference = jni->NewObject(reference_class_, make_reference_, type);
  if (reference != nullptr) {
    jni->SetObjectArrayElement(references_, static_cast<jsize>(element->index), reference);
    jni->DeleteLocalRef(reference);
    element->state = state;
  }
  if (jni->ExceptionCheck()) jni->ExceptionClear();
}

// A loader resolves a name to the same class for ever (JVMS 5.3): what it has already resolved is
// what its callers mean, whoever defined it.
void LoaderGuards::Resolved(jvmtiEnv* jvmti, JNIEnv* jni, jobject loader, const std::string& name,
                            Element* element) {
  jint count = 0;
  jclass* classes = nullptr;
  if (jvmti->GetClassLoaderClasses(loader, &count, &classes) != JVMTI_ERROR_NONE) return;
  for (jint i = 0; i < count; ++i) {
    if (element->state != State::kOwn && InternalNameOf(jvmti, classes[i]) == name) {
      Set(jni, element, classes[i], State::kOwn);
    }
    jni->DeleteLocalRef(classes[i]);
  }
  jvmti->Deallocate(reinterpret_cast<unsigned char*>(classes));
}

Result<uint32_t> LoaderGuards::IndexOf(jvmtiEnv* jvmti, JNIEnv* jni, jobject loader,
                                       const std::string& name, jobject stays) {
  OfLoader* of_loader = Find(jni, loader);
  if (of_loader == nullptr) {
    ForgetUnloaded(jni);
    loaders_.push_back({jni->NewWeakGlobalRef(loader), {}});
    of_loader = &loaders_.back();
  }
  auto it = of_loader->elements.find(name);
  if (it != of_loader->elements.end()) return it->second.index;
  if (free_.empty() && used_ == kRoom) return Error{"no room for the guards of one more loader"};
  if (free_.empty()) free_.push_back(used_++);
  Element element{free_.back()};
  free_.pop_back();
  Resolved(jvmti, jni, loader, name, &element);
  if (element.state == State::kEmpty && stays != nullptr) {
    Set(jni, &element, stays, State::kStandIn);
  }
  of_loader->elements.emplace(name, element);
  return element.index;
}

void LoaderGuards::Fill(JNIEnv* jni, jclass type, jobject loader, std::string_view name) {
  for (OfLoader& each : loaders_) {
    auto it = each.elements.find(name);
    if (it == each.elements.end()) continue;
    bool own = loader != nullptr && jni->IsSameObject(each.loader, loader);
    bool stands_in = loader == nullptr && it->second.state == State::kEmpty;
    if (own || stands_in) Set(jni, &it->second, type, own ? State::kOwn : State::kStandIn);
  }
}

size_t LoaderGuards::CountOf(std::string_view name) const {
  size_t count = 0;
  for (const OfLoader& each : loaders_) {
    auto it = each.elements.find(name);
    count += it != each.elements.end() && it->second.state != State::kEmpty;
  }
  return count;
}

}  // namespace assay::agent
