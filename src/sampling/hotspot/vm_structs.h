// Reads the tables that libjvm exports about its own data structures (vmStructs.cpp; made for the
// serviceability agent): field offsets, addresses of static fields, sizes of types, constants.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "src/base/result.h"
#include "src/sampling/thread_states.h"

namespace assay::sampling {

class VmStructs {
 public:
  // `inside_libjvm` is any address in libjvm, such as a function of the JNI table.
  static Result<VmStructs> Load(const void* inside_libjvm);

  // "Type::field".
  Result<uint64_t> Offset(const std::string& field) const;
  Result<uintptr_t> StaticAddress(const std::string& field) const;
  Result<uint64_t> SizeOf(const std::string& type) const;
  Result<int32_t> Constant(const std::string& name) const;
  Result<ThreadStates> StatesOfThreads() const;

  // A symbol of libjvm, null when it is not exported.
  void* Symbol(const char* name) const;

 private:
  Status LoadFields();
  Status LoadTypes();
  Status LoadConstants();

  void* library_ = nullptr;
  std::map<std::string, uint64_t> offsets_;
  std::map<std::string, uintptr_t> statics_;
  std::map<std::string, uint64_t> sizes_;
  std::map<std::string, int32_t> constants_;
};

}  // namespace assay::sampling
