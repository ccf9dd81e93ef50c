#include "src/sampling/hotspot/class_methods.h"

#include "src/sampling/hotspot/vm_memory.h"

namespace assay::sampling {

Status ClassMethods::Load(const VmStructs& structs, JNIEnv* jni) {
  ASSAY_ASSIGN(uintptr_t klass, structs.StaticAddress("java_lang_Class::_klass_offset"));
  ASSAY_ASSIGN(methods_, structs.Offset("InstanceKlass::_methods"));
  ASSAY_ASSIGN(length_, structs.Offset("Array<int>::_length"));
  ASSAY_ASSIGN(data_, structs.Offset("Array<Method*>::_data"));
  klass_ = static_cast<uint64_t>(VmInt(klass));
  // Behind the header of an object, of which the smallest has eight bytes.
  if (klass_ < 8 || klass_ > 4096) return Error{"the VM's classes are not laid out as described"};
  if (unsafe_ != nullptr) return {};
  Status status = FindUnsafe(jni);
  if (jni->ExceptionCheck()) jni->ExceptionClear();
  return status;
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

std::vector<uintptr_t> ClassMethods::Of(JNIEnv* jni, jclass type) const {
  constexpr int32_t kMost = 1 << 17;  // 65,535 of the class file, and those that the VM adds
  if (jni->ExceptionCheck()) return {};
  const jlong word = jni->CallLongMethod(unsafe_, get_long_, type, static_cast<jlong>(klass_));
  if (jni->ExceptionCheck()) {
    jni->ExceptionClear();
    return {};
  }
  const auto klass = static_cast<uintptr_t>(word);
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
