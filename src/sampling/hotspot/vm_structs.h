// Reads the tables that libjvm exports about its own data structures (vmStructs.cpp; made for the
// serviceability agent): field offsets, addresses of static fields, sizes of types.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "src/base/result.h"

namespace assay::sampling {

class VmStructs {
 public:
  // `inside_libjvm` is any address in libjvm, such as a function of the JNI table.
  static Result<VmStructs> Load(const void* inside_libjvm);

  // "Type::field".
  Result<uint64_t> Offset(const std::string& field) const;
  Result<uintptr_t> StaticAddress(const std::string& field) const;
  Result<uint64_t> SizeOf(const std::string& type) const;

  // A symbol of libjvm, null when it is not exported.
  void* Symbol(const char* name) const;

 private:
  void* library_ = nullptr;
  std::map<std::string, uint64_t> offsets_;
  std::map<std::string, uintptr_t> statics_;
  std::map<std::string, uint64_t> sizes_;
};

}  // namespace assay::sampling
