// The name of a class as class files have it. Any Java thread in native code.
#pragma once

#include <jvmti.h>

#include <string>

namespace assay::agent {

// "java/lang/String"; "" for arrays and primitive types, and when the VM does not say.
inline std::string InternalNameOf(jvmtiEnv* jvmti, jclass type) {
  char* text = nullptr;
  if (jvmti->GetClassSignature(type, &text, nullptr) != JVMTI_ERROR_NONE) return "";
  std::string signature = text;
  jvmti->Deallocate(reinterpret_cast<unsigned char*>(text));
  if (signature.size() < 2 || signature[0] != 'L') return "";
  return signature.substr(1, signature.size() - 2);
}

}  // namespace assay::agent
