// What is fuzzed: each function takes any bytes and must return, within its own time and memory. A
// broken promise of the library (not only a crash) ends the process.
#pragma once

#include <string_view>

#include "src/base/bytes.h"

namespace assay::fuzz {

// The bytes as a class file: parse, write back, decode, analyse, print and re-encode all methods.
void FuzzClass(ByteSpan bytes);
// The bytes as the Code attribute of a method in a fixed class.
void FuzzCode(ByteSpan bytes);
// The bytes as the StackMapTable of a fixed method.
void FuzzStackMap(ByteSpan bytes);

struct Target {
  std::string_view name;  // the folder of its seeds and findings in tests/fuzz/corpus
  void (*run)(ByteSpan);
};
inline constexpr Target kTargets[] = {
    {"class", FuzzClass}, {"code", FuzzCode}, {"stackmap", FuzzStackMap}};

}  // namespace assay::fuzz
