// What the collectors that rewrite classes share: a JVMTI environment whose class hook is theirs,
// and the way from the hook's bytes through a pass and back. A class or method that cannot be
// rewritten stays as it is and is noted. The hook runs on any thread that loads classes.
#pragma once

#include <jvmti.h>

#include <string>
#include <string_view>

#include "src/agent/exact_registry.h"
#include "src/base/bytes.h"
#include "src/base/result.h"
#include "src/classfile/class_file.h"
#include "src/instrument/pass.h"

namespace assay::agent {

// An environment that may rewrite classes, loaded ones included. The hook is off.
Result<jvmtiEnv*> MakeRewritingEnvironment(JavaVM* vm, jvmtiEventClassFileLoadHook hook,
                                           jvmtiEventClassPrepare prepared = nullptr);

// Before a hook that changes classes is switched on, in the live phase.
//
// With the first class of a module that a hook changes, the VM lets the module read the unnamed modules of the boot and
// application loaders: in Java, and in the middle of loading that class (classFileParser.cpp, add_default_read_edges;
// jdk.internal.module.Modules.transformedByAgent). If the class is one that this Java code needs itself,
// java.lang.Module$ReflectionData say, it meets a ClassCircularityError, which the VM drops but remembers: nobody can use
// the class any more. So they are loaded here, by letting java.base read the application's unnamed module, as the VM
// itself will.
void LoadWhatTheHookNeeds(jvmtiEnv* jvmti, JNIEnv* jni);

// Begins the session of a collector that rewrites: a new profile for its registry, the hook switched on, and the classes
// that are loaded already sent through it. Those that the VM refuses are noted as lost.
void StartRewriting(jvmtiEnv* jvmti, JNIEnv* jni, ExactRegistry& registry);
// Gives every class its own code back, except when the VM dies anyway (`jni` is null).
void StopRewriting(jvmtiEnv* jvmti, JNIEnv* jni);

// Hands a rewritten class to the VM through the hook's last two arguments; an empty one changes nothing.
void HandOver(ByteSpan bytes, jvmtiEnv* jvmti, jint* new_size, unsigned char** new_data);

// The class of one call of the hook.
class HookedClass {
 public:
  // `given_name` may be null.
  HookedClass(const char* given_name, const unsigned char* data, jint size);

  const std::string& name() const { return name_; }
  const Result<classfile::ClassFile>& file() const { return file_; }

  // Rewrites the class and hands the result to the VM through the hook's last two arguments.
  void Rewrite(instrument::Pass& pass, ExactRegistry& notes, jvmtiEnv* jvmti, jint* new_size,
               unsigned char** new_data) const;

 private:
  ByteSpan bytes_;
  Result<classfile::ClassFile> file_;
  std::string name_;
};

}  // namespace assay::agent
