// What a JavaThread is doing, by the numbers of this VM (globalDefinitions.hpp, JavaThreadState): JDK 28 has others, and
// no states of transition. Reads are lock-free, on any thread, while the JavaThread is alive.
#pragma once

#include <cstdint>

namespace assay::sampling {

struct ThreadStates {
  static constexpr int32_t kNone = -1;  // this VM has no such state
  enum class Kind { kJava, kVm, kNative, kOther };

  uint64_t offset = 0;  // in a JavaThread
  int32_t native = kNone, native_trans = kNone, vm = kNone, vm_trans = kNone, java = kNone, java_trans = kNone;

  int32_t Of(uintptr_t thread) const { return *reinterpret_cast<volatile int32_t*>(thread + offset); }

  // Not on its way there or away.
  bool IsInJava(uintptr_t thread) const { return Of(thread) == java; }
  // On a processor, or about to be: what is in native code or blocked may stay there.
  bool IsRunning(uintptr_t thread) const {
    const int32_t state = Of(thread);
    return state == java || state == java_trans || state == vm || state == vm_trans || state == native_trans;
  }
  // One in transition is where it comes from.
  Kind KindOf(uintptr_t thread) const {
    const int32_t state = Of(thread);
    if (state == java || state == java_trans) return Kind::kJava;
    if (state == vm || state == vm_trans) return Kind::kVm;
    return state == native || state == native_trans ? Kind::kNative : Kind::kOther;
  }
};

}  // namespace assay::sampling
