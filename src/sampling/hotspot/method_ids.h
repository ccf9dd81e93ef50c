// The jmethodID of a Method*, read where the VM keeps it (instanceKlass.cpp, jmethod_id_or_null): nothing is created
// and nothing is locked. Find() may run anywhere as long as the method is alive, such as one that is on the stack.
#pragma once

#include <jvmti.h>

#include <cstdint>

#include "src/base/result.h"
#include "src/sampling/hotspot/class_methods.h"
#include "src/sampling/hotspot/vm_structs.h"

namespace assay::sampling {

class MethodIds {
 public:
  // Offsets of a Method's way to its id.
  struct Layout {
    uint64_t const_method = 0, constants = 0, id_number = 0, holder = 0, ids = 0;
  };
  // As the VM describes it.
  Status Load(const VmStructs& structs, const KnownMethods& known);
  // Checks a layout against all methods of a class that JVMTI knows, and follows no address before it is known to be one.
  Status Prove(const Layout& layout, const KnownMethods& known);

  // Null when the method has none yet.
  jmethodID Find(uintptr_t method) const;

 private:
  // `word`, `half`: how to read; 0 where that cannot be done.
  template <typename Word, typename Half>
  jmethodID FindBy(uintptr_t method, Word word, Half half) const;

  Layout layout_;
};

}  // namespace assay::sampling
