#include "src/agent/java_agent.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>

#include "src/agent/class_loaders.h"
#include "src/agent/log.h"
#include "src/agent/runtime_class.h"
#include "src/agent/vm_info.h"

namespace assay::agent {
namespace {

constexpr char kForm[] = "assay.runtime.NativeForm";

JavaAgent::Source source;  // of the natives below

bool Failed(JNIEnv* jni) {
  if (!jni->ExceptionCheck()) return false;
  jni->ExceptionClear();
  return true;
}

jobjectArray JNICALL Describe(JNIEnv* jni, jclass, jint number) {
  const profile::Method method = source.describe(static_cast<uint32_t>(number));
  if (number < 0 || method.name.empty()) return nullptr;
  jclass string = jni->FindClass("java/lang/String");
  jobjectArray parts = string == nullptr ? nullptr : jni->NewObjectArray(3, string, nullptr);
  jsize index = 0;
  for (const std::string* part : {&method.class_name, &method.name, &method.descriptor}) {
    // Class files and JNI write text in the same way.
    jstring text = parts == nullptr ? nullptr : jni->NewStringUTF(part->c_str());
    if (text == nullptr) return nullptr;
    jni->SetObjectArrayElement(parts, index++, text);
  }
  return parts;
}

jlong JNICALL Unsampled(JNIEnv* jni, jclass) { return static_cast<jlong>(source.unsampled(jni)); }

// Beside libassay.so, or where it is installed; "" when it is nowhere.
std::string RuntimeJar() {
  Dl_info info = {};
  if (dladdr(reinterpret_cast<void*>(&RuntimeJar), &info) == 0 || info.dli_fname == nullptr)
    return "";
  std::string folder = info.dli_fname;
  folder.resize(std::min(folder.rfind('/'), folder.size()));
  for (const char* place : {"/", "/../share/assay/", "/../../share/assay/"}) {
    std::string path = folder + place + "assay-runtime.jar";
    if (access(path.c_str(), R_OK) == 0) return path;
  }
  return "";
}

}  // namespace

JavaAgent::JavaAgent(JavaVM* vm, std::string class_name, std::string jar, const Source& from)
    : vm_(vm), class_name_(std::move(class_name)), jar_(std::move(jar)) {
  source = from;
}

jint JavaAgent::Register(JNIEnv* jni, jobject thread) {
  State expected = kNotLoaded;
  if (state_.compare_exchange_strong(expected, kLoading)) {
    Status status = Load(jni);
    if (!status.ok()) Log("no samples are taken: " + status.error().message);
    state_.store(status.ok() ? kLoaded : kUnusable);
  } else if (expected == kLoading) {
    return kLater;
  }
  if (state_.load() != kLoaded) return 0;
  jint first = jni->CallStaticIntMethod(form_, register_, thread);
  return Failed(jni) ? 0 : std::max(first, 0);
}

jint JavaAgent::Sample(JNIEnv* jni, jintArray stack, jint depth, jlong bytecodes) {
  if (state_.load(std::memory_order_acquire) != kLoaded) return 0;
  jint next = jni->CallStaticIntMethod(form_, sample_, stack, depth, bytecodes);
  return Failed(jni) ? 0 : next;
}

Status JavaAgent::Load(JNIEnv* jni) {
  if (!jar_.empty()) ASSAY_TRY(AddToClassPath(jar_));
  jclass form = FindForm(jni);
  if (form == nullptr) {
    const std::string runtime = RuntimeJar();
    if (runtime.empty()) return Error{"assay-runtime.jar is not beside libassay.so"};
    ASSAY_TRY(AddToClassPath(runtime));
    form = FindForm(jni);
  }
  if (form == nullptr) return Error{std::string("the program has no class ") + kForm};
  form_ = static_cast<jclass>(jni->NewGlobalRef(form));
  ASSAY_TRY(Bind(jni));
  jstring name = jni->NewStringUTF(class_name_.c_str());
  const bool started = name != nullptr && jni->CallStaticBooleanMethod(form_, start_, name);
  if (Failed(jni) || !started) return Error{"the agent " + class_name_ + " did not start"};
  return {};
}

Status JavaAgent::Bind(JNIEnv* jni) {
  const JNINativeMethod natives[] = {
      NativeMethod("describe", "(I)[Ljava/lang/String;", reinterpret_cast<void*>(Describe)),
      NativeMethod("unsampled", "()J", reinterpret_cast<void*>(Unsampled)),
  };
  const bool bound = jni->RegisterNatives(form_, natives, 2) == JNI_OK;
  start_ = bound ? jni->GetStaticMethodID(form_, "start", "(Ljava/lang/String;)Z") : nullptr;
  register_ = start_ ? jni->GetStaticMethodID(form_, "register", "(Ljava/lang/Thread;)I") : nullptr;
  sample_ = register_ ? jni->GetStaticMethodID(form_, "processSample", "([IIJ)I") : nullptr;
  if (Failed(jni) || sample_ == nullptr) {
    return Error{"the assay-runtime.jar on the class path belongs to another version"};
  }
  return {};
}

// Through the system class loader: the one that looks at the class path.
jclass JavaAgent::FindForm(JNIEnv* jni) const {
  jobject loader = FindClassLoader(jni, ClassLoaderOf::kSystem);
  jmethodID load = loader == nullptr ? nullptr
                                     : jni->GetMethodID(jni->GetObjectClass(loader), "loadClass",
                                                        "(Ljava/lang/String;)Ljava/lang/Class;");
  jstring name = load == nullptr ? nullptr : jni->NewStringUTF(kForm);
  jobject found = name == nullptr ? nullptr : jni->CallObjectMethod(loader, load, name);
  return Failed(jni) ? nullptr : static_cast<jclass>(found);
}

Status JavaAgent::AddToClassPath(const std::string& jar) const {
  jvmtiEnv* jvmti = PlainEnvironment(vm_);
  if (jvmti == nullptr || jvmti->AddToSystemClassLoaderSearch(jar.c_str()) != JVMTI_ERROR_NONE) {
    return Error{"the JVM does not take " + jar + " as a jar for its class path"};
  }
  return {};
}

}  // namespace assay::agent
