#include "src/sampling/hotspot/class_methods.h"

#include "src/sampling/hotspot/vm_memory.h"
#include "src/sampling/readable_memory.h"

namespace assay::sampling {
namespace {

constexpr int32_t kMost = 1 << 17;  // 65,535 of the class file, and those that the VM adds
const Error kOtherwise{"the VM's classes are not laid out as described"};

}  // namespace

std::vector<jmethodID> MethodsOfClass(jvmtiEnv* jvmti, jclass type) {
  jint count = 0;
  jmethodID* ids = nullptr;
  if (jvmti->GetClassMethods(type, &count, &ids) != JVMTI_ERROR_NONE) return {};
  std::vector<jmethodID> methods(ids, ids + count);
  jvmti->Deallocate(reinterpret_cast<unsigned char*>(ids));
  return methods;
}

Status ClassMethods::Load(const VmStructs& structs, jvmtiEnv* jvmti, JNIEnv* jni) {
  ASSAY_ASSIGN(uintptr_t klass, structs.StaticAddress("java_lang_Class::_klass_offset"));
  ASSAY_ASSIGN(methods_, structs.Offset("InstanceKlass::_methods"));
  ASSAY_ASSIGN(length_, structs.Offset("Array<int>::_length"));
  ASSAY_ASSIGN(data_, structs.Offset("Array<Method*>::_data"));
  klass_ = static_cast<uint64_t>(VmInt(klass));
  // Behind the header of an object, of which the smallest has eight bytes.
  if (klass_ < 8 || klass_ > 4096) return kOtherwise;
  Status status = unsafe_ != nullptr ? Status() : FindUnsafe(jni);
  if (jni->ExceptionCheck()) jni->ExceptionClear();
  if (status.ok()) status = Check(jvmti, jni);
  return status;
}

Status ClassMethods::Check(jvmtiEnv* jvmti, JNIEnv* jni) {
  constexpr size_t kEnough = 50;
  jclass string = jni->FindClass("java/lang/String");
  if (string == nullptr) return Error{"there is no java.lang.String"};
  known_.ids = MethodsOfClass(jvmti, string);
  ReadableMemory memory;
  const uintptr_t klass = KlassOf(jni, string);
  const uintptr_t array = memory.Has(klass + methods_, sizeof(uintptr_t)) ? VmWord(klass + methods_) : 0;
  const int32_t length = memory.Has(array + length_, sizeof(int32_t)) ? VmInt(array + length_) : 0;
  // There may be some that JVMTI does not show.
  const bool fits = length >= static_cast<int32_t>(known_.ids.size()) && length < kMost;
  const bool readable = fits && memory.Has(array + data_ + (static_cast<uint64_t>(length) - 1) * sizeof(uintptr_t), sizeof(uintptr_t));
  known_.methods = readable ? Of(jni, string) : std::vector<uintptr_t>();
  jni->DeleteLocalRef(string);
  if (known_.ids.size() < kEnough) return Error{"too few methods to check the VM's description with"};
  return known_.methods.size() >= known_.ids.size() ? Status() : Status(kOtherwise);
}

Status ClassMethods::FindUnsafe(JNIEnv* jni) {
  const Error missing{"the JDK has no Unsafe that reads memory"};
  constexpr char kName[] = "jdk/internal/misc/Unsafe", kGet[] = "()Ljdk/internal/misc/Unsafe;";
  jclass type = jni->FindClass(kName);
  if (type == nullptr) return missing;
  jmethodID get = jni->GetStaticMethodID(type, "getUnsafe", kGet);
  if (get == nullptr) return missing;
  get_long_ = jni->GetMethodID(type, "getLong", "(Ljava/lang/Object;J)J");
  if (get_long_ == nullptr) return missing;
  jobject unsafe = jni->CallStaticObjectMethod(type, get);
  if (jni->ExceptionCheck() || unsafe == nullptr) return missing;
  unsafe_ = jni->NewGlobalRef(unsafe);
  jni->DeleteLocalRef(unsafe);
  jni->DeleteLocalRef(type);
  return unsafe_ == nullptr ? Status(missing) : Status();
}

uintptr_t ClassMethods::KlassOf(JNIEnv* jni, jclass type) const {
  if (jni->ExceptionCheck()) return 0;
  const jlong klass = jni->CallLongMethod(unsafe_, get_long_, type, static_cast<jlong>(klass_));
  if (!jni->ExceptionCheck()) return static_cast<uintptr_t>(klass);
  jni->ExceptionClear();
  return 0;
}

std::vector<uintptr_t> ClassMethods::Of(JNIEnv* jni, jclass type) const {
  const uintptr_t klass = KlassOf(jni, type);
  const uintptr_t array = IsVmPointer(klass) ? VmWord(klass + methods_) : 0;
  const int32_t length = IsVmPointer(array) ? VmInt(array + length_) : 0;
  if (length <= 0 || length > kMost) return {};
  std::vector<uintptr_t> methods;
  for (int32_t i = 0; i < length; i++) {
    methods.push_back(VmWord(array + data_ + static_cast<uint64_t>(i) * sizeof(uintptr_t)));
  }
  // Redefinition puts another array in its place, and the VM frees the old one later.
  if (VmWord(klass + methods_) != array) return {};
  return methods;
}

}  // namespace assay::sampling
