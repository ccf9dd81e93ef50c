// Which methods the bytecodes collector counts, so that the same program gives the same counts in
// every run. A JVM does things for its own reasons, in the middle of the program's code and at
// moments that depend on timing, memory and compilation:
//
//   intrinsics   compiled code does not execute the body of an @IntrinsicCandidate method, the
//                interpreter does; the same for the constructors of exceptions that the VM throws
//   linkage      classes are loaded, method handles and lambdas linked, reflection caches filled
//   waiting      a thread looks again and again for a lock, a result, the end of another thread
//   collection   weak references are cleared and queues of them emptied
//
// Such methods are opaque: they appear in contexts, but nothing is counted while they run, unless
// they call back into the application.
#pragma once

#include <string_view>

#include "src/classfile/class_file.h"

namespace assay::instrument {

enum class CountMode {
  kCounted,
  kOpaque,
  kUntouched,  // cannot call anything that is counted, or must not be touched
};

// `calls`: whether the body has call instructions.
CountMode CountModeOf(const classfile::ClassFile& file, const classfile::Method& method,
                      bool jdk_class, bool calls);

// Classes that no probe may enter.
bool IsNeverCounted(std::string_view class_name);

}  // namespace assay::instrument
